//! The order of a trace in which two operations on one synchronisation object may not change places, as vector clocks.
//!
//! Runs with the same order are *equivalent* (Mazurkiewicz): every sequence of the events that keeps this order is a legal
//! run of the same program parts, because each object sees what it saw. The step that begins a wait counts as an operation
//! on the condition variable as well, so that no signal overtakes it.

use foretrace_event::{Event, EventId, Object, Sort, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

/// How many events of each thread come before, or are, an event.
pub(super) type Clock = Vec<u32>;

/// The clocks at the point that a walk along the recorded run has reached.
pub(super) struct Clocks<'a> {
    trace: &'a Trace,
    threads: Vec<Clock>,
    objects: FxHashMap<(Sort, u32), Clock>,
}

impl<'a> Clocks<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let threads = trace.threads().len();
        Self { trace, threads: vec![vec![0; threads]; threads], objects: FxHashMap::default() }
    }

    /// What a thread's last event comes after.
    #[inline]
    pub(super) fn of(&self, thread: ThreadId) -> &Clock {
        &self.threads[thread.index()]
    }

    /// The next event of the recorded run.
    #[inline]
    pub(super) fn pass(&mut self, id: EventId, event: Event) {
        let thread = id.thread.index();
        self.threads[thread][thread] = id.index + 1;
        if event.is_access() || matches!(event, Event::Custom(..) | Event::Fence(_)) {
            return;
        }
        for object in self.objects(id, event).into_iter().flatten() {
            self.meet(thread, object);
        }
    }

    fn objects(&self, id: EventId, event: Event) -> [Option<(Sort, u32)>; 2] {
        let condition = |instance| Some((Sort::Condition, self.trace.instance(instance).condition.0));
        let own = match event {
            Event::Start | Event::End => Some((Sort::Thread, id.thread.0)),
            _ => match event.object() {
                Some(Object::Condition(instance)) => condition(instance),
                object => object.map(|object| (object.sort(), object.number())),
            },
        };
        let next = EventId { index: id.index + 1, ..id };
        let begins = match event {
            Event::Unlock(_) if next.index < self.trace.len(id.thread) => match self.trace.event(next) {
                Event::Wait(instance, ..) => condition(instance),
                _ => None,
            },
            _ => None,
        };
        [own, begins]
    }

    fn meet(&mut self, thread: usize, object: (Sort, u32)) {
        let clock = &mut self.threads[thread];
        let seen = self.objects.entry(object).or_insert_with(|| vec![0; clock.len()]);
        clock.iter_mut().zip(seen.iter()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        seen.copy_from_slice(clock);
    }
}

/// The clocks of these events.
pub(super) fn at(trace: &Trace, events: &[EventId]) -> FxHashMap<EventId, Clock> {
    let wanted: rustc_hash::FxHashSet<EventId> = events.iter().copied().collect();
    let mut clocks = Clocks::new(trace);
    let mut found = FxHashMap::default();
    for id in trace.observed() {
        clocks.pass(id, trace.event(id));
        if wanted.contains(&id) {
            found.insert(id, clocks.of(id.thread).clone());
        }
    }
    found
}
