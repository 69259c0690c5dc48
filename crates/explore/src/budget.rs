//! How much a search may spend.

use std::time::Instant;

/// A limit of executions and of time, and a count of what was spent.
#[derive(Clone, Debug)]
pub struct Budget {
    executions: Option<u64>,
    until: Option<Instant>,
    done: u64,
}

impl Budget {
    /// Without limits.
    pub fn unlimited() -> Self {
        Self { executions: None, until: None, done: 0 }
    }

    /// At most this many executions.
    pub fn executions(self, executions: u64) -> Self {
        Self { executions: Some(executions), ..self }
    }

    /// No execution begins after this moment.
    pub fn until(self, until: Instant) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Is nothing left?
    pub fn spent(&self) -> bool {
        self.executions.is_some_and(|limit| self.done >= limit)
            || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Counts an execution.
    pub fn count(&mut self) {
        self.done += 1;
    }

    /// How many executions were counted.
    pub fn done(&self) -> u64 {
        self.done
    }
}
