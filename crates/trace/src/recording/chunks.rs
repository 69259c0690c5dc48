//! Finding the chunks of the files `events` and `open`, thread by thread.

use foretrace_event::layout::{
    CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, Flags, HEADER_SIZE, MAGIC, UNIT, VERSION, chunk, header,
};
use foretrace_event::table;
use std::path::Path;

use super::{Bytes, Damage, RecordingError};
use crate::note::Note;

/// The header's fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// How the recording ended, and what it holds.
    pub flags: Flags,
    /// The process id of the recorded program.
    pub pid: u64,
    /// The clocks, if that was requested: twice a stamp and the nanoseconds since 1970; otherwise zeros.
    pub clock: [u64; 4],
    /// Nothing was written from this byte on.
    pub next: u64,
    /// How many threads there were.
    pub threads: u64,
    /// How many events could not be written.
    pub lost: u64,
    /// The windows that open lines name places in.
    pub(super) windows: [u64; table::WINDOWS],
}

/// No recorder writes larger chunks; a file that claims one is damaged, and must not cost memory.
pub(super) const LARGEST_CHUNK: usize = 16 << 20;

/// Where a chunk's records lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    pub(super) kind: ChunkKind,
    thread: u32,
    pub(super) sequence: u32,
    /// Which file it is in.
    pub(super) file: usize,
    /// First byte of its records.
    pub(super) start: usize,
    /// Byte after its last record.
    pub(super) end: usize,
    /// The file ends within it.
    pub(super) cut: bool,
    /// Where its records begin in `events`, if it replaces a copy there.
    pub(super) replaces: Option<usize>,
}

impl Chunk {
    const fn is_empty(&self) -> bool {
        self.start == self.end && !self.cut
    }
}

/// A thread's chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ThreadChunks {
    pub(super) id: u32,
    pub(super) records: Vec<Chunk>,
    pub(super) tables: Vec<Chunk>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Checks and reads the header.
pub(super) fn read_header(path: &Path, file: &Bytes) -> Result<Header, RecordingError> {
    let bytes = file.read(0..file.len().min(HEADER_SIZE));
    let bytes = &bytes.map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
    let path = || path.to_owned();
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
        return Err(RecordingError::NotARecording { path: path() });
    }
    if bytes.len() < HEADER_SIZE {
        return Err(RecordingError::NoHeader { path: path(), length: bytes.len() as u64 });
    }
    let found = word(bytes, header::VERSION);
    if found != VERSION {
        return Err(RecordingError::Version { path: path(), found });
    }
    let next = long(bytes, header::NEXT);
    if next < HEADER_SIZE as u64 {
        return Err(RecordingError::Damaged { path: path(), byte: header::NEXT as u64, damage: Damage::Next(next) });
    }
    Ok(Header {
        flags: Flags(word(bytes, header::FLAGS)),
        pid: long(bytes, header::PID),
        clock: std::array::from_fn(|at| long(bytes, header::CLOCK + 8 * at)),
        next,
        threads: long(bytes, header::THREADS),
        lost: long(bytes, header::LOST),
        windows: std::array::from_fn(|number| long(bytes, header::WINDOWS + 8 * number)),
    })
}

/// Finds all chunks of the files, checks them, and sorts them by thread and sequence. The header is that of the last
/// file; the files before it end where they end.
pub(super) fn find(
    files: &[(&Path, &Bytes)],
    header: &Header,
    notes: &mut Vec<Note>,
) -> Result<Vec<ThreadChunks>, RecordingError> {
    let mut chunks = Vec::new();
    for (file, (path, bytes)) in files.iter().enumerate() {
        let is_last = file + 1 == files.len();
        let next = if is_last { header.next } else { bytes.len() as u64 };
        scan(file, path, bytes, next, header, &mut chunks)?;
    }
    let threads = group(chunks, notes);
    notes.extend(cut_off(files, header, &threads));
    Ok(threads)
}

/// The end of a file that should go on.
fn cut_off(files: &[(&Path, &Bytes)], header: &Header, threads: &[ThreadChunks]) -> Option<Note> {
    let full = header.flags.has(Flags::LIMIT) || header.flags.has(Flags::NO_SPACE);
    let last = files.last().map_or(0, |(_, bytes)| bytes.len() as u64);
    let short = (header.next > last && !full).then_some(files.len() - 1);
    let chunks = || threads.iter().flat_map(|thread| &thread.records);
    let file = chunks().find(|chunk| chunk.cut).map(|chunk| chunk.file).or(short)?;
    Some(Note::CutOff { byte: files[file].1.len() as u64 })
}

fn scan(
    file: usize,
    path: &Path,
    bytes: &Bytes,
    next: u64,
    header: &Header,
    chunks: &mut Vec<Chunk>,
) -> Result<(), RecordingError> {
    let length = bytes.len();
    let failed = |source| RecordingError::Io { path: path.to_owned(), source };
    let end = usize::try_from(next).map_or(length, |next| next.min(length));
    let mut at = HEADER_SIZE;
    while at + CHUNK_HEADER_SIZE <= end {
        let head = bytes.head(at).map_err(failed)?;
        if word(&head, chunk::MAGIC) != CHUNK_MAGIC {
            // Reserved space that was never filled.
            at = bytes.find_unit(&CHUNK_MAGIC.to_le_bytes(), at + UNIT, end).map_err(failed)?;
            continue;
        }
        let damaged =
            |(offset, damage)| RecordingError::Damaged { path: path.to_owned(), byte: (at + offset) as u64, damage };
        let (found, capacity) = read_chunk(&head, at, length, header).map_err(damaged)?;
        chunks.extend((found.kind == ChunkKind::Table || !found.is_empty()).then_some(Chunk { file, ..found }));
        at += capacity.next_multiple_of(UNIT);
    }
    Ok(())
}

/// Reads a chunk's header at `at` in a file of that length.
fn read_chunk(head: &[u8], at: usize, length: usize, header: &Header) -> Result<(Chunk, usize), (usize, Damage)> {
    let field = |offset| word(head, offset);
    let code = field(chunk::KIND);
    let kind = ChunkKind::from_code(code).ok_or((chunk::KIND, Damage::Kind(code)))?;
    let thread = field(chunk::THREAD);
    let (capacity, used) = (field(chunk::CAPACITY), field(chunk::USED));
    if capacity as usize > LARGEST_CHUNK {
        return Err((chunk::CAPACITY, Damage::Large(capacity)));
    }
    let room = (capacity as usize).checked_sub(CHUNK_HEADER_SIZE);
    let room = room.ok_or((chunk::CAPACITY, Damage::Capacity(capacity)))?;
    if used as usize > room {
        return Err((chunk::USED, Damage::Used { used, capacity }));
    }
    if used > 0 && u64::from(thread) >= header.threads {
        return Err((chunk::THREAD, Damage::Thread { thread, threads: header.threads }));
    }
    let start = at + CHUNK_HEADER_SIZE;
    let end = start + if kind == ChunkKind::Table { room } else { used as usize };
    let cut = end > length;
    let sequence = field(chunk::SEQUENCE);
    Ok((Chunk { kind, thread, sequence, file: 0, start, end: end.min(length), cut, replaces: None }, capacity as usize))
}

fn group(mut chunks: Vec<Chunk>, notes: &mut Vec<Note>) -> Vec<ThreadChunks> {
    chunks.sort_by_key(|chunk| (chunk.thread, chunk.kind as u32, chunk.sequence, chunk.file, chunk.start));
    chunks.dedup_by(replaces);
    let threads = chunks.chunk_by(|a, b| a.thread == b.thread);
    threads.map(|chunks| whole_prefix(chunks, notes)).collect()
}

/// Are these the same chunk? A program that is killed while it moves a chunk leaves it in both `events` and `open`, and
/// folding then writes it twice. The copy with more bytes counts, and the later one if both have the same number.
fn replaces(later: &mut Chunk, earlier: &mut Chunk) -> bool {
    let same = later.kind == ChunkKind::Records
        && (later.kind, later.thread, later.sequence) == (earlier.kind, earlier.thread, earlier.sequence);
    if same && (earlier.cut || later.end - later.start >= earlier.end - earlier.start) {
        *earlier = Chunk { replaces: Some(earlier.start), ..*later };
    }
    same
}

/// A thread's chunks up to the first that is missing; its open table follows its last record.
fn whole_prefix(chunks: &[Chunk], notes: &mut Vec<Note>) -> ThreadChunks {
    let (tables, records): (Vec<_>, Vec<_>) = chunks.iter().partition(|chunk| chunk.kind == ChunkKind::Table);
    let id = chunks[0].thread;
    let whole = (0..).zip(&records).take_while(|(sequence, chunk): &(u32, &Chunk)| *sequence == chunk.sequence).count();
    if whole == records.len() {
        return ThreadChunks { id, records, tables };
    }
    notes.push(Note::MissingChunk { thread: id, sequence: whole as u32 });
    ThreadChunks { id, records: records[..whole].to_vec(), tables: Vec::new() }
}
