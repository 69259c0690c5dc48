//! The state of an execution: threads, variables and what synchronises them.

use crate::clocks::Clocks;
use crate::execution::{End, Note};
use foretrace_event::{ThreadId, ThreadSet};

/// How many registers a thread has.
pub const REGISTERS: usize = 8;

/// What an execution has come to.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub threads: Vec<Thread>,
    pub variables: Vec<i64>,
    /// For each variable, who wrote it last, and at which step.
    pub written: Vec<(usize, ThreadId)>,
    pub mutexes: Vec<Mutex>,
    pub semaphores: Vec<u64>,
    pub barriers: Vec<Barrier>,
    pub onces: Vec<Once>,
    pub clocks: Clocks,
    pub end: Option<End>,
    pub now: usize,
    pub notes: Vec<Note>,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub pc: usize,
    pub registers: [i64; REGISTERS],
    pub phase: Phase,
    /// It has been cancelled,
    pub cancelled: bool,
    /// and has noticed it in a wait that it has not left yet.
    pub noticed: bool,
    /// When its steps were, and which variables they read.
    pub steps: Vec<(usize, Option<usize>)>,
    /// Where the branches end that it is in.
    pub ends: Vec<usize>,
}

/// Where a thread is within its instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    #[default]
    Ready,
    /// Not created.
    Absent,
    /// Created, and its first step is to come.
    Created,
    /// In the set of waiters of a condition.
    Waiting,
    /// Woken.
    Woken,
    /// At a barrier, in this generation.
    Arrived {
        generation: u32,
    },
    Ended,
}

/// A mutex or a read-write lock.
#[derive(Clone, Debug, Default)]
pub struct Mutex {
    pub owner: Option<ThreadId>,
    pub readers: ThreadSet,
}

/// A barrier, and the serial thread of each of its generations.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    pub generation: u32,
    pub arrived: ThreadSet,
    pub serial: Vec<ThreadId>,
}

/// How far an initialisation that runs once has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Once {
    #[default]
    New,
    Running,
    Done,
}
