//! The oracle: every interleaving of a program of the tiny language, and what can be seen in them.

use foretrace_explore::tiny::{Machine, Never, Program};
use foretrace_explore::{
    Budget, DepthFirst, End, Execution, Executor, Finished, Goes, OpKind, Plan, RaceSeen, Search, Step, run,
};
use std::collections::{BTreeMap, BTreeSet};

/// A class by its first execution: threads, alternatives and what happened. (What woke a waiter is an order, too, but no
/// conflict: the kinds tell such classes apart.)
pub type Class = Vec<(u32, u32, OpKind)>;

/// What a search has seen.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Seen {
    pub outcomes: BTreeSet<(Vec<i64>, Vec<[i64; 8]>, End)>,
    pub races: BTreeSet<RaceSeen>,
    pub failures: BTreeSet<(usize, usize)>,
    /// How often each class was seen.
    pub classes: BTreeMap<Class, u32>,
    pub asleep: u32,
    pub diverged: u32,
    pub executions: u32,
}

/// The lexically first execution that is equivalent: at each step the lowest thread whose event has no predecessor left.
pub fn canonical(steps: &[Step]) -> Class {
    let depends = |a: &Step, b: &Step| a.thread == b.thread || a.operation.conflicts_with(&b.operation);
    let before = |at: usize| (0..at).filter(|&other| depends(&steps[other], &steps[at])).collect::<Vec<_>>();
    let mut before: Vec<Vec<usize>> = (0..steps.len()).map(before).collect();
    let mut left: BTreeSet<(u32, usize)> = (0..steps.len()).map(|at| (steps[at].thread.0, at)).collect();
    let mut order = Vec::new();
    while let Some(&first) = left.iter().find(|(_, at)| before[*at].is_empty()) {
        left.remove(&first);
        before.iter_mut().for_each(|list| list.retain(|&at| at != first.1));
        order.push((first.0, steps[first.1].alternative, steps[first.1].operation.kind));
    }
    order
}

/// A machine whose executions are noted.
struct Noting<'a> {
    machine: Machine<'a>,
    seen: Seen,
}

impl Executor for Noting<'_> {
    type Error = Never;

    fn execute(&mut self, plan: &Plan) -> Result<Execution, Never> {
        let execution = self.machine.execute(plan)?;
        let seen = &mut self.seen;
        seen.executions += 1;
        match execution.end {
            End::AllAsleep => seen.asleep += 1,
            End::Diverged { .. } => seen.diverged += 1,
            _ => {
                let (variables, registers) = self.machine.outcome();
                seen.outcomes.insert((variables, registers, execution.end.clone()));
                *seen.classes.entry(canonical(&execution.steps)).or_default() += 1;
            }
        }
        seen.failures.extend(self.machine.failed());
        seen.races.extend(execution.races.iter().copied());
        Ok(execution)
    }
}

/// Runs a search to its end, or says that it would take more executions than this.
pub fn explore(program: &Program, search: &mut dyn Search, most: u64) -> Option<Seen> {
    explore_with(Machine::new(program), search, most)
}

/// The same with a machine.
pub fn explore_with(machine: Machine<'_>, search: &mut dyn Search, most: u64) -> Option<Seen> {
    let mut noting = Noting { machine, seen: Seen::default() };
    let mut budget = Budget::unlimited().executions(most);
    match run(search, &mut noting, &mut budget, |_, _| Goes::On) {
        Ok(Finished::Exhausted) => Some(noting.seen),
        Ok(_) => None,
        Err(never) => match never {},
    }
}

/// Every interleaving.
pub fn everything(program: &Program, most: u64) -> Option<Seen> {
    explore(program, &mut DepthFirst::default(), most)
}
