//! The limits of the work on a question.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of one search. Limits on states make answers repeatable; a deadline does not, and is off by default.
#[derive(Clone, Debug)]
pub struct Budget {
    /// States to visit.
    pub states: u64,
    /// Bytes for stored states.
    pub bytes: u64,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set to stop now: Ctrl-C.
    pub stop: Option<&'static AtomicBool>,
    /// Raised when the memory of the process is used up.
    pub memory: Option<&'static AtomicBool>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: 2_000_000, bytes: 1 << 30, deadline: None, stop: None, memory: None }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unknown {
    /// This many states were visited, and there were more.
    States(u64),
    /// The states did not fit in this many bytes.
    Bytes(u64),
    /// The deadline passed.
    Time,
    /// The user asked to stop.
    Stopped,
    /// The memory of the process was used up.
    Memory,
    /// The program has more threads than a packed state can hold.
    Threads(usize),
    /// This many states were visited for blocks that come from one place and are used at the same places.
    Alike(u64),
    /// This many pairs of accesses were searched, and there were more.
    Pairs(usize),
    /// This many cycles of lock requests were examined, and there were more.
    Cycles(usize),
    /// The checker of a script in CSP_M met a limit.
    Script,
    /// A property has more than this many instances.
    Instances(usize),
    /// Only windows of the trace were searched.
    Window,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States(states) => write!(f, "the budget of {states} states was used up"),
            Self::Alike(states) => write!(f, "the budget of {states} states for blocks of this kind was used up"),
            Self::Bytes(bytes) => write!(f, "the budget of {} MiB was used up", bytes >> 20),
            Self::Time => write!(f, "the time limit was reached"),
            Self::Stopped => write!(f, "stopped on request"),
            Self::Memory => write!(f, "the memory was used up"),
            Self::Pairs(pairs) => write!(f, "{pairs} pairs of accesses were tried, and there are more"),
            Self::Cycles(cycles) => write!(f, "{cycles} lock cycles were tried, and there are more"),
            Self::Script => write!(f, "the check of the script met a limit"),
            Self::Instances(most) => write!(f, "the property has more than {most} instances"),
            Self::Window => write!(f, "only windows of the run were searched, not reorderings across them"),
            Self::Threads(threads) => write!(f, "{threads} threads are too many to search"),
        }
    }
}

impl Budget {
    /// With this many states.
    pub fn of_states(states: u64) -> Self {
        Self { states, ..Self::default() }
    }

    /// A budget that ends after this time.
    pub fn within(self, time: Duration) -> Self {
        Self { deadline: Some(Instant::now() + time), ..self }
    }

    /// Is it used up after this many states in this many bytes?
    pub(crate) fn spent(&self, states: u64, bytes: u64) -> Option<Unknown> {
        if states >= self.states {
            Some(Unknown::States(self.states))
        } else if bytes > self.bytes {
            Some(Unknown::Bytes(self.bytes))
        } else {
            self.interrupted()
        }
    }

    /// Has the user asked to stop, or has the deadline passed, or is the memory used up?
    pub fn interrupted(&self) -> Option<Unknown> {
        let is_raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.stop.is_some_and(is_raised) {
            Some(Unknown::Stopped)
        } else if self.memory.is_some_and(is_raised) {
            Some(Unknown::Memory)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Unknown::Time)
        } else {
            None
        }
    }
}
