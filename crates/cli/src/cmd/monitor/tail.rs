//! Reads a recording while it is being written.
//!
//! A thread writes its records into a chunk of the file `open` and raises the chunk's count of used bytes afterwards;
//! a full chunk is copied to `events`, then emptied, then given the next number. So the used bytes of an open chunk
//! are whole records as long as its number stays the same while they are read, and a chunk whose number has passed
//! lies complete in `events`.

use foretrace_event::layout::{CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, HEADER_SIZE, UNIT, chunk, header};
use foretrace_event::wire::{Decoder, Record};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A recording that grows.
pub struct Tail {
    directory: PathBuf,
    files: Option<Files>,
    /// Chunks of `events`: where the records of a thread's n-th chunk lie.
    full: FxHashMap<(u32, u32), (u64, usize)>,
    /// How far `events` has been looked through.
    scanned: u64,
    threads: BTreeMap<u32, Reader>,
}

struct Files {
    events: File,
    open: File,
}

/// How far a thread has been read.
#[derive(Default)]
struct Reader {
    sequence: u32,
    /// Records of that chunk handed out.
    taken: usize,
}

/// The fields of a chunk's header that matter here.
struct ChunkHead {
    kind: Option<ChunkKind>,
    thread: u32,
    sequence: u32,
    capacity: u64,
    used: usize,
}

impl Tail {
    pub fn new(directory: &Path) -> Tail {
        let directory = directory.to_owned();
        Tail {
            directory,
            files: None,
            full: FxHashMap::default(),
            scanned: HEADER_SIZE as u64,
            threads: BTreeMap::new(),
        }
    }

    /// Hands over what was written since the last time, thread by thread.
    pub fn poll(&mut self, take: &mut impl FnMut(u32, Record)) -> io::Result<()> {
        if self.files.is_none() {
            let open = |name: &str| File::open(self.directory.join(name)).ok();
            self.files = open("events").zip(open("open")).map(|(events, open)| Files { events, open });
        }
        let Some(files) = &self.files else { return Ok(()) };
        // A thread that has ended has no chunk open any more: all it wrote is in `events`.
        scan(&files.events, long(&files.open, header::APPEND as u64)?, &mut self.scanned, &mut self.full)?;
        let threads: BTreeSet<u32> = self.full.keys().map(|(thread, _)| *thread).collect();
        for thread in threads {
            let reader = self.threads.entry(thread).or_default();
            reader.completed(thread, &files.events, &mut self.full, take)?;
        }
        let mut at = HEADER_SIZE as u64;
        let end = long(&files.open, header::NEXT as u64)?;
        while at < end {
            let Some(head) = read_head(&files.open, at)? else {
                at += UNIT as u64;
                continue;
            };
            if head.kind == Some(ChunkKind::Records) {
                let records = at + CHUNK_HEADER_SIZE as u64;
                let reader = self.threads.entry(head.thread).or_default();
                catch_up(files, &mut self.full, &mut self.scanned, reader, &head, take)?;
                let bytes = bytes(&files.open, records, head.used)?;
                // Meanwhile it may have been completed, or even become another thread's.
                let same = read_head(&files.open, at)?
                    .is_some_and(|now| (now.thread, now.sequence) == (head.thread, head.sequence));
                if same && reader.sequence == head.sequence {
                    reader.take(&bytes, head.thread, take);
                }
            }
            at += head.capacity.max(UNIT as u64);
        }
        Ok(())
    }
}

/// Reads the chunks of a thread that have been completed since.
fn catch_up(
    files: &Files,
    full: &mut FxHashMap<(u32, u32), (u64, usize)>,
    scanned: &mut u64,
    reader: &mut Reader,
    head: &ChunkHead,
    take: &mut impl FnMut(u32, Record),
) -> io::Result<()> {
    while reader.sequence < head.sequence {
        let key = (head.thread, reader.sequence);
        if !full.contains_key(&key) {
            scan(&files.events, long(&files.open, header::APPEND as u64)?, scanned, full)?;
        }
        if !full.contains_key(&key) {
            return Ok(());
        }
        reader.completed(head.thread, &files.events, full, take)?;
    }
    Ok(())
}

/// Notes where the chunks of `events` are, up to the first that is not there yet.
fn scan(events: &File, end: u64, scanned: &mut u64, full: &mut FxHashMap<(u32, u32), (u64, usize)>) -> io::Result<()> {
    while *scanned < end {
        let Some(head) = read_head(events, *scanned)? else { return Ok(()) };
        if head.kind == Some(ChunkKind::Records) {
            full.insert((head.thread, head.sequence), (*scanned + CHUNK_HEADER_SIZE as u64, head.used));
        }
        *scanned += head.capacity.max(UNIT as u64);
    }
    Ok(())
}

impl Reader {
    /// Reads the complete chunks of a thread that come next.
    fn completed(
        &mut self,
        thread: u32,
        events: &File,
        full: &mut FxHashMap<(u32, u32), (u64, usize)>,
        take: &mut impl FnMut(u32, Record),
    ) -> io::Result<()> {
        while let Some((at, used)) = full.remove(&(thread, self.sequence)) {
            self.take(&bytes(events, at, used)?, thread, take);
            *self = Reader { sequence: self.sequence + 1, taken: 0 };
        }
        Ok(())
    }

    /// Hands over the records of the current chunk that are new. A chunk is decoded from its beginning, because its
    /// records are differences; it is small.
    fn take(&mut self, bytes: &[u8], thread: u32, take: &mut impl FnMut(u32, Record)) {
        for record in Decoder::new(bytes).skip(self.taken) {
            let Ok(record) = record else { return };
            self.taken += 1;
            take(thread, record);
        }
    }
}

fn read_head(file: &File, at: u64) -> io::Result<Option<ChunkHead>> {
    let mut head = [0; CHUNK_HEADER_SIZE];
    if file.read_exact_at(&mut head, at).is_err() {
        return Ok(None);
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if word(chunk::MAGIC) != CHUNK_MAGIC {
        return Ok(None);
    }
    Ok(Some(ChunkHead {
        kind: ChunkKind::from_code(word(chunk::KIND)),
        thread: word(chunk::THREAD),
        sequence: word(chunk::SEQUENCE),
        capacity: u64::from(word(chunk::CAPACITY)),
        used: word(chunk::USED) as usize,
    }))
}

fn bytes(file: &File, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn long(file: &File, at: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, at)?;
    Ok(u64::from_le_bytes(bytes))
}
