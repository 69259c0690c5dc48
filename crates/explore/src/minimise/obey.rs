//! Runs the program under ordering constraints: where an execution breaks one, it is run again with another decision there.

use super::order::Constraint;
use super::trial::Trial;
use crate::execution::{Execution, Executor, Step};
use crate::plan::{Choice, Plan};
use foretrace_event::{Policy, ThreadId};
use rustc_hash::FxHashMap;

/// How often an execution is run again to keep all constraints.
const ATTEMPTS: usize = 200;

/// What came of it.
pub enum Obeyed {
    /// An execution in which all constraints hold.
    Yes(Box<Execution>),
    /// They cannot all be kept, as far as was tried.
    No,
    /// The budget was spent.
    Spent,
}

/// An execution that keeps the constraints and otherwise goes by the policy.
pub fn obey<E: Executor>(
    trial: &mut Trial<'_, E>,
    constraints: &[Constraint],
    policy: Policy,
) -> Result<Obeyed, E::Error> {
    let mut prefix = Vec::new();
    for _ in 0..ATTEMPTS {
        let plan = Plan { policy, ..Plan::new(prefix) };
        let Some(execution) = trial.run(&plan)? else { return Ok(Obeyed::Spent) };
        if execution.steps.len() < plan.prefix.len() {
            return Ok(Obeyed::No);
        }
        match mend(&execution.steps, constraints) {
            Mended::NotNeeded => return Ok(Obeyed::Yes(Box::new(execution))),
            Mended::Impossible => return Ok(Obeyed::No),
            Mended::Prefix(mended) => prefix = mended,
        }
    }
    Ok(Obeyed::No)
}

enum Mended {
    NotNeeded,
    Impossible,
    Prefix(Vec<Choice>),
}

/// The decisions up to the first broken constraint, and another one there.
fn mend(steps: &[Step], constraints: &[Constraint]) -> Mended {
    let mut done: FxHashMap<ThreadId, u32> = FxHashMap::default();
    for (at, step) in steps.iter().enumerate() {
        if let Some(broken) = waits(&done, constraints, step.thread) {
            let free = |&thread: &ThreadId| waits(&done, constraints, thread).is_none();
            let wanted = broken.first.thread;
            let others = step.enabled.iter().filter(free);
            let Some(chosen) = others.min_by_key(|&thread| (thread != wanted, thread)) else {
                return Mended::Impossible;
            };
            let kept = steps[..at].iter().map(Step::choice);
            return Mended::Prefix(kept.chain([Choice::of(chosen)]).collect());
        }
        *done.entry(step.thread).or_default() += 1;
    }
    Mended::NotNeeded
}

/// The constraint for which a thread's next step has to wait.
fn waits<'c>(
    done: &FxHashMap<ThreadId, u32>,
    constraints: &'c [Constraint],
    thread: ThreadId,
) -> Option<&'c Constraint> {
    let many = |thread: ThreadId| done.get(&thread).copied().unwrap_or(0);
    constraints.iter().find(|constraint| {
        let next = constraint.second.thread == thread && constraint.second.index == many(thread) + 1;
        next && many(constraint.first.thread) < constraint.first.index
    })
}
