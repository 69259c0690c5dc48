//! The definition as a program: all orders, one after the other. Slow; what the solver is compared with.

use crate::goals::Goal;
use crate::model::machine::{Machine, Outcome, State};
use crate::model::{Extent, Modelled};
use foretrace_ctp::{Action, EventId, ThreadId};
use rustc_hash::FxHashSet;

/// A moment, and what of the past the question depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Moment {
    state: State,
    last: Option<ThreadId>,
    switches: u32,
    /// The events of the goal, in the order in which they happened.
    past: Vec<EventId>,
    failed: bool,
}

/// Whether some order with at most this many context switches reaches the goal; `None` after too many moments.
pub fn reachable(modelled: &Modelled, goal: &Goal, extent: Extent, switches: Option<u32>, most: usize) -> Option<bool> {
    let machine = Machine::following(modelled, &[]);
    let start = Moment { state: machine.state.clone(), last: None, switches: 0, past: Vec::new(), failed: false };
    let (mut open, mut seen) = (vec![start.clone()], FxHashSet::default());
    seen.insert(start);
    while let Some(moment) = open.pop() {
        if seen.len() > most {
            return None;
        }
        let mut machine = machine.clone();
        machine.state = moment.state.clone();
        if reached(&machine, &moment, goal, extent) {
            return Some(true);
        }
        if moment.failed && extent == Extent::Prefix {
            continue;
        }
        for thread in (0..modelled.ctp.threads.len() as u32).map(ThreadId) {
            let next = successors(&machine, &moment, goal, extent, thread);
            let next = next.into_iter().filter(|next| switches.is_none_or(|most| next.switches <= most));
            open.extend(next.filter(|next| seen.insert(next.clone())));
        }
    }
    Some(false)
}

fn successors(machine: &Machine, moment: &Moment, goal: &Goal, extent: Extent, thread: ThreadId) -> Vec<Moment> {
    let Some(id) = machine.next(thread) else { return Vec::new() };
    let one = |choice| {
        let mut machine = machine.clone();
        let outcome = machine.step(thread, choice)?;
        let asked = goal.fails == Some(id);
        // Another assertion that fails ends the run.
        if outcome == Outcome::Failed && !asked && extent == Extent::Prefix {
            return None;
        }
        let mut next = moment.clone();
        next.state = machine.state;
        next.switches += u32::from(moment.last.is_some_and(|last| last != thread));
        next.last = Some(thread);
        next.failed |= asked && outcome == Outcome::Failed;
        let ordered = goal.before.iter().any(|(a, b)| *a == id || *b == id);
        next.past.extend(ordered.then_some(id));
        Some(next)
    };
    (0..machine.choices(thread)).filter_map(one).collect()
}

fn reached(machine: &Machine, moment: &Moment, goal: &Goal, extent: Extent) -> bool {
    let place = |id: &EventId| moment.past.iter().position(|past| past == id);
    let ordered = |(a, b): &(EventId, EventId)| match (place(a), place(b)) {
        (Some(a), Some(b)) => a < b,
        _ => false,
    };
    let fails = |id: EventId| match machine.action(id) {
        Action::Assume(condition) => machine.next(id.thread) == Some(id) && machine.evaluate(condition) == 0,
        _ => moment.failed,
    };
    goal.done.iter().all(|id| machine.happened(*id))
        && goal.next.iter().all(|id| machine.next(id.thread) == Some(*id))
        && goal.before.iter().all(ordered)
        && goal.fails.is_none_or(fails)
        && (extent == Extent::Prefix || machine.finished())
}
