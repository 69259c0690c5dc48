//! What happened in an execution, and who runs it.

use crate::plan::{Choice, Plan};
use crate::summary::Summary;
use foretrace_event::visible::{ObjectId, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use std::sync::Arc;

/// Runs the program. One execution at a time; several executors may run side by side.
///
/// The same prefix must lead to the same steps, with the same numbers for threads and objects.
pub trait Executor {
    /// Why the program could not be run at all.
    type Error;

    /// Runs the program once under a plan.
    fn execute(&mut self, plan: &Plan) -> Result<Execution, Self::Error>;
}

/// One visible operation and the invisible code behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who.
    pub thread: ThreadId,
    /// Which alternative happened.
    pub alternative: u32,
    /// How many there were; at least 1.
    pub alternatives: u32,
    /// What, as it happened.
    pub operation: Operation,
    /// Who could have gone on instead, and `thread` itself.
    pub enabled: ThreadSet,
    /// Where in the program: a return address, or 0 if unknown.
    pub place: u64,
}

impl Step {
    /// The decision that led to it.
    pub fn choice(&self) -> Choice {
        Choice { thread: self.thread, alternative: self.alternative }
    }
}

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// The threads that have not ended, with the operation each stands before.
    pub pending: Vec<(ThreadId, Operation)>,
    /// How it ended.
    pub end: End,
    /// The data races that the executor saw.
    pub races: Vec<RaceSeen>,
    /// What threads did between their steps, if the executor sees it; used for [pruning](crate::Pruning) alone.
    pub notes: Vec<Note>,
}

/// What a thread did between its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Who.
    pub thread: ThreadId,
    /// Before which step, of all threads, from 0.
    pub before: usize,
    /// What.
    pub what: What,
}

/// What a note says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The thread entered a side of a branch; what the other sides may do, if that is known.
    Enter(Option<Arc<Summary>>),
    /// It left the branch that it entered last: all sides meet here.
    Leave,
    /// It read or wrote memory, which no step says.
    Access {
        /// The plain access.
        operation: Operation,
        /// What the same code may access with other values.
        reach: Reach,
        /// What it reads goes nowhere but back to the same memory, as in `x++`.
        quiet: bool,
    },
    /// With other values, the operation of the thread's next step may be on another object.
    Moves,
    /// From here on, with other values, nothing is known about its addresses.
    Unsure,
    /// It ran code of which nothing is known.
    Unknown,
}

/// What code may access with other values in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The same.
    Same,
    /// Something within so many bytes from an address on.
    Within(ObjectId, u64),
    /// Anything.
    Anything,
}

impl Execution {
    /// The decisions that lead to it.
    pub fn choices(&self) -> Vec<Choice> {
        self.steps.iter().map(Step::choice).collect()
    }
}

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum End {
    /// The process ended by itself.
    Completed {
        /// Its exit code.
        code: i32,
    },
    /// Threads are left, and none is enabled.
    Deadlock,
    /// Threads are left, none is enabled, and some of them wait in loops.
    Livelock,
    /// Threads are enabled, and all of them are asleep: what follows was run elsewhere.
    AllAsleep,
    /// The process died of a signal, or a check of its own failed.
    Crashed {
        /// The signal.
        signal: i32,
    },
    /// The prefix could not be followed, or the program did something else than before.
    Diverged {
        /// At which decision.
        at: usize,
        /// What was there.
        why: Divergence,
    },
    /// Threads are left and none is enabled, but a signal or a cancellation may wake one.
    AwaitsSignal,
    /// The process took too long.
    TimedOut,
    /// The execution has more steps, threads or objects than the executor can record.
    TooLarge,
}

impl End {
    /// Is it an error of the program?
    pub fn fails(&self) -> bool {
        match self {
            Self::Completed { code } => *code != 0,
            Self::Deadlock | Self::Livelock | Self::Crashed { .. } => true,
            Self::AllAsleep | Self::Diverged { .. } | Self::AwaitsSignal | Self::TimedOut | Self::TooLarge => false,
        }
    }
}

/// Why a prefix could not be followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Divergence {
    /// The thread that was to run is blocked.
    Blocked,
    /// The thread that was to run does not exist, or has ended.
    NoThread,
    /// There is no such alternative.
    NoAlternative,
    /// The process ended before.
    Ended,
}

/// Two accesses that raced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RaceSeen {
    /// Where in memory: the first byte they share.
    pub object: ObjectId,
    /// How many bytes they share.
    pub size: u64,
    /// Who made the access that came first.
    pub first: ThreadId,
    /// Where in the program it is made.
    pub first_place: u64,
    /// Who made the other.
    pub second: ThreadId,
    /// Where that is made.
    pub second_place: u64,
}
