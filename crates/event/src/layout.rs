//! Where the records of a recording lie.
//!
//! A recording is a directory:
//!
//! | file | what it holds |
//! | --- | --- |
//! | `events` | the records of all threads, in chunks; only ever appended to |
//! | `open` | what was being written when the recording ended: the last chunk of each thread and the lines of its last segment. It is mapped, shared, by the running program, so it survives the program's death; an orderly end folds it into `events` |
//! | `modules` | one line a mapped file: `start end bias build-id path`, hexadecimal but for the path; an address less the bias is an address in the file; written again, whole, when more is loaded |
//! | `threads` | one line a named thread: `id name` |
//! | `customs` | one line a name of the user's own events: `address name`, the address in hexadecimal |
//! | `strings` | one line a text that the user's own events carry: `number text`, the number in hexadecimal; a line break in the text is `\n`, a backslash `\\` |
//! | `run` | what was run and how it ended, `key=value` lines written by the command line tool |
//!
//! `events` and `open` have the same layout: a header of [`HEADER_SIZE`] bytes, then chunks. While `open` exists, the
//! counters in its header are the valid ones. A chunk begins at a multiple of [`UNIT`] with a header of
//! [`CHUNK_HEADER_SIZE`] bytes and takes `capacity` bytes, header included. A unit that does not begin with
//! [`CHUNK_MAGIC`] belongs to a chunk whose writing was cut short: readers skip it.
//!
//! Writers fill a chunk's bytes first and then raise its `used`, so a reader never sees half a record. When a thread's
//! chunk in `open` is full, it is copied to `events`, then emptied, then given the next sequence number. A program that
//! is killed in between leaves the same chunk in both files: the one with more used bytes counts, and the one in `open`
//! if they are equal.
//!
//! Where `events` is a ring, read by a monitor while it is written ([`header::READ`]), a chunk for which there is no room is
//! left out and its sequence number is missing: the thread has a gap there.
//!
//! A *table* chunk holds the lines a thread has touched in the segment it was in when the recording ended: entries as
//! [`crate::table`] describes them.

/// The first bytes of `events` and `open`.
pub const MAGIC: [u8; 8] = *b"FTRACE\r\n";

/// The version of this layout and of the records. Readers refuse others.
pub const VERSION: u32 = 4;

/// Bytes before the first chunk.
pub const HEADER_SIZE: usize = 4096;

/// Chunks begin at multiples of this.
pub const UNIT: usize = 512;

/// The first four bytes of a chunk, as a little-endian number.
pub const CHUNK_MAGIC: u32 = u32::from_le_bytes(*b"chnk");

/// Bytes of a chunk before its records.
pub const CHUNK_HEADER_SIZE: usize = 32;

/// Offsets into the header. Fields have eight bytes unless stated otherwise; each counter has its own cache line.
pub mod header {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// Four bytes: [`super::VERSION`].
    pub const VERSION: usize = 8;
    /// Four bytes: [`super::Flags`].
    pub const FLAGS: usize = 12;
    /// The process id of the recorded program.
    pub const PID: usize = 16;
    /// The clocks when the recording began and a little later, if that was requested: twice a stamp and the nanoseconds
    /// since 1970.
    pub const CLOCK: usize = 24;
    /// Where this file ends: no chunk begins here or later.
    pub const NEXT: usize = 256;
    /// In `open`: where `events` ends.
    pub const APPEND: usize = 640;
    /// How many threads there have been: thread ids are below it.
    pub const THREADS: usize = 384;
    /// How many events could not be written.
    pub const LOST: usize = 512;
    /// In `open`: the position in `events` up to which a concurrent reader has evaluated it. The bytes before it may be
    /// a hole, and do not count towards the limit.
    pub const READ: usize = 768;
    /// The windows of the program's code that entries of tables name places in: [`crate::table::WINDOWS`] of them.
    pub const WINDOWS: usize = 1024;
}

/// Offsets into a chunk's header; four bytes each.
pub mod chunk {
    /// [`super::CHUNK_MAGIC`].
    pub const MAGIC: usize = 0;
    /// [`super::ChunkKind`].
    pub const KIND: usize = 4;
    /// The thread whose chunk it is.
    pub const THREAD: usize = 8;
    /// The number of earlier chunks of this kind and thread.
    pub const SEQUENCE: usize = 12;
    /// Bytes of the chunk, its header included.
    pub const CAPACITY: usize = 16;
    /// Bytes of records.
    pub const USED: usize = 20;
}

/// What a chunk holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ChunkKind {
    /// Records of one thread.
    Records = 1,
    /// The open lines of one thread.
    Table = 2,
}

impl ChunkKind {
    /// From its number.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Records),
            2 => Some(Self::Table),
            _ => None,
        }
    }
}

/// Flags of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// The program ended in an orderly way and the runtime closed the recording.
    pub const CLOSED: u32 = 1;
    /// The size limit was reached; later events are missing.
    pub const LIMIT: u32 = 2;
    /// The disk was full or the file could not be extended; later events are missing.
    pub const NO_SPACE: u32 = 4;
    /// Memory accesses were recorded (instrumented code ran), not synchronisation alone.
    pub const ACCESSES: u32 = 8;
    /// Accesses are kept separately for each program counter, for `--all-pairs`.
    pub const LOCATIONS: u32 = 16;

    /// Is this flag set?
    pub const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}
