//! One search over several executors.
//!
//! The search stays sequential: it learns from executions in the order in which one executor would run them, so what it
//! finds, and in which order, does not depend on how many there are or how fast. The executors run ahead: the plans that
//! the search will propose if the executions in between bring nothing new ([`Search::upcoming`]). In a depth-first search
//! those are the branches that are open on the current path, and their plans do not change until they are due. The search
//! itself takes some ten microseconds an execution, so it keeps dozens of processes busy.

use crate::budget::Budget;
use crate::execution::{Execution, Executor};
use crate::plan::Plan;
use crate::search::{Finished, Goes, Search};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The most executions that each executor may be ahead.
const AHEAD: usize = 32;

/// Runs a search like [`run`](crate::run), with several executors.
pub fn run_parallel<E>(
    search: &mut dyn Search,
    executors: &mut [E],
    budget: &mut Budget,
    mut see: impl FnMut(&Plan, &Execution) -> Goes,
) -> Result<Finished, E::Error>
where
    E: Executor + Send,
    E::Error: Send,
{
    thread::scope(|scope| {
        let (done, results) = channel();
        let workers = executors.iter_mut().enumerate().map(|(number, executor)| {
            let (give, take) = channel();
            let done = done.clone();
            scope.spawn(move || work(number, executor, &take, &done));
            Worker { give, busy: None }
        });
        let mut pool = Pool { workers: workers.collect(), results, ahead: Vec::new() };
        loop {
            if budget.spent() {
                return Ok(Finished::Spent);
            }
            let Some(plan) = search.next() else { return Ok(Finished::Exhausted) };
            let execution = pool.execution(&plan, search)?;
            budget.count();
            search.learn(&execution);
            if see(&plan, &execution) == Goes::NoFurther {
                return Ok(Finished::Stopped);
            }
        }
    })
}

type Answer<E> = (usize, Result<Execution, E>);

/// Executes plans until there are no more.
fn work<E: Executor>(number: usize, executor: &mut E, take: &Receiver<Plan>, done: &Sender<Answer<E::Error>>) {
    for plan in take {
        if done.send((number, executor.execute(&plan))).is_err() {
            return;
        }
    }
}

struct Worker {
    give: Sender<Plan>,
    busy: Option<Plan>,
}

struct Pool<E> {
    workers: Vec<Worker>,
    results: Receiver<Answer<E>>,
    /// What was run ahead.
    ahead: Vec<(Plan, Execution)>,
}

impl<E> Pool<E> {
    /// The execution of a plan. While it runs, other executors run ahead.
    fn execution(&mut self, plan: &Plan, search: &dyn Search) -> Result<Execution, E> {
        let found = self.ahead.iter().position(|(ahead, _)| ahead == plan);
        if let Some(at) = found {
            let (_, execution) = self.ahead.swap_remove(at);
            self.look_ahead(search);
            return Ok(execution);
        }
        self.give(plan.clone());
        self.look_ahead(search);
        loop {
            let (done, execution) = self.receive()?;
            if done == *plan {
                return Ok(execution);
            }
            self.ahead.push((done, execution));
            self.give(plan.clone());
            self.look_ahead(search);
        }
    }

    fn receive(&mut self) -> Result<(Plan, Execution), E> {
        let (number, result) = self.results.recv().expect("the executors run as long as the search");
        let plan = self.workers[number].busy.take().expect("it was given a plan");
        Ok((plan, result?))
    }

    /// Gives a plan to an executor that has none, unless it is running or was run.
    fn give(&mut self, plan: Plan) {
        let known = self.workers.iter().any(|worker| worker.busy.as_ref() == Some(&plan))
            || self.ahead.iter().any(|(ahead, _)| *ahead == plan);
        let idle = self.workers.iter_mut().find(|worker| worker.busy.is_none());
        if let Some(worker) = idle.filter(|_| !known) {
            worker.give.send(plan.clone()).expect("the executors run as long as the search");
            worker.busy = Some(plan);
        }
    }

    /// Gives all idle executors something to do. What was run ahead is due at some time, so it is forgotten only if there
    /// is too much of it.
    fn look_ahead(&mut self, search: &dyn Search) {
        if self.workers.iter().all(|worker| worker.busy.is_some()) {
            return;
        }
        let upcoming = search.upcoming(2 * self.workers.len() + self.ahead.len());
        if self.ahead.len() > AHEAD * self.workers.len() {
            self.ahead.retain(|(plan, _)| upcoming.contains(plan));
        }
        upcoming.into_iter().for_each(|plan| self.give(plan));
    }
}
