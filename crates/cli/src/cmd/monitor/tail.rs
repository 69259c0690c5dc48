//! Reads a recording while it is being written.
//!
//! A thread writes its records into a chunk of the file `open` and raises the chunk's count of used bytes afterwards;
//! a full chunk is copied to `events`, then emptied, then given the next number. So the used bytes of an open chunk
//! are whole records as long as its number stays the same while they are read, and a chunk whose number has passed
//! lies complete in `events`, or was lost because there was no room.
//!
//! `events` is a ring: what has been evaluated is given back, to the file system as a hole and to the program as room.

use super::files::{Files, bytes};
use super::queue::{Full, Item, Queue, Source};
use foretrace_event::layout::{CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, Flags, HEADER_SIZE, UNIT, chunk, header};
use foretrace_event::table::{self, ENTRY_SIZE};
use foretrace_event::wire::Access;
use rustc_hash::FxHashSet;
use rustix::fs::{FallocateFlags, fallocate};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Room is given back in steps of this many bytes at most, and of a part of the whole.
const STEP: u64 = 1 << 20;
const PARTS: u64 = 8;
/// Holes begin and end at multiples of this.
const PAGE: u64 = 4096;

/// A recording that grows.
pub struct Tail {
    directory: PathBuf,
    files: Option<Files>,
    /// How far `events` has been looked through.
    scanned: u64,
    /// Where the chunks of `events` begin that are not evaluated yet.
    outstanding: BTreeSet<u64>,
    /// Up to where room has been given back.
    released: u64,
    step: u64,
    threads: BTreeMap<u32, Queue>,
    /// Threads that have ended and were evaluated to their end.
    gone: FxHashSet<u32>,
    /// The number of looks so far.
    look: u64,
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
    pub fn new(directory: &Path, backlog: u64) -> Tail {
        Tail {
            directory: directory.to_owned(),
            files: None,
            scanned: HEADER_SIZE as u64,
            outstanding: BTreeSet::new(),
            released: HEADER_SIZE as u64,
            step: (backlog / PARTS).clamp(PAGE, STEP),
            threads: BTreeMap::new(),
            gone: FxHashSet::default(),
            look: 0,
        }
    }

    /// Whether the program records at all yet.
    pub fn has_begun(&self) -> bool {
        self.files.is_some()
    }

    /// The number of looks so far.
    pub fn look(&self) -> u64 {
        self.look
    }

    /// The threads that may have something to hand over.
    pub fn threads(&self) -> Vec<u32> {
        self.threads.keys().copied().collect()
    }

    /// Looks what was written since the last time.
    pub fn poll(&mut self) -> io::Result<()> {
        self.look += 1;
        if self.files.is_none() {
            self.files = Files::open(&self.directory);
        }
        let Some(files) = self.files.take() else { return Ok(()) };
        let result = self.poll_files(&files, false);
        self.files = Some(files);
        result
    }

    /// The program has ended: looks a last time. What it had not completed counts, too.
    pub fn poll_last(&mut self) -> io::Result<()> {
        self.poll()?;
        self.look += 1;
        let Some(files) = self.files.take() else { return Ok(()) };
        let result = self.poll_files(&files, true);
        self.files = Some(files);
        result
    }

    fn poll_files(&mut self, files: &Files, last: bool) -> io::Result<()> {
        // In this order: what was completed before a number was seen in `open` lies before the end that is read after it.
        let heads = open_heads(&files.open)?;
        let end = long(&files.open, header::APPEND as u64)?;
        let whole = self.scan(&files.events, end, last)?;
        for (at, head) in heads {
            match head.kind {
                Some(ChunkKind::Records) if last => self.open_at_end(at, &head),
                Some(ChunkKind::Records) => self.open_chunk(files, at, &head, whole)?,
                Some(ChunkKind::Table) if last => self.table(files, at, &head)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn queue(&mut self, thread: u32) -> Option<&mut Queue> {
        (!self.gone.contains(&thread)).then(|| self.threads.entry(thread).or_default())
    }

    /// Notes the chunks of `events` up to the first that is not there yet; says whether there is none.
    fn scan(&mut self, events: &File, end: u64, last: bool) -> io::Result<bool> {
        while self.scanned < end {
            let at = self.scanned;
            let Some(head) = read_head(events, at)? else {
                if !last {
                    return Ok(false);
                }
                // It will not come any more.
                self.scanned += UNIT as u64;
                continue;
            };
            let look = self.look;
            let full = Full { source: Source::Events, at: at + CHUNK_HEADER_SIZE as u64, used: head.used, look };
            if let (Some(ChunkKind::Records), Some(queue)) = (head.kind, self.queue(head.thread))
                && queue.complete(head.sequence, full)
            {
                self.outstanding.insert(full.at);
            }
            self.scanned += head.capacity.max(UNIT as u64);
        }
        Ok(true)
    }

    /// What is new in a chunk that is being written.
    fn open_chunk(&mut self, files: &Files, at: u64, head: &ChunkHead, whole: bool) -> io::Result<()> {
        let look = self.look;
        // A chunk that is just being given to a thread still has the number of another's.
        if head.used == 0 {
            return Ok(());
        }
        let Some(queue) = self.queue(head.thread) else { return Ok(()) };
        let known = if queue.sequence() == head.sequence { queue.read() } else { head.used };
        let more = bytes(&files.open, at + (CHUNK_HEADER_SIZE + known) as u64, head.used.saturating_sub(known))?;
        // Meanwhile it may have been completed, or even become another thread's.
        let now = read_head(&files.open, at)?;
        if now.is_none_or(|now| (now.thread, now.sequence) != (head.thread, head.sequence)) {
            return Ok(());
        }
        if whole {
            queue.all_before_are_known(head.sequence);
        }
        if queue.sequence() == head.sequence {
            queue.extend(&more, look);
        }
        Ok(())
    }

    /// The last chunk of a thread. Killed while it moves one, a program leaves it twice: the one with more bytes counts.
    fn open_at_end(&mut self, at: u64, head: &ChunkHead) {
        let look = self.look;
        if head.used > 0
            && let Some(queue) = self.queue(head.thread)
        {
            let full = Full { source: Source::Open, at: at + CHUNK_HEADER_SIZE as u64, used: head.used, look };
            queue.complete(head.sequence, full);
        }
    }

    /// The lines of a segment that never ended.
    fn table(&mut self, files: &Files, at: u64, head: &ChunkHead) -> io::Result<()> {
        let content = bytes(&files.open, at + CHUNK_HEADER_SIZE as u64, head.capacity as usize - CHUNK_HEADER_SIZE)?;
        let windows = bytes(&files.open, header::WINDOWS as u64, 8 * table::WINDOWS)?;
        let windows = std::array::from_fn(|number| u64::from_le_bytes(windows.as_chunks().0[number]));
        let by_place = flags(&files.open)?.has(Flags::LOCATIONS);
        let (entries, _) = content.as_chunks::<ENTRY_SIZE>();
        let lines =
            entries.iter().enumerate().filter_map(|(slot, entry)| table::read(entry, slot, &windows, by_place).ok()?);
        let lines: Vec<Access> = lines.collect();
        if !lines.is_empty()
            && let Some(queue) = self.queue(head.thread)
        {
            queue.add_lines(lines);
        }
        Ok(())
    }

    /// What a thread hands over next, without taking it away; with the look at which it was there first.
    pub fn peek(&mut self, thread: u32) -> io::Result<Option<(u64, &Item)>> {
        let Some(files) = &self.files else { return Ok(None) };
        let Some(queue) = self.threads.get_mut(&thread) else { return Ok(None) };
        queue.fill(files, self.look, &mut self.outstanding)?;
        Ok(queue.peek())
    }

    /// Takes what [`Tail::peek`] has shown.
    pub fn take(&mut self, thread: u32) -> Option<Item> {
        self.threads.get_mut(&thread)?.take()
    }

    /// Whether a thread's next operation is followed by something that does not take it back.
    pub fn is_confirmed(&mut self, thread: u32) -> io::Result<bool> {
        let Some(files) = &self.files else { return Ok(false) };
        let Some(queue) = self.threads.get_mut(&thread) else { return Ok(false) };
        if !queue.is_confirmed() {
            queue.fill_more(files, self.look, &mut self.outstanding)?;
        }
        Ok(queue.is_confirmed())
    }

    /// A thread has ended and nothing of it is left.
    pub fn forget(&mut self, thread: u32) {
        self.threads.remove(&thread);
        self.gone.insert(thread);
    }

    /// Gives room back, if it is worth it.
    pub fn release(&mut self) -> io::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        let first = self.outstanding.first().map_or(self.scanned, |at| at - CHUNK_HEADER_SIZE as u64);
        if first < self.released + self.step {
            return Ok(());
        }
        let (from, to) = (self.released.next_multiple_of(PAGE), first / PAGE * PAGE);
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // Where there are no holes, the recording stays as large as it may become.
        if to > from && fallocate(&files.events, hole, from, to - from).is_ok() {
            files.open.write_all_at(&first.to_le_bytes(), header::READ as u64)?;
        }
        self.released = to;
        Ok(())
    }

    /// What the clocks showed, if the program was asked to say so.
    pub fn clock(&self) -> io::Result<[u64; 4]> {
        let Some(files) = &self.files else { return Ok([0; 4]) };
        let mut clock = [0; 4];
        for (at, field) in clock.iter_mut().enumerate() {
            *field = long(&files.open, (header::CLOCK + 8 * at) as u64)?;
        }
        Ok(clock)
    }

    /// How many events there was no room for, and how the recording ended.
    pub fn losses(&self) -> io::Result<(u64, Flags)> {
        let Some(files) = &self.files else { return Ok((0, Flags::default())) };
        Ok((long(&files.open, header::LOST as u64)?, flags(&files.open)?))
    }
}

/// The chunks of `open`.
fn open_heads(open: &File) -> io::Result<Vec<(u64, ChunkHead)>> {
    let mut heads = Vec::new();
    let mut at = HEADER_SIZE as u64;
    let end = long(open, header::NEXT as u64)?;
    while at < end {
        let Some(head) = read_head(open, at)? else {
            at += UNIT as u64;
            continue;
        };
        let capacity = head.capacity.max(UNIT as u64);
        heads.push((at, head));
        at += capacity;
    }
    Ok(heads)
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

fn long(file: &File, at: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, at)?;
    Ok(u64::from_le_bytes(bytes))
}

fn flags(open: &File) -> io::Result<Flags> {
    Ok(Flags((long(open, header::VERSION as u64)? >> 32) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_whose_files_were_just_made_has_not_begun() {
        let scratch = tempfile::tempdir().expect("a scratch directory can be made");
        let mut tail = Tail::new(scratch.path(), 1 << 20);
        let file = |name: &str| File::create(scratch.path().join(name)).expect("a file can be made");
        for name in ["events", "open"] {
            file(name);
            tail.poll().expect("nothing is read yet");
            assert!(!tail.has_begun());
        }
        file("open").set_len(HEADER_SIZE as u64).expect("a file can be lengthened");
        tail.poll().expect("the header can be read");
        assert!(tail.has_begun());
    }
}
