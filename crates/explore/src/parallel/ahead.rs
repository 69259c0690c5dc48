//! What is run ahead of a search, and who runs it.

use crate::execution::{Execution, Executor};
use crate::plan::Plan;
use crate::search::Search;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most steps of all executions that are kept, for each executor: some 30 megabytes.
const MOST_STEPS: usize = 300_000;
/// A copy of which fewer executions were used was too near.
const NEAR: u64 = 64;
/// A copy that finds so many executions in succession that were run before is of no use.
const MOST_KNOWN: u32 = 64;
/// The most plans that are left to the search itself.
const MOST_LEFT: usize = 1 << 12;
/// So many plans the search runs itself before it looks again for something to be run ahead,
const PAUSE: u64 = 8;
/// and so many after those that were run ahead.
const MISSED: u64 = 4;

/// A copy of a search that goes on by itself.
type Copied = Box<dyn Search + Send>;

/// What the search and those that run ahead share.
pub struct Shared<E> {
    state: Mutex<State<E>>,
    /// Something in the state has changed that somebody waits for.
    changed: Condvar,
}

struct State<E> {
    runs: FxHashMap<u64, Vec<(Plan, Execution)>>,
    /// How many they are, and their steps.
    many: u64,
    steps: usize,
    /// Those who run ahead.
    runners: Vec<Runner>,
    /// Somebody has waited because too much was run ahead.
    was_full: bool,
    /// The search waits for an execution.
    awaits: bool,
    error: Option<E>,
    over: bool,
}

/// Somebody who runs ahead.
#[derive(Default)]
struct Runner {
    /// The next copy, until it is taken.
    copy: Option<Copied>,
    /// What is being run.
    running: Option<Plan>,
    has_nothing_to_do: bool,
}

/// What there is of a plan.
enum Known {
    Run(Execution),
    /// Somebody runs it.
    Running,
    Nothing,
}

fn key(plan: &Plan) -> u64 {
    let mut hasher = FxHasher::default();
    plan.prefix.iter().for_each(|choice| (choice.thread.0, choice.alternative).hash(&mut hasher));
    plan.policy.words().hash(&mut hasher);
    hasher.finish()
}

impl<E> State<E> {
    fn find(&self, plan: &Plan) -> Option<&Execution> {
        let runs = self.runs.get(&key(plan))?;
        runs.iter().find(|(other, _)| other == plan).map(|(_, execution)| execution)
    }

    fn is_running(&self, plan: &Plan) -> bool {
        self.runners.iter().any(|runner| runner.running.as_ref() == Some(plan))
    }

    fn take(&mut self, plan: &Plan) -> Option<Execution> {
        let key = key(plan);
        let runs = self.runs.get_mut(&key)?;
        let at = runs.iter().position(|(other, _)| other == plan)?;
        let (_, execution) = runs.swap_remove(at);
        if runs.is_empty() {
            self.runs.remove(&key);
        }
        (self.many, self.steps) = (self.many - 1, self.steps - size(&execution));
        Some(execution)
    }

    fn put(&mut self, plan: Plan, execution: Execution) {
        (self.many, self.steps) = (self.many + 1, self.steps + size(&execution));
        self.runs.entry(key(&plan)).or_default().push((plan, execution));
    }

    fn clear(&mut self) {
        self.runs.clear();
        (self.many, self.steps) = (0, 0);
    }

    fn is_full(&self) -> bool {
        self.steps > MOST_STEPS * self.runners.len()
    }
}

/// What an execution takes in memory, in steps.
fn size(execution: &Execution) -> usize {
    execution.steps.len() + execution.notes.len() + 1
}

impl<E> Shared<E> {
    /// For so many that run ahead.
    pub fn new(many: usize) -> Self {
        let state = State {
            runs: FxHashMap::default(),
            many: 0,
            steps: 0,
            runners: (0..many).map(|_| Runner { has_nothing_to_do: true, ..Runner::default() }).collect(),
            was_full: false,
            awaits: false,
            error: None,
            over: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<E>>) -> MutexGuard<'a, State<E>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Those who run ahead end when this is dropped.
    pub fn end_when_dropped(&self) -> impl Drop {
        struct End<'a, E>(&'a Shared<E>);
        impl<E> Drop for End<'_, E> {
            fn drop(&mut self) {
                self.0.lock().over = true;
                self.0.changed.notify_all();
            }
        }
        End(self)
    }

    /// What one of them is to go on with; none if it is over.
    fn next_copy(&self, number: usize) -> Option<Copied> {
        let mut state = self.lock();
        loop {
            let is_over = state.over;
            let runner = &mut state.runners[number];
            let copy = runner.copy.take().filter(|_| !is_over);
            runner.has_nothing_to_do = copy.is_none();
            if is_over || copy.is_some() {
                return copy;
            }
            state = self.wait(state);
        }
    }

    /// What there is of the next plan of one of them, who runs it if there is nothing; none if it has to leave its copy. It waits
    /// as long as too much is run ahead, or another runs the plan.
    fn begin(&self, number: usize, plan: &Plan) -> Option<Known> {
        let mut state = self.lock();
        loop {
            if state.over || state.runners[number].copy.is_some() {
                return None;
            }
            if let Some(execution) = state.find(plan) {
                return Some(Known::Run(execution.clone()));
            }
            let is_full = state.is_full();
            if !is_full && !state.is_running(plan) {
                state.runners[number].running = Some(plan.clone());
                return Some(Known::Nothing);
            }
            state.was_full |= is_full;
            state = self.wait(state);
        }
    }

    /// One of them has run its plan.
    fn end(&self, number: usize, plan: Plan, execution: Result<Execution, E>) {
        let mut state = self.lock();
        state.runners[number].running = None;
        match execution {
            Ok(execution) => state.put(plan, execution),
            Err(error) => drop(state.error.get_or_insert(error)),
        }
        if state.awaits || state.runners.len() > 1 {
            self.changed.notify_all();
        }
    }
}

/// Runs ahead until the search is over.
pub fn work<E: Executor>(number: usize, executor: &mut E, shared: &Shared<E::Error>) {
    while let Some(mut copy) = shared.next_copy(number) {
        let mut known = 0;
        while known < MOST_KNOWN
            && let Some(plan) = copy.next()
            && let Some(begun) = shared.begin(number, &plan)
        {
            if let Known::Run(execution) = begun {
                known += 1;
                copy.learn(&execution);
                continue;
            }
            known = 0;
            let execution = executor.execute(&plan);
            let Ok(learnt) = &execution else { return shared.end(number, plan, execution) };
            copy.learn(learnt);
            shared.end(number, plan, execution);
        }
    }
}

/// How the search itself uses what is run ahead.
pub struct Ahead<'a, E> {
    shared: &'a Shared<E>,
    /// How many of its next plans a copy leaves to the search.
    left: usize,
    /// How many executions were used since the copies were renewed that had been run ahead,
    used: u64,
    /// and how many plans in succession the search has run itself.
    own: u64,
}

impl<'a, E> Ahead<'a, E> {
    /// Nothing is run ahead yet.
    pub fn new(shared: &'a Shared<E>) -> Self {
        Self { shared, left: 2, used: 0, own: 0 }
    }

    /// The execution of a plan, if it was run ahead.
    pub fn take(&mut self, plan: &Plan, search: &dyn Search) -> Result<Option<Execution>, E> {
        match self.look(plan)? {
            Known::Run(execution) => {
                (self.used, self.own) = (self.used + 1, 0);
                Ok(Some(execution))
            }
            Known::Running => {
                // Those who run ahead are no longer ahead.
                self.renew(search);
                self.own = 0;
                self.await_run(plan)
            }
            Known::Nothing => {
                if self.is_time_to_renew() {
                    self.renew(search);
                }
                self.own += 1;
                Ok(None)
            }
        }
    }

    fn look(&self, plan: &Plan) -> Result<Known, E> {
        let mut state = self.shared.lock();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        let was_full = state.is_full();
        let found = state.take(plan);
        if was_full && !state.is_full() {
            self.shared.changed.notify_all();
        }
        Ok(match found {
            Some(execution) => Known::Run(execution),
            None if state.is_running(plan) => Known::Running,
            None => Known::Nothing,
        })
    }

    fn await_run(&self, plan: &Plan) -> Result<Option<Execution>, E> {
        let mut state = self.shared.lock();
        state.awaits = true;
        while state.is_running(plan) {
            state = self.shared.wait(state);
        }
        state.awaits = false;
        match state.error.take() {
            Some(error) => Err(error),
            None => Ok(state.take(plan)),
        }
    }

    fn is_time_to_renew(&self) -> bool {
        let state = self.shared.lock();
        let idle = state.runners.iter().any(|runner| runner.has_nothing_to_do && runner.copy.is_none());
        let in_vain = state.is_full() && self.own >= state.many;
        self.used > 0 && self.own + 1 == MISSED || (idle || in_vain) && self.own.is_multiple_of(PAUSE)
    }

    /// Gives those who run ahead new copies.
    fn renew(&mut self, search: &dyn Search) {
        let many = self.make_room();
        let copies: Vec<_> = (1..=many).map(|number| copy(search, &mut self.left, number)).collect();
        let mut state = self.shared.lock();
        for (runner, copy) in state.runners.iter_mut().zip(copies) {
            runner.copy = copy;
        }
        self.shared.changed.notify_all();
        self.used = 0;
    }

    /// Forgets what takes too much room, and learns how far ahead copies have to be. How many run ahead.
    fn make_room(&mut self) -> usize {
        let mut state = self.shared.lock();
        if std::mem::take(&mut state.was_full) {
            self.left = (self.left / 2).max(1);
        } else if (1..NEAR).contains(&self.used) {
            self.left = (2 * self.left).min(MOST_LEFT);
        }
        if state.is_full() {
            state.clear();
        }
        state.runners.len()
    }
}

/// A copy that leaves out the next plans, so many for each of those who run ahead up to this one. If there are not as many, it
/// leaves out fewer.
fn copy(search: &dyn Search, left: &mut usize, number: usize) -> Option<Copied> {
    loop {
        let mut copy = search.copy();
        if (0..number * *left).all(|_| copy.next().is_some()) {
            return Some(copy);
        }
        if *left == 1 {
            return None;
        }
        *left /= 2;
    }
}
