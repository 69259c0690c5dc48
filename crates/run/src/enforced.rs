//! A schedule in the form that the runtime reads.

use foretrace_event::schedule::{self, MAGIC, NO_OBJECT, NO_THREAD, Run, Step, VERSION, is_file};
use foretrace_event::wire::Op;
use foretrace_event::{Event, EventId, Object, Sort, ThreadId};
use foretrace_finding::{DelayPoint, Schedule};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

/// Why a schedule cannot be enforced.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotEnforceable {
    /// It names a thread or an event that the trace does not have.
    #[error("the schedule has event {} of thread {}, which the recording does not have", .0.index, .0.thread)]
    NoSuchEvent(EventId),
    /// It skips or repeats an event of a thread.
    #[error("the schedule jumps to event {} of thread {}", .0.index, .0.thread)]
    Jumps(EventId),
    /// A thread takes part whose creation was not recorded, so that it cannot be told apart from others.
    #[error("thread {0} takes part, and its creation was not recorded")]
    Unforked(ThreadId),
    /// An event is to fail that cannot.
    #[error("event {} of thread {} cannot fail", .0.index, .0.thread)]
    CannotFail(EventId),
}

/// A step with its event in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnforcedStep {
    /// The step that the runtime waits for.
    pub step: Step,
    /// Its event in the trace.
    pub event: EventId,
}

/// A schedule that the runtime can enforce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enforced {
    threads: Vec<(u32, u32)>,
    steps: Vec<EnforcedStep>,
    delays: Vec<DelayPoint>,
    leaves_a_wait_open: bool,
}

/// The object of an operation: its sort and its number. A trace numbers each sort of object separately; a schedule
/// numbers all together. Uses of one condition variable are operations on one object.
type Numbered = (Sort, u32);

impl Enforced {
    /// The enforceable form of a schedule over this trace.
    ///
    /// # Errors
    /// If the schedule does not belong to this trace.
    pub fn new(trace: &Trace, schedule: &Schedule) -> Result<Self, NotEnforceable> {
        let threads = tree(trace);
        let mut next = vec![0u32; threads.len()];
        let mut numbers = FxHashMap::default();
        let mut steps = Vec::new();
        for planned in schedule.steps() {
            let event = planned.event;
            check(trace, &mut next, event)?;
            if threads[event.thread.index()].is_none() {
                return Err(NotEnforceable::Unforked(event.thread));
            }
            let operation = step(trace, event);
            let Some((op, object)) = operation else { continue };
            let op = if planned.fails { op.failing().ok_or(NotEnforceable::CannotFail(event))? } else { op };
            let object = number(&mut numbers, object);
            steps.push(EnforcedStep { step: Step { object, op }, event });
        }
        settle_guards(trace, &mut steps);
        let unknown = (NO_THREAD, u32::MAX);
        let threads = threads.into_iter().map(|place| place.unwrap_or(unknown)).collect();
        let leaves_a_wait_open = leaves_a_wait_open(trace, &next);
        Ok(Self { threads, steps, delays: schedule.delays().to_vec(), leaves_a_wait_open })
    }

    /// Does a thread begin a wait on a condition variable that the schedule does not end?
    pub fn leaves_a_wait_open(&self) -> bool {
        self.leaves_a_wait_open
    }

    /// The steps.
    pub fn steps(&self) -> &[EnforcedStep] {
        &self.steps
    }

    /// The contents of the file `schedule`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let objects = self.steps.iter().filter_map(|step| step.step.object.checked_add(1)).max().unwrap_or(0);
        let mut steps = vec![Vec::new(); self.threads.len()];
        let mut orders = vec![Order::default(); 1 + objects as usize];
        for EnforcedStep { step, event } in &self.steps {
            step.encode(&mut steps[event.thread.index()]);
            orders[0].push(event.thread);
            if step.object != NO_OBJECT {
                orders[1 + step.object as usize].push(event.thread);
            }
        }
        let mut delays = Vec::new();
        for place in &self.delays {
            let (after, address, file) = (place.rounds(), place.address(), place.file().as_bytes());
            schedule::DelayPoint { after, address, file }.encode(&mut delays);
        }
        let orders = orders.into_iter().map(Order::end);
        let streams: Vec<Vec<u8>> = steps.into_iter().chain(orders).chain([delays]).collect();
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.threads.len() as u32, objects] {
            bytes.extend(number.to_le_bytes());
        }
        for (parent, place) in &self.threads {
            bytes.extend(parent.to_le_bytes());
            bytes.extend(place.to_le_bytes());
        }
        let mut end = 0;
        for stream in &streams {
            end += stream.len() as u64;
            bytes.extend(end.to_le_bytes());
        }
        streams.iter().for_each(|stream| bytes.extend(stream));
        bytes
    }
}

/// The order of the threads' steps, under construction.
#[derive(Clone, Default)]
struct Order {
    runs: Vec<u8>,
    last: Option<Run>,
}

impl Order {
    fn push(&mut self, thread: ThreadId) {
        match &mut self.last {
            Some(run) if run.thread == thread.0 => run.steps += 1,
            last => {
                if let Some(run) = last.replace(Run { thread: thread.0, steps: 1 }) {
                    run.encode(&mut self.runs);
                }
            }
        }
    }

    fn end(mut self) -> Vec<u8> {
        if let Some(run) = self.last {
            run.encode(&mut self.runs);
        }
        self.runs
    }
}

/// Moves the store that marks a C++ static as initialised directly behind the end of its initialisation. The C++ library does both
/// in one call, and a thread that waits for the static goes on after the store. Nothing is moved over another use of the mark.
fn settle_guards(trace: &Trace, steps: &mut [EnforcedStep]) {
    for done in 0..steps.len() {
        let EnforcedStep { step: Step { op: Op::OnceDone, .. }, event } = steps[done] else { continue };
        let next = EventId { index: event.index + 1, ..event };
        if next.index >= trace.len(next.thread) || !matches!(trace.event(next), Event::AtomicStore(..)) {
            continue;
        }
        let rest = &mut steps[done + 1..];
        let Some(store) = rest.iter().position(|step| step.event == next) else { continue };
        let is_use = |step: &EnforcedStep| step.step.object == rest[store].step.object;
        if !rest[..store].iter().any(is_use) {
            rest[..=store].rotate_right(1);
        }
    }
}

/// Is it the next event of its thread?
fn check(trace: &Trace, next: &mut [u32], event: EventId) -> Result<(), NotEnforceable> {
    let Some(expected) = next.get_mut(event.thread.index()) else { return Err(NotEnforceable::NoSuchEvent(event)) };
    if event.index >= trace.len(event.thread) {
        return Err(NotEnforceable::NoSuchEvent(event));
    }
    if event.index != *expected {
        return Err(NotEnforceable::Jumps(event));
    }
    *expected += 1;
    Ok(())
}

/// Is a wait the first event of some thread that is not in the schedule? `next` has the numbers of these events.
fn leaves_a_wait_open(trace: &Trace, next: &[u32]) -> bool {
    let is_wait = |(thread, index): (ThreadId, &u32)| {
        *index < trace.len(thread)
            && matches!(trace.event(EventId { thread, index: *index }), Event::Wait(..) | Event::FailedWait(_))
    };
    trace.threads().zip(next).any(is_wait)
}

/// Each thread's parent, and how many threads the parent had created before; none if its creation is unknown.
fn tree(trace: &Trace) -> Vec<Option<(u32, u32)>> {
    let mut created = vec![0u32; trace.threads().len()];
    let place = |thread: ThreadId| {
        if thread == ThreadId::MAIN {
            return Some((NO_THREAD, 0));
        }
        let parent = trace.parent(thread)?;
        let before = created[parent.index()];
        created[parent.index()] += 1;
        Some((parent.0, before))
    };
    trace.threads().map(place).collect()
}

fn number(numbers: &mut FxHashMap<Numbered, u32>, object: Option<Numbered>) -> u32 {
    let Some(object) = object else { return NO_OBJECT };
    let next = numbers.len() as u32;
    *numbers.entry(object).or_insert(next)
}

/// Is it a step of schedules? Accesses are not, nor are events of signal handlers, nor uses of files.
pub fn is_step(trace: &Trace, event: EventId) -> bool {
    step(trace, event).is_some()
}

fn step(trace: &Trace, event: EventId) -> Option<(Op, Option<Numbered>)> {
    operation(trace, trace.event(event)).filter(|_| !trace.is_by_handler(event))
}

/// The operation of an event and its object; none for accesses and for files. Threads, custom events and waits without a
/// signal are steps without an object.
fn operation(trace: &Trace, event: Event) -> Option<(Op, Option<Numbered>)> {
    let op = event.kind().op()?;
    let object = match event.object() {
        Some(Object::Channel(channel)) if is_file(trace.channel(channel).address) => return None,
        Some(Object::Thread(_) | Object::Custom(_)) => None,
        Some(Object::Lock(_)) if op == Op::FailedWait => None,
        Some(Object::Condition(id)) => Some((Sort::Condition, trace.instance(id).condition.0)),
        other => other.map(|object| (object.sort(), object.number())),
    };
    Some((op, object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_finding::ScheduleText;

    /// The steps of a schedule, as `thread:index`.
    fn steps(trace: &Trace, schedule: &str) -> Vec<String> {
        let schedule = schedule.parse::<ScheduleText>().unwrap().of(|thread| trace.len(thread)).unwrap();
        let enforced = Enforced::new(trace, &schedule).unwrap();
        enforced.steps().iter().map(|step| format!("{}:{}", step.event.thread, step.event.index)).collect()
    }

    #[test]
    fn the_mark_of_a_static_follows_its_initialisation() {
        let text = "main fork t\nt aload g acquire 0\nmain once_run o\nmain once_done o\nmain astore g release 1\nt once_pass o\n";
        let trace = foretrace_trace::text::parse(text).unwrap();
        // Between the two, a thread that waits for the static cannot go on.
        let moved = steps(&trace, "t0:1 t1:2 t0:2 t1:1 t0:1");
        assert_eq!(moved, ["t0:0", "t1:0", "t1:1", "t0:1", "t0:2", "t0:3", "t1:2"]);
        // A load between the two would read another value.
        let kept = steps(&trace, "t0:3 t1:2 t0:1 t1:1");
        assert_eq!(kept, ["t0:0", "t0:1", "t0:2", "t1:0", "t1:1", "t0:3", "t1:2"]);
    }
}
