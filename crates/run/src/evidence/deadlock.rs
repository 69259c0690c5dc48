//! Threads that will never go on.

use foretrace_event::EventId;
use foretrace_finding::Candidate;
use foretrace_trace::Trace;

use super::Failure;
use crate::{Modules, Run, SeenStuck};

/// The deadlock of a run: nothing goes on after the first.
pub(super) fn in_run(run: &Run) -> Option<Vec<SeenStuck>> {
    Some(run.outcome.deadlock.clone()).filter(|stuck| !stuck.is_empty())
}

impl Failure for Vec<SeenStuck> {
    fn rule(&self) -> &'static str {
        "deadlock"
    }

    fn pcs(&self) -> Vec<u64> {
        self.iter().map(|stuck| stuck.pc).collect()
    }

    fn shows(&self, candidate: &Candidate, _: (&Trace, &Modules), _: &Modules) -> bool {
        let is_stuck = |event: EventId| self.iter().any(|stuck| stuck.thread == event.thread.0);
        matches!(candidate, Candidate::Deadlock(deadlock) if deadlock.events().all(is_stuck))
    }
}
