//! The files `control` and `numbers` of a controlled run, from the tool's side.

use super::forked::WhyForked;
use foretrace_event::channel::{
    CONTROL_WORDS, HEADER_WORDS, Header, LENGTHS, MAGIC, MOST_RACES, MOST_STEPS, MOST_VISIBLE, PENDING, PENDING_WORDS,
    PREFIX, RACE_WORDS, RACES, RaceRecord, SLEEP, STEP_WORDS, STEPS, StepRecord, THREADS_WORDS, VISIBLE, end, notes,
    pending_from, pending_words,
};
use foretrace_event::visible::{ObjectId, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use foretrace_explore::{Plan, RaceSeen, Step};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The program has overwritten what it shares with the tool.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the program has overwritten the memory that it shares with the tool")]
pub struct Malformed;

/// The file `control`.
pub struct Control {
    file: File,
}

/// What is to be said about an execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Notes(u64);

impl Notes {
    /// As a number that can be saved.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// From such a number.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// A thread waited for input from outside the program.
    pub fn waits_for_outside(self) -> bool {
        self.0 & notes::OUTSIDE != 0
    }

    /// The process ended while threads could still go on.
    pub fn is_cut_at_exit(self) -> bool {
        self.0 & notes::CUT_AT_EXIT != 0
    }

    /// A file was written or created.
    pub fn writes_files(self) -> bool {
        self.0 & notes::WRITES_FILES != 0
    }

    /// A thread was cancelled.
    pub fn cancels(self) -> bool {
        self.0 & notes::CANCELS != 0
    }

    /// A loop that waits for a change ended by itself.
    pub fn leaves_loops(self) -> bool {
        self.0 & notes::LEAVES_LOOPS != 0
    }

    /// A process was forked.
    pub fn forks(self) -> bool {
        self.0 & notes::FORKS != 0
    }
}

/// What is to be said about the executions of all executors of a program so far.
#[derive(Clone, Default, Debug)]
pub struct SharedNotes(Arc<[AtomicU64; 2]>);

impl SharedNotes {
    /// So far.
    pub fn get(&self) -> Notes {
        Notes(self.0[0].load(Ordering::Relaxed))
    }

    /// Adds those of an execution.
    pub fn add(&self, notes: Notes) {
        self.0[0].fetch_or(notes.0, Ordering::Relaxed);
    }

    /// An execution was forked, for this reason; zero: it was not.
    pub fn add_forked(&self, reason: u64) {
        if reason != 0 {
            self.0[1].store(reason, Ordering::Relaxed);
        }
    }

    /// Why executions are forked that could be run faster.
    pub fn forked(&self) -> Option<WhyForked> {
        WhyForked::from_number(self.0[1].load(Ordering::Relaxed))
    }
}

/// What the gate wrote about an execution.
pub struct Answered {
    /// The steps.
    pub steps: Vec<Step>,
    /// Who has not ended.
    pub pending: Vec<(ThreadId, Operation)>,
    /// The races.
    pub races: Vec<RaceSeen>,
    /// How it ended, if it ended in the gate, and what that says besides.
    pub end: Option<(u64, u64)>,
    /// What is to be said.
    pub notes: Notes,
    /// Why it was forked, if it could have been run faster.
    pub forked: u64,
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Control {
    /// Creates both files in a directory; `numbers` is shared with other executors if it is there.
    pub fn create(directory: &Path) -> io::Result<Self> {
        let options = || {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            options
        };
        options().open(directory.join("numbers"))?.set_len(8 * THREADS_WORDS as u64)?;
        let file = options().open(directory.join("control"))?;
        file.set_len(8 * CONTROL_WORDS as u64)?;
        Ok(Self { file })
    }

    fn write(&self, at: usize, words: &[u64]) -> io::Result<()> {
        self.file.write_all_at(&bytes(words), 8 * at as u64)
    }

    fn read(&self, at: usize, count: usize) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; 8 * count];
        self.file.read_exact_at(&mut bytes, 8 * at as u64)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// Writes a plan, and forgets the execution before.
    pub fn put(&self, plan: &Plan, visible: &[Range<u64>], flags: u64, most_steps: usize) -> io::Result<()> {
        let prefix = &plan.prefix[..plan.prefix.len().min(MOST_STEPS)];
        let sleep = &plan.sleep[..plan.sleep.len().min(ThreadSet::CAPACITY as usize)];
        let visible = &visible[..visible.len().min(MOST_VISIBLE)];
        let mut header = [0; HEADER_WORDS];
        let mut set = |word: Header, value: usize| header[word as usize] = value as u64;
        set(Header::Prefix, prefix.len());
        set(Header::Sleep, sleep.len());
        set(Header::Visible, visible.len());
        set(Header::MostSteps, most_steps);
        header[Header::Magic as usize] = MAGIC;
        header[Header::Flags as usize] = flags;
        header[Header::Policy as usize..][..4].copy_from_slice(&plan.policy.words());
        let choice =
            |choice: &foretrace_explore::Choice| u64::from(choice.thread.0) | u64::from(choice.alternative) << 32;
        self.write(PREFIX, &prefix.iter().map(choice).collect::<Vec<_>>())?;
        let sleeper = |(thread, operation): &(ThreadId, Operation)| pending_words(*thread, operation);
        self.write(SLEEP, &sleep.iter().flat_map(sleeper).collect::<Vec<_>>())?;
        let mut lengths: Vec<u64> = plan.lengths.iter().map(|length| u64::from(*length)).collect();
        lengths.resize(ThreadSet::CAPACITY as usize, 0);
        self.write(LENGTHS, &lengths)?;
        let range = |range: &Range<u64>| [range.start, range.end - range.start];
        self.write(VISIBLE, &visible.iter().flat_map(range).collect::<Vec<_>>())?;
        self.write(0, &header)
    }

    /// Reads what happened.
    pub fn get(&self) -> io::Result<Result<Answered, Malformed>> {
        let header = self.read(0, HEADER_WORDS)?;
        let count = |word: Header, most: usize| (header[word as usize] as usize).min(most);
        let steps = self.read(STEPS, STEP_WORDS * count(Header::Steps, MOST_STEPS))?;
        let pending = self.read(PENDING, PENDING_WORDS * count(Header::Pending, ThreadSet::CAPACITY as usize))?;
        let races = self.read(RACES, RACE_WORDS * count(Header::Races, MOST_RACES))?;
        let steps: Option<_> = steps.chunks(STEP_WORDS).map(step).collect();
        let pending: Option<_> = pending.chunks(PENDING_WORDS).map(pending_from).collect();
        let races: Option<_> = races.chunks(RACE_WORDS).map(race).collect();
        let (code, argument) = (header[Header::End as usize], header[Header::Argument as usize]);
        let end = (code != end::NONE).then_some((code, argument));
        let all = steps.zip(pending).zip(races).map(|((steps, pending), races)| Answered {
            steps,
            pending,
            races,
            end,
            notes: Notes(header[Header::Notes as usize]),
            forked: header[Header::Forked as usize],
        });
        Ok(all.ok_or(Malformed))
    }
}

fn step(words: &[u64]) -> Option<Step> {
    let StepRecord { thread, alternative, alternatives, operation, place, enabled } = StepRecord::from_words(words)?;
    let (alternative, alternatives) = (alternative.into(), alternatives.into());
    Some(Step { thread, alternative, alternatives, operation, enabled, place })
}

fn race(words: &[u64]) -> Option<RaceSeen> {
    let RaceRecord { address, size, places: [later, earlier], threads, .. } = RaceRecord::from_words(words)?;
    address.checked_add(u64::from(size))?;
    Some(RaceSeen {
        object: ObjectId(address),
        size: size.into(),
        first: threads[1],
        first_place: earlier,
        second: threads[0],
        second_place: later,
    })
}

/// The numbers of threads, as the file `numbers` has them.
pub fn threads(directory: &Path) -> io::Result<Vec<u64>> {
    let bytes = std::fs::read(directory.join("numbers"))?;
    let words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    Ok(words.take(THREADS_WORDS).take_while(|word| *word != 0).collect())
}

/// Writes them.
pub fn set_threads(directory: &Path, threads: &[u64]) -> io::Result<()> {
    let mut words = threads[..threads.len().min(THREADS_WORDS)].to_vec();
    words.resize(THREADS_WORDS, 0);
    std::fs::write(directory.join("numbers"), bytes(&words))
}
