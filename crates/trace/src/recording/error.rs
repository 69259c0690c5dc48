//! What can be wrong with a recording: one line, with the file and the byte.

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
    #[error("{}: byte 8: recording version {found}, this tool reads version {VERSION}; record again", path.display())]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A process has not ended and still writes to it.
    #[error("{}: process {process} still runs and writes this recording; read it when that has ended", path.display())]
    BeingWritten {
        /// Which file.
        path: PathBuf,
        /// Which process.
        process: u64,
    },
    /// Somebody asked to stop, or the time was up, or the memory, before all was read.
    #[error("{}: reading was ended before all was read", path.display())]
    Stopped {
        /// Which file.
        path: PathBuf,
    },
    /// The bytes make no sense.
    #[error("{}: byte {byte}: {damage}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where.
        byte: u64,
        /// What is wrong there.
        damage: Damage,
    },
    /// A line of a side file makes no sense.
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

/// What is wrong with bytes of the `events` file.
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
    #[error("a chunk of {0} bytes is larger than any that is made")]
    Large(u32),
    /// A chunk that uses more than it has.
    #[error("a chunk of {capacity} bytes says it uses {used}")]
    Used {
        /// What it says it uses.
        used: u32,
        /// What it has.
        capacity: u32,
    },
    /// A chunk of a thread that never was.
    #[error("a chunk of thread {thread}, but there were only {threads} threads")]
    Thread {
        /// Whose chunk it says it is.
        thread: u32,
        /// How many threads there were.
        threads: u64,
    },
    /// An open line whose place lies in no window of the program's code.
    #[error("thread {thread}: impossible line")]
    Line {
        /// Whose table.
        thread: u32,
    },
}
