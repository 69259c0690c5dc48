//! What a check may use, and what it answers when that is not enough.

use crate::refine::search::Progress;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bounds on one assertion. The default has none but memory, so that a runaway script ends with a message.
#[derive(Clone, Debug)]
pub struct Budget {
    pub max_states: u64,
    /// Bytes of stored states and terms.
    pub max_memory: u64,
    pub timeout: Option<Duration>,
    pub threads: usize,
    /// How many counterexamples of the shortest length are wanted.
    pub counterexamples: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { max_states: u64::MAX, max_memory: 8 << 30, timeout: None, threads: 1, counterexamples: 1 }
    }
}

/// Which bound was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    States(u64),
    Memory(u64),
    Time(Duration),
    /// A state would need this many words.
    Width(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::States(n) => write!(f, "more than {n} states; raise --max-states"),
            Limit::Memory(n) => write!(f, "more than {} MB of memory; raise --max-memory", n >> 20),
            Limit::Width(n) => write!(f, "a state of {n} words, the most is 64; compress some components"),
            Limit::Time(t) => write!(f, "more than {:.1} s; raise --timeout", t.as_secs_f64()),
        }
    }
}

/// A budget being spent.
#[derive(Clone, Debug)]
pub struct Meter {
    pub budget: Budget,
    started: Instant,
    /// How far the search in hand has come, for an answer that says why there is none.
    progress: Arc<Mutex<Progress>>,
}

impl Meter {
    pub fn new(budget: Budget) -> Self {
        Meter { budget, started: Instant::now(), progress: Arc::default() }
    }

    /// The same budget, with what is spent of it, for a search that is not worth several threads.
    pub fn on_one_thread(&self) -> Self {
        Meter { budget: Budget { threads: 1, ..self.budget.clone() }, ..self.clone() }
    }

    /// The same budget with a lower bound on states.
    pub fn with_states(&self, most: u64) -> Self {
        let max_states = most.min(self.budget.max_states);
        Meter { budget: Budget { max_states, ..self.budget.clone() }, ..self.clone() }
    }

    pub fn note(&self, progress: Progress) {
        *self.progress.lock().expect("nobody panics while it is noted") = progress;
    }

    pub fn progress(&self) -> Progress {
        *self.progress.lock().expect("nobody panics while it is noted")
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn check(&self, states: u64, bytes: u64) -> Result<(), Limit> {
        if states > self.budget.max_states {
            return Err(Limit::States(self.budget.max_states));
        }
        if bytes > self.budget.max_memory {
            return Err(Limit::Memory(self.budget.max_memory));
        }
        self.check_time()
    }

    pub fn check_time(&self) -> Result<(), Limit> {
        match self.budget.timeout {
            Some(limit) if self.started.elapsed() > limit => Err(Limit::Time(limit)),
            _ => Ok(()),
        }
    }
}
