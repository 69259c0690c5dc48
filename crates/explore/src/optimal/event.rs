//! An event of an execution.

use crate::plan::Choice;
use foretrace_event::ThreadId;
use foretrace_event::visible::Operation;

/// An event: a step with its place in its thread.
#[derive(Clone, Debug)]
pub struct Event {
    pub thread: ThreadId,
    /// Its number in its thread, from 1.
    pub index: u32,
    pub alternative: u32,
    pub operation: Operation,
    /// The position of its thread's event before it.
    pub before: Option<u32>,
}

impl Event {
    pub fn choice(&self) -> Choice {
        Choice { thread: self.thread, alternative: self.alternative }
    }
}
