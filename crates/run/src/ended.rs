//! How a process ended.

use std::process::ExitStatus;
use std::time::Duration;

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Its number.
    pub process: u32,
    /// Its status.
    pub status: ExitStatus,
    /// Why it was killed, if it was.
    pub cut_short: Option<CutShort>,
    /// How long it ran.
    pub time: Duration,
}

/// Why a process is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutShort {
    /// Its time was up.
    TimeUp,
    /// Somebody asked to stop.
    Stopped,
    /// None of its threads could ever go on.
    Stuck,
    /// It waited for input from outside: a connection, a pipe or a terminal.
    Outside,
    /// Its client had ended.
    Served,
}
