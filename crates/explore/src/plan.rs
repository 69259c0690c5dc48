//! What an execution is asked to do.

use foretrace_event::visible::Operation;
use foretrace_event::{Policy, ThreadId};

/// Follow the prefix, then go on by the policy, without ever scheduling a sleeping thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The decisions from the start. All must be followed.
    pub prefix: Vec<Choice>,
    /// Who is asleep after the prefix, with the operation each stands before. A sleeper wakes when another thread
    /// executes an operation that conflicts with its own.
    pub sleep: Vec<(ThreadId, Operation)>,
    /// How to go on.
    pub policy: Policy,
    /// For each thread, how many interesting steps it is expected to take; used by [`Policy::Surw`] alone.
    pub lengths: Vec<u32>,
}

impl Plan {
    /// These decisions, then the usual policy.
    pub fn new(prefix: Vec<Choice>) -> Self {
        Self { prefix, sleep: Vec::new(), policy: Policy::Stay, lengths: Vec::new() }
    }

    /// No decisions, and a policy.
    pub fn by(policy: Policy) -> Self {
        Self { policy, ..Self::new(Vec::new()) }
    }
}

/// One decision: who runs, and which of its alternatives happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Choice {
    /// Who runs.
    pub thread: ThreadId,
    /// What happens, if the operation leaves that open; 0 is the default.
    pub alternative: u32,
}

impl Choice {
    /// A thread with its default alternative.
    pub const fn of(thread: ThreadId) -> Self {
        Self { thread, alternative: 0 }
    }
}
