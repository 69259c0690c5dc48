//! Errors of a recording: one line each, with the file and the byte.

use std::io;
use std::path::PathBuf;

use foretrace_event::layout::VERSION;
use foretrace_event::wire::WireError;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: byte 0: not a Foretrace recording", path.display())]
    NotARecording {
        /// Which file.
        path: PathBuf,
    },
    /// The file is shorter than its header.
    #[error("{}: byte {length}: the file ends within its header", path.display())]
    NoHeader {
        /// Which file.
        path: PathBuf,
        /// How long it is.
        length: u64,
    },
    /// Another version wrote it.
    #[error("{}: byte 8: recording version {found}, but this tool reads version {VERSION}; record the program again", path.display())]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A process has not ended and still writes to it.
    #[error("{}: process {process} still runs and writes this recording; read it after that process has ended", path.display())]
    BeingWritten {
        /// Which file.
        path: PathBuf,
        /// Which process.
        process: u64,
    },
    /// Reading was stopped on request or by a limit of time or memory.
    #[error("{}: reading was stopped before the end", path.display())]
    Stopped {
        /// Which file.
        path: PathBuf,
    },
    /// The bytes are malformed.
    #[error("{}: byte {byte}: {damage}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// The byte's position.
        byte: u64,
        /// What is wrong there.
        damage: Damage,
    },
    /// A line of a side file is malformed.
    #[error("{}: line {line}: expected `{expected}`", path.display())]
    SideFile {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What the line should look like.
        expected: &'static str,
    },
}

/// How bytes of the `events` file are malformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// A record.
    #[error("thread {thread}: {error}")]
    Record {
        /// Whose record.
        thread: u32,
        /// What is wrong with it.
        error: WireError,
    },
    /// The header's next free byte lies in the header.
    #[error("the header says the next chunk is at byte {0}, within the header")]
    Next(u64),
    /// A chunk of unknown kind.
    #[error("unknown kind of chunk {0}")]
    Kind(u32),
    /// A chunk too small for its own header.
    #[error("a chunk of {0} bytes is smaller than its header")]
    Capacity(u32),
    /// A chunk larger than the recorder makes them.
    #[error("a chunk of {0} bytes is larger than any recorder writes")]
    Large(u32),
    /// A chunk that uses more than it has.
    #[error("a chunk of {capacity} bytes claims to use {used}")]
    Used {
        /// What it says it uses.
        used: u32,
        /// What it has.
        capacity: u32,
    },
    /// A chunk of a thread that never existed.
    #[error("a chunk names thread {thread}, but there were only {threads} threads")]
    Thread {
        /// Whose chunk it says it is.
        thread: u32,
        /// How many threads there were.
        threads: u64,
    },
    /// An open line whose place lies in no window of the program's code.
    #[error("thread {thread}: the place of a touched line is not in the program's code")]
    Line {
        /// Whose table.
        thread: u32,
    },
}
