//! The records of a recording: what the runtime writes and the trace crate reads.
//!
//! A thread's records form one stream, which is cut into chunks ([`crate::layout`]). A chunk can be decoded by itself:
//! the differences below start from zero in each. All numbers are little-endian.
//!
//! **A sync record** is one operation with its stamp:
//!
//! ```text
//! byte 0   operation (1..=63); 64 more if it also reads the first byte of its object (a decoder gives that as an access
//!          record before it)
//! byte 1   four length codes of two bits: stamp, pc, object, argument; code -> bytes 0, 1, 3, 8
//! ...      stamp: difference to the thread's last; pc, object: zigzag difference to the last; argument: as it is
//! ...      for the operations with a detail (`Op::has_detail`): one detail byte, then its extra values, 8 bytes each
//! ```
//!
//! **An access record** is one 64-byte line with the bytes read and written in the current segment:
//!
//! ```text
//! byte 0   1 rr ww dd p
//!   rr     bytes read:    00 none, 01 one run (2 bytes), 10 any (8 bytes), 11 all
//!   ww     bytes written: 00 none, 01 one run (2 bytes), 10 any (8 bytes), 11 as those read
//!   dd     line: 00 the one after the last, else zigzag difference in 1, 3, 8 bytes
//!   p      0 same pc as the last access, 1 zigzag difference in 15 bits, or if bit 15 is set in 31 (`Op::AccessPc`
//!          carries a farther one)
//! ```
//!
//! **Stamps.** A stamp is taken after an acquiring operation succeeded and before a releasing one is attempted. It is
//! the time, pushed forward where necessary so that it is larger than the thread's last stamp and than the stamps of
//! the operations that this one follows on the same object. Ordered by stamp (and by thread where two are equal), the
//! records are a history that could really have happened, and that did happen up to commuting. Stamps have gaps. Access
//! records have no stamp: they belong to the segment they are in.
//!
//! **Changing this format**: bump [`crate::layout::VERSION`]; give a new operation the next free number; extend the round-trip tests here,
//! the reader, the text form and `docs/format.md`.

mod access;
mod sync;

pub use crate::event::Op;
pub use access::{Access, AccessCursor, RUN_ALL};
pub use sync::{ARG_NUMBER, ARG_TEXT, Detail, Head, LockArg, Sync, SyncCursor};

/// No record is longer: an encoder may always write this many bytes.
pub const MAX_RECORD: usize = 64;

/// A decoded record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// An operation.
    Sync(Sync),
    /// Memory accesses of the current segment.
    Access(Access),
}

/// What is wrong with bytes that should be a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireError {
    /// The record goes on after the end of its chunk.
    Truncated,
    /// No operation has this number.
    UnknownOp(u8),
    /// A field has a value that no writer writes.
    BadField(&'static str),
}

impl core::fmt::Display for WireError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Truncated => f.write_str("the record is cut off"),
            Self::UnknownOp(op) => write!(f, "unknown operation {op:#04x}"),
            Self::BadField(field) => write!(f, "impossible {field}"),
        }
    }
}

impl core::error::Error for WireError {}

/// The writer's state in a chunk: the values that the next record's differences are taken from.
#[derive(Clone, Copy, Default, Debug)]
pub struct Encoder {
    sync: SyncCursor,
    access: AccessCursor,
}

impl Encoder {
    /// At the beginning of a chunk.
    pub const fn new() -> Self {
        Self { sync: SyncCursor::new(), access: AccessCursor::new() }
    }

    /// Writes an operation, and returns how many bytes it took.
    #[inline]
    pub fn sync(&mut self, out: &mut [u8; MAX_RECORD], record: &Sync) -> usize {
        self.sync.encode(out, record)
    }

    /// The same of an operation without a detail.
    #[inline]
    pub fn short(
        &mut self,
        out: &mut [u8; MAX_RECORD],
        head: Head,
        stamp: u64,
        pc: u64,
        object: u64,
        arg: u64,
    ) -> usize {
        self.sync.encode_short(out, head, stamp, pc, object, arg)
    }

    /// Writes an access, and returns how many bytes it took.
    #[inline]
    pub fn access(&mut self, out: &mut [u8; MAX_RECORD], record: &Access) -> usize {
        self.access.encode(out, record)
    }
}

/// Reads the records of one chunk, or of a part of it.
#[derive(Clone, Debug)]
pub struct Decoder<B> {
    bytes: B,
    at: usize,
    /// Decoding stops here: at the end of the bytes, or at a record that cannot be decoded.
    end: usize,
    sync: SyncCursor,
    access: AccessCursor,
    /// The next operation reads its object, and that has been given.
    object_read: bool,
}

/// How far a chunk has been decoded; decoding can resume here when more of the chunk has been written.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mark {
    at: usize,
    sync: SyncCursor,
    access: AccessCursor,
    object_read: bool,
}

impl<B: AsRef<[u8]>> Decoder<B> {
    /// Resumes from a mark in the same chunk.
    pub fn resume(bytes: B, mark: Mark) -> Self {
        let Mark { at, sync, access, object_read } = mark;
        Self { end: bytes.as_ref().len(), bytes, at, sync, access, object_read }
    }

    /// The current position, to resume from.
    pub const fn mark(&self) -> Mark {
        Mark { at: self.at, sync: self.sync, access: self.access, object_read: self.object_read }
    }

    /// Over the used bytes of a chunk.
    pub fn new(bytes: B) -> Self {
        Self::resume(bytes, Mark::default())
    }

    /// Continues in other bytes of the same chunk, which begin at the next record.
    pub fn refill(&mut self, bytes: B) {
        *self = Self::resume(bytes, Mark { at: 0, ..self.mark() });
    }

    /// Where the next record begins.
    pub const fn position(&self) -> usize {
        self.at
    }

    #[inline]
    fn record(&mut self, first: u8) -> Result<Option<Record>, WireError> {
        let mut input = Input { bytes: self.bytes.as_ref(), at: self.at };
        let record = if first & 0x80 != 0 {
            Some(Record::Access(self.access.decode(&mut input)?))
        } else {
            let before = self.sync;
            let (sync, reads_object) = self.sync.decode(&mut input)?;
            if reads_object && !self.object_read {
                (self.sync, self.object_read) = (before, true);
                return Ok(Some(Record::Access(Access::to_object(&sync))));
            }
            self.object_read = false;
            if sync.op == Op::AccessPc {
                self.access.set_pc(sync.arg);
                None
            } else {
                Some(Record::Sync(sync))
            }
        };
        self.at = input.at;
        Ok(record)
    }
}

impl<B: AsRef<[u8]>> Iterator for Decoder<B> {
    type Item = Result<Record, WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = *self.bytes.as_ref()[..self.end].get(self.at)?;
            match self.record(first) {
                Ok(Some(record)) => return Some(Ok(record)),
                Ok(None) => {}
                Err(error) => {
                    self.end = self.at;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// A bounds-checked reader of little-endian numbers.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    #[inline]
    fn take(&mut self, len: usize) -> Result<u64, WireError> {
        if let Some(word) = self.bytes.get(self.at..self.at + 8) {
            self.at += len;
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            return Ok(if len == 8 { word } else { word & ((1 << (8 * len)) - 1) });
        }
        let bytes = self.bytes.get(self.at..self.at + len).ok_or(WireError::Truncated)?;
        self.at += len;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

/// Writes `value`'s low bytes at `at`; the caller advances by as many bytes as it needs.
#[inline]
fn put(out: &mut [u8; MAX_RECORD], at: usize, value: u64) {
    out[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

#[inline]
const fn zigzag(delta: u64) -> u64 {
    (delta << 1) ^ ((delta as i64 >> 63) as u64)
}

#[inline]
const fn unzigzag(code: u64) -> u64 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

#[cfg(test)]
mod tests;
