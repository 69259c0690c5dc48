//! The files `notes` and `branches` of an explored program, from the tool's side. They are untrusted: every number is checked.

use super::words::Words as Mapped;
use foretrace_event::notes::{FIRST, MOST_ENTRY, MOST_NOTES, NOTE_WORDS, NoteRecord, Reach, SLOTS, Said, WORDS};
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use foretrace_explore::{LockUpdate, MayAccess, Note, Reach as May, Summary, What};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the notes of a program's executions are read with.
pub struct Noted {
    notes: Mapped,
    branches: PathBuf,
    /// The entries of the table, once it is there.
    entries: HashMap<u64, Vec<u64>>,
    summaries: HashMap<(u64, [u64; SLOTS]), Option<Arc<Summary>>>,
}

/// A table is not read further than this.
const MOST_BYTES: u64 = 64 << 20;
/// The bit of released locks that stands for any.
const ANY: u64 = 1 << 62;

impl Noted {
    /// Creates both files in a directory: the program then writes them.
    pub fn create(directory: &Path) -> io::Result<Self> {
        let create =
            |name: &str| File::options().read(true).write(true).create(true).truncate(true).open(directory.join(name));
        let notes = Mapped::map(create("notes")?, WORDS)?;
        create("branches")?;
        let branches = directory.join("branches");
        Ok(Self { notes, branches, entries: HashMap::new(), summaries: HashMap::new() })
    }

    /// Does the program have a table?
    pub fn has_table(&self) -> bool {
        !self.entries.is_empty()
    }

    /// The notes of the last execution, which had so many steps.
    pub fn read(&mut self, steps: usize) -> io::Result<Vec<Note>> {
        if self.entries.is_empty() {
            self.read_table()?;
        }
        self.notes.check()?;
        let [count, lost] = self.notes.read(0);
        let count = (count as usize).min(MOST_NOTES);
        let words: Vec<[u64; NOTE_WORDS]> = (0..count).map(|at| self.notes.read(FIRST + at * NOTE_WORDS)).collect();
        let mut reading = Reading { noted: self, open: HashMap::new(), notes: Vec::new(), steps };
        let understood = words.iter().all(|words| reading.add(words).is_some());
        if lost != 0 || !understood || count == 0 {
            reading.put(ThreadId::MAIN, steps, What::Unknown);
        }
        reading.notes.sort_by_key(|note| note.before);
        Ok(reading.notes)
    }

    fn read_table(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        File::open(&self.branches)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let mut rest = words.as_slice();
        while let [address, body @ ..] = rest {
            let length = body.first().map_or(0, |&length| length as usize);
            let Some((entry, after)) =
                (1..=MOST_ENTRY).contains(&length).then(|| body.split_at_checked(length)).flatten()
            else {
                break;
            };
            self.entries.insert(*address, entry.to_vec());
            rest = after;
        }
        Ok(())
    }

    /// What the other sides may do, and where all meet.
    fn summary(&mut self, entry: u64, slots: [u64; SLOTS]) -> (Option<Arc<Summary>>, u64) {
        let Some(words) = self.entries.get(&entry) else { return (None, 0) };
        let join = words.get(1).copied().unwrap_or(0);
        let known = self.summaries.entry((entry, slots));
        (known.or_insert_with(|| Words { rest: words, slots }.summary().map(Arc::new)).clone(), join)
    }
}

/// The notes of an execution, as far as they are read.
struct Reading<'a> {
    noted: &'a mut Noted,
    /// The branches that each thread is in, by where their sides meet.
    open: HashMap<ThreadId, Vec<u64>>,
    notes: Vec<Note>,
    steps: usize,
}

impl Reading<'_> {
    fn put(&mut self, thread: ThreadId, before: usize, what: What) {
        self.notes.push(Note { thread, before, what });
    }

    fn add(&mut self, words: &[u64]) -> Option<()> {
        let NoteRecord { thread, before, said } = NoteRecord::from_words(words)?;
        let (thread, before) = (ThreadId(thread.into()), before as usize);
        if thread.0 >= ThreadSet::CAPACITY || before > self.steps {
            return None;
        }
        let what = match said {
            Said::Enter { entry, slots } => {
                let (others, join) = self.noted.summary(entry, slots);
                self.open.entry(thread).or_default().push(join);
                What::Enter(others)
            }
            Said::Join(place) => {
                self.join(thread, before, place);
                return Some(());
            }
            Said::Access { address, size, writes, reads, reach, quiet } => {
                return self.access((thread, before), (address, size.into()), (reads, writes), (reach, quiet));
            }
            Said::Moves => What::Moves,
            Said::Unsure => What::Unsure,
            Said::Unknown => What::Unknown,
        };
        self.put(thread, before, what);
        Some(())
    }

    /// Leaves the branches whose sides meet there. Those above were left in another way, which is not understood.
    fn join(&mut self, thread: ThreadId, before: usize, place: u64) {
        let open = self.open.entry(thread).or_default();
        let Some(last) = open.iter().rposition(|join| *join == place) else { return };
        let strange = last + 1 < open.len();
        let mut left = open.len() - last;
        open.truncate(last);
        while open.pop_if(|join| *join == place).is_some() {
            left += 1;
        }
        if strange {
            self.put(thread, before, What::Unknown);
        }
        (0..left).for_each(|_| self.put(thread, before, What::Leave));
    }

    fn access(
        &mut self,
        (thread, before): (ThreadId, usize),
        (address, size): (u64, u64),
        (reads, writes): (bool, bool),
        (reach, quiet): (Reach, bool),
    ) -> Option<()> {
        address.checked_add(size)?;
        let reach = match reach {
            Reach::Same => May::Same,
            Reach::Within(from, bytes) if from.checked_add(bytes).is_some() => May::Within(ObjectId(from), bytes),
            Reach::Within(..) | Reach::Anything => May::Anything,
        };
        for (kind, does) in [(OpKind::PlainRead, reads), (OpKind::PlainWrite, writes)] {
            if does {
                let operation = Operation::new(kind, address).with(size);
                self.put(thread, before, What::Access { operation, reach, quiet });
            }
        }
        Some(())
    }
}

/// The words of an entry that are still to be read.
struct Words<'a> {
    rest: &'a [u64],
    slots: [u64; SLOTS],
}

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (&word, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(word)
    }

    fn summary(mut self) -> Option<Summary> {
        let [_, _, flags, locks, accesses, paths] = [(); 6].map(|()| self.next());
        let (flags, locks, accesses, paths) = (flags?, locks?, accesses?, paths?);
        if flags & 1 != 0 || [locks, accesses, paths].iter().any(|&count| count > MOST_ENTRY as u64) {
            return None;
        }
        let locks: Vec<ObjectId> = (0..locks).map(|_| Some(self.object()?.0)).collect::<Option<_>>()?;
        let accesses = (0..accesses).map(|_| self.access(&locks)).collect::<Option<_>>()?;
        let paths = (0..paths).map(|_| self.locks(&locks)).collect::<Option<_>>()?;
        let decided_by = match self.next()?.checked_sub(1) {
            Some(count) => Some((0..count).map(|_| Some((self.object()?.0, self.next()?))).collect::<Option<_>>()?),
            None => None,
        };
        Some(Summary { accesses, paths, decided_by, blocks: flags & 2 != 0 })
    }

    /// An address, and the bits besides.
    fn object(&mut self) -> Option<(ObjectId, u64)> {
        let (address, what) = (self.next()?, self.next()?);
        let base = match (what & 0xff) as usize {
            0 => 0,
            slot => *self.slots.get(slot - 1)?,
        };
        Some((ObjectId(base.wrapping_add(address)), what))
    }

    fn access(&mut self, locks: &[ObjectId]) -> Option<MayAccess> {
        let (object, what) = self.object()?;
        let size = self.next()?;
        object.0.checked_add(size)?;
        let locks = self.locks(locks)?;
        Some(MayAccess { object, size, writes: what >> 8 & 1 == 1, atomic: what >> 9 & 1 == 1, locks })
    }

    fn locks(&mut self, locks: &[ObjectId]) -> Option<LockUpdate> {
        let (acquired, released) = (self.next()?, self.next()?);
        let of =
            |mask: u64| locks.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, lock)| *lock).collect();
        Some(LockUpdate { acquired: of(acquired), released: of(released), released_any: released & ANY != 0 })
    }
}
