//! The bytes of a recording's file, read piece by piece.
//!
//! Files are not mapped: a mapped file that shrinks, or whose holes cannot be filled on a full file system, kills the
//! process by SIGBUS. A read returns an error instead.

use foretrace_event::layout::{CHUNK_HEADER_SIZE, UNIT};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// How much is read at once while looking for the next chunk.
const STRIDE: usize = 128 * UNIT;

/// The bytes of a file, on disk or in memory.
#[derive(Debug)]
pub(super) enum Bytes {
    /// A file, and how long it was when it was opened.
    File(File, usize),
    Owned(Vec<u8>),
}

impl Bytes {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = foretrace_file::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self::File(file, usize::try_from(length).map_err(io::Error::other)?))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::File(_, length) => *length,
            Self::Owned(bytes) => bytes.len(),
        }
    }

    /// Reads a range that lies within the length.
    pub(super) fn read(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        self.fill(&mut bytes, range.start)?;
        Ok(bytes)
    }

    /// The header of a chunk, which lies within the length.
    pub(super) fn head(&self, at: usize) -> io::Result<[u8; CHUNK_HEADER_SIZE]> {
        let mut head = [0; CHUNK_HEADER_SIZE];
        self.fill(&mut head, at)?;
        Ok(head)
    }

    /// The first unit from `at` on whose first bytes are these; `end` if there is none before.
    pub(super) fn find_unit(&self, first: &[u8], at: usize, end: usize) -> io::Result<usize> {
        for start in (at..end).step_by(STRIDE) {
            let block = self.read(start..end.min(start + STRIDE))?;
            if let Some(unit) = block.chunks(UNIT).position(|unit| unit.starts_with(first)) {
                return Ok(start + unit * UNIT);
            }
        }
        Ok(end)
    }

    fn fill(&self, bytes: &mut [u8], at: usize) -> io::Result<()> {
        match self {
            Self::File(file, _) => file.read_exact_at(bytes, at as u64),
            Self::Owned(all) => {
                bytes.copy_from_slice(&all[at..at + bytes.len()]);
                Ok(())
            }
        }
    }
}
