//! Notes: what was cut off, dropped, assumed or repaired while a trace was read. Reports print them, and analyses query
//! them.

use std::fmt;

use foretrace_event::ThreadId;

/// One note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// The recorded program did not end in an orderly way: it was killed, crashed, or still runs.
    NotClosed,
    /// The recorder reached its size limit.
    SizeLimit,
    /// The recorder's disk was full.
    DiskFull,
    /// This many events could not be written.
    Lost(u64),
    /// The file ends here, although it should go on.
    CutOff {
        /// Where the file ends.
        byte: u64,
    },
    /// A chunk of this thread's records is missing; its later ones were left out.
    MissingChunk {
        /// The thread's number in the recording.
        thread: u32,
        /// Which chunk.
        sequence: u32,
    },
    /// Events of this thread are missing.
    Gap {
        /// The thread's number in the recording.
        thread: u32,
        /// How many are known to be missing.
        events: u64,
    },
    /// A thread's stamps do not increase; they were treated as if they did.
    UnorderedStamps {
        /// The thread's number in the recording.
        thread: u32,
    },
    /// The rest of a thread was left out, from the first event that the kept ones before it do not allow.
    Cut {
        /// Which thread.
        thread: ThreadId,
        /// The stamp of the first event left out.
        stamp: u64,
        /// Why it is not allowed.
        why: crate::illegal::Illegal,
    },
    /// A thread did something that the events before it do not allow: an error of the program, or the effect of
    /// something that was not recorded. The operation is repaired or left out, and all others of the thread are kept.
    Misuse {
        /// Which thread.
        thread: ThreadId,
        /// Why it is not allowed, the first time.
        why: crate::illegal::Illegal,
        /// Where: the program counter, or zero.
        pc: u64,
        /// How often the thread did so there.
        times: u64,
    },
    /// Operations of threads that had already ended; they were left out.
    AfterEnd(u64),
    /// Initialisers that were running when the recording began.
    RunningBefore {
        /// How many initialisers.
        onces: u32,
    },
    /// Events of signal handlers that interrupted a wait or a barrier; they were left out.
    Interrupting(u64),
    /// Threads that were joined have no end in the recording; it was put before the join.
    MissingEnd {
        /// How many threads.
        threads: u32,
    },
    /// Threads run that no recorded thread created.
    MissingFork {
        /// How many threads.
        threads: u32,
    },
    /// Locks that were held when the recording began.
    HeldBefore {
        /// How many locks.
        locks: u32,
    },
    /// Semaphores whose initial value was not recorded; the smallest legal one was assumed.
    AssumedSemaphores(u32),
    /// Barriers whose count was not recorded; that of the first full phase was assumed.
    AssumedBarriers(u32),
    /// Waits that no signal explains: spurious wake-ups.
    SpuriousWaits(u64),
    /// Operations that a conversion wrote as critical sections of separate locks.
    Sections(u64),
    /// Events that a conversion could not express and left out.
    Unspelled {
        /// What it was.
        what: &'static str,
        /// How many.
        count: u64,
    },
}

impl Note {
    /// Are events of the program missing? Then "nothing found" means little.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::SizeLimit | Self::DiskFull | Self::CutOff { .. } | Self::MissingChunk { .. } | Self::Cut { .. } => {
                true
            }
            Self::AfterEnd(count) | Self::Lost(count) | Self::Gap { events: count, .. } => *count > 0,
            _ => false,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotClosed => {
                write!(f, "the program did not exit normally; the recording ends where it stopped")
            }
            Self::SizeLimit => write!(f, "the recording reached its size limit; later events are missing"),
            Self::DiskFull => write!(f, "the disk was full; later events are missing"),
            Self::Lost(count) => write!(f, "{count} events could not be written"),
            Self::CutOff { byte } => write!(f, "the file is cut off at byte {byte}; it was read up to there"),
            Self::MissingChunk { thread, sequence } => {
                write!(f, "chunk {sequence} of recorded thread {thread} is missing; the rest of the thread is left out")
            }
            Self::Gap { thread, events } => write!(f, "{events} events of recorded thread {thread} are missing"),
            Self::UnorderedStamps { thread } => write!(f, "the stamps of recorded thread {thread} do not increase"),
            Self::Cut { thread, stamp, why } => {
                write!(f, "thread {thread} is read up to stamp {stamp}: {why}")
            }
            Self::Misuse { thread, why, times, .. } => {
                let times = if *times == 1 { String::new() } else { format!(", {times} times") };
                write!(f, "thread {thread} did something impossible{times}: {why}; its other events are kept")
            }
            Self::AfterEnd(count) => write!(f, "{count} operations of threads that had ended are left out"),
            Self::RunningBefore { onces } => write!(f, "{onces} initialisers were running when the recording began"),
            Self::Interrupting(count) => {
                write!(f, "{count} events of signal handlers that interrupted a wait or a barrier are left out")
            }
            Self::MissingEnd { threads } => write!(f, "{threads} joined threads have no recorded end"),
            Self::MissingFork { threads } => write!(f, "{threads} threads have no recorded creation"),
            Self::HeldBefore { locks } => write!(f, "{locks} locks were held when the recording began"),
            Self::AssumedSemaphores(count) => {
                write!(f, "the initial values of {count} semaphores are the smallest that fit")
            }
            Self::AssumedBarriers(count) => write!(f, "the counts of {count} barriers are taken from their first use"),
            Self::SpuriousWaits(count) => write!(f, "{count} waits woke without a signal"),
            Self::Sections(count) => {
                write!(
                    f,
                    "{count} operations on objects other than locks are written as critical sections of separate locks"
                )
            }
            Self::Unspelled { what, count } => {
                write!(f, "{count} {what} cannot be written in this format and are left out")
            }
        }
    }
}
