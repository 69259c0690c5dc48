//! Waits that check what their signaller changes, so that they cannot miss the signal.
//!
//! A wait loop (`while (!ready) wait`, thesis 4.3.2 and Figure 4.6) reads its condition under the lock that the wait gives
//! back. If the signaller changes the condition under the same lock before it signals, then its change comes either before
//! the check, which sees it, or after the beginning of the wait, which the signal then ends. That a wait is in such a loop is
//! known from the compiler's pass ([`Check::InLoop`]); which variables the condition is about is not, so they are taken to be
//! those that the thread reads between taking the lock and the wait, and that the signaller writes.
//!
//! A wait counts if the signaller writes at least one of them before the signal, and each time under the lock.

use foretrace_event::{AtomicId, Check, CondInstance, Event, EventId, IntervalId, LockId, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable that a condition may be about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Variable {
    Plain(IntervalId),
    Atomic(AtomicId),
}

/// The waits of a trace that cannot miss their signal because they check what their signaller changes.
pub fn checked_waits(trace: &Trace) -> FxHashSet<EventId> {
    let of = |thread: ThreadId| {
        let waits = trace.events(thread).enumerate();
        waits.filter_map(move |(index, event)| match event {
            Event::Wait(instance, lock, Check::InLoop) => {
                Some((EventId { thread, index: index as u32 }, instance, lock))
            }
            _ => None,
        })
    };
    let waits: Vec<(EventId, CondInstance, LockId)> = trace.threads().flat_map(of).collect();
    if waits.is_empty() {
        return FxHashSet::default();
    }
    let signals = signals(trace);
    let mut writes = Writes { trace, by_thread: FxHashMap::default() };
    let is_checked = |(wait, instance, lock): &(EventId, CondInstance, LockId)| {
        let Some(signal) = signals.get(instance) else { return false };
        let condition = read_before(trace, *wait, *lock);
        writes.are_under(*lock, &condition, *signal, wait.thread)
    };
    waits.into_iter().filter(is_checked).map(|(wait, ..)| wait).collect()
}

fn signals(trace: &Trace) -> FxHashMap<CondInstance, EventId> {
    let mut signals = FxHashMap::default();
    for thread in trace.threads() {
        for (index, event) in trace.events(thread).enumerate() {
            if let Event::Signal(instance) | Event::Broadcast(instance) = event {
                signals.insert(instance, EventId { thread, index: index as u32 });
            }
        }
    }
    signals
}

/// What the thread has read since it took the lock for this wait.
fn read_before(trace: &Trace, wait: EventId, lock: LockId) -> FxHashSet<Variable> {
    // The wait directly follows the unlock that belongs to it.
    let before = (0..wait.index - 1).rev().map(|index| trace.event(EventId { index, ..wait }));
    let since = before.take_while(|event| !matches!(event, Event::Lock(taken, _) if *taken == lock));
    since.filter_map(read).collect()
}

fn read(event: Event) -> Option<Variable> {
    match event {
        Event::Read(interval) => Some(Variable::Plain(interval)),
        Event::AtomicLoad(atomic, ..) | Event::AtomicRmw(atomic, ..) => Some(Variable::Atomic(atomic)),
        _ => None,
    }
}

fn written(event: Event) -> Option<Variable> {
    match event {
        Event::Write(interval) => Some(Variable::Plain(interval)),
        Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => Some(Variable::Atomic(atomic)),
        _ => None,
    }
}

/// A write, and the plain mutexes that its thread held.
struct Held {
    index: u32,
    locks: Vec<LockId>,
}

/// The writes of the threads that signal, by variable, each thread's collected when it is first asked for.
struct Writes<'a> {
    trace: &'a Trace,
    by_thread: FxHashMap<ThreadId, FxHashMap<Variable, Vec<Held>>>,
}

impl Writes<'_> {
    /// Does the signaller write one of these variables before the signal, and each time under the lock? Writes before it
    /// creates the waiting thread do not count.
    fn are_under(&mut self, lock: LockId, condition: &FxHashSet<Variable>, signal: EventId, waiter: ThreadId) -> bool {
        let trace = self.trace;
        let fork = trace.fork_of(waiter).filter(|fork| fork.thread == signal.thread).map_or(0, |fork| fork.index);
        let writes = self.by_thread.entry(signal.thread).or_insert_with(|| collect(trace, signal.thread));
        let relevant = condition.iter().filter_map(|variable| writes.get(variable)).flatten();
        let mut relevant = relevant.filter(|write| (fork..signal.index).contains(&write.index)).peekable();
        relevant.peek().is_some() && relevant.all(|write| write.locks.contains(&lock))
    }
}

fn collect(trace: &Trace, thread: ThreadId) -> FxHashMap<Variable, Vec<Held>> {
    let (mut held, mut writes) = (Vec::new(), FxHashMap::<_, Vec<Held>>::default());
    for (index, event) in trace.events(thread).enumerate() {
        match event {
            Event::Lock(lock, _) => held.push(lock),
            Event::Unlock(lock) => {
                if let Some(at) = held.iter().rposition(|taken| *taken == lock) {
                    held.remove(at);
                }
            }
            event => {
                if let Some(variable) = written(event) {
                    writes.entry(variable).or_default().push(Held { index: index as u32, locks: held.clone() });
                }
            }
        }
    }
    writes
}
