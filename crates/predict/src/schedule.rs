//! From a path of the search to a schedule.

use foretrace_event::{EventId, ThreadId};
use foretrace_finding::{Schedule, Step};
use foretrace_trace::Trace;

use crate::model::{Program, State};

/// Collects events thread by thread.
pub(crate) struct Writer<'a> {
    failing: &'a [EventId],
    done: Vec<u32>,
    steps: Vec<Step>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(threads: usize, failing: &'a [EventId]) -> Self {
        Self { failing, done: vec![0; threads], steps: Vec::new() }
    }

    /// The events before a window, as recorded.
    pub(crate) fn prefix(&mut self, trace: &Trace, program: &Program, start: &State) {
        let ends: Vec<u32> = (0..program.threads())
            .map(|t| {
                start.cut[t].checked_sub(1).and_then(|last| program.event_at(t, last)).map_or(0, |event| event + 1)
            })
            .collect();
        for id in trace.observed().filter(|id| id.index < ends[id.thread.index()]) {
            self.until(id.thread.index(), id.index + 1);
        }
    }

    /// Takes the steps of a path.
    pub(crate) fn path(&mut self, program: &Program, start: &State, path: &[u32]) {
        let mut cut = start.cut.clone();
        for &thread in path {
            let thread = thread as usize;
            let event =
                program.event_at(thread, cut[thread]).expect("a path has no more steps than there are operations");
            cut[thread] += 1;
            self.until(thread, event + 1);
        }
    }

    /// A thread performs its events up to this one, which stays its next.
    pub(crate) fn until(&mut self, thread: usize, index: u32) {
        while self.done[thread] < index {
            let event = EventId { thread: ThreadId::from_index(thread), index: self.done[thread] };
            self.steps.push(Step { event, fails: self.failing.contains(&event) });
            self.done[thread] += 1;
        }
    }

    /// The schedule after which these events are next.
    pub(crate) fn finish(mut self, next: &[EventId]) -> Schedule {
        next.iter().for_each(|id| self.until(id.thread.index(), id.index));
        Schedule::new(self.steps)
    }
}

/// Lets threads that have performed all their operations finish, so that they help no other thread.
pub(crate) fn finish_threads(program: &Program, schedule: Schedule) -> Schedule {
    let mut done = vec![0; program.threads()];
    schedule.events().for_each(|id| done[id.thread.index()] = id.index + 1);
    let mut steps = schedule.steps().to_vec();
    for (thread, &done) in done.iter().enumerate() {
        if program.position(thread, done) == program.len(thread) {
            let rest =
                (done..program.chain(thread).len).map(|index| EventId { thread: ThreadId::from_index(thread), index });
            steps.extend(rest.map(|event| Step { event, fails: false }));
        }
    }
    Schedule::new(steps)
}
