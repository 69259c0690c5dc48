//! One search over several executors.
//!
//! The search stays sequential: it learns from executions in the order in which one executor would run them, so what it
//! finds, and in which order, does not depend on how many there are or how fast. The first executor runs what the search
//! proposes. Each of the others runs *ahead*: it has a copy of the search that leaves out some of the next plans and then goes
//! on by itself, in the same order, learning from what it runs. When the search comes to these plans, their executions are
//! there, and to learn from them takes a tenth of the time. When it has used all that was run ahead, the copies are renewed.
//!
//! A copy may have missed something that would have changed its plans; then what it ran is of no use, and is thrown away. How
//! much is run ahead is bounded.

mod ahead;

use crate::budget::Budget;
use crate::execution::{Execution, Executor};
use crate::plan::Plan;
use crate::search::{Finished, Goes, Search};
use ahead::{Ahead, Shared};
use std::thread;

/// Runs a search like [`run`](crate::run), with several executors.
pub fn run_parallel<E>(
    search: &mut dyn Search,
    executors: &mut [E],
    budget: &mut Budget,
    see: impl FnMut(&Plan, &Execution) -> Goes,
) -> Result<Finished, E::Error>
where
    E: Executor + Send,
    E::Error: Send,
{
    let Some((first, others)) = executors.split_first_mut() else { return Ok(Finished::Spent) };
    let shared = Shared::new(others.len());
    thread::scope(|scope| {
        for (number, executor) in others.iter_mut().enumerate() {
            let shared = &shared;
            scope.spawn(move || ahead::work(number, executor, shared));
        }
        let _end = shared.end_when_dropped();
        follow(search, first, budget, see, &shared)
    })
}

/// The search itself.
fn follow<E: Executor>(
    search: &mut dyn Search,
    executor: &mut E,
    budget: &mut Budget,
    mut see: impl FnMut(&Plan, &Execution) -> Goes,
    shared: &Shared<E::Error>,
) -> Result<Finished, E::Error> {
    let mut ahead = Ahead::new(shared);
    loop {
        if budget.spent() {
            return Ok(Finished::Spent);
        }
        let Some(plan) = search.next() else { return Ok(Finished::Exhausted) };
        let execution = match ahead.take(&plan, search)? {
            Some(execution) => execution,
            None => executor.execute(&plan)?,
        };
        budget.count();
        search.learn(&execution);
        if see(&plan, &execution) == Goes::NoFurther {
            return Ok(Finished::Stopped);
        }
    }
}
