//! The files `control` and `numbers` of a controlled run, from the tool's side.

use super::forked::WhyForked;
use super::words::Words;
use foretrace_event::channel::{
    CONTROL_WORDS, HEADER_WORDS, Header, LENGTHS, MAGIC, MOST_RACES, MOST_STEPS, MOST_VISIBLE, PENDING, PENDING_WORDS,
    PREFIX, RACE_WORDS, RACES, RaceRecord, SLEEP, STEP_WORDS, STEPS, StepRecord, THREADS_WORDS, VISIBLE, end, notes,
    pending_from, pending_words,
};
use foretrace_event::visible::{ObjectId, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use foretrace_explore::{Choice, Plan, RaceSeen, Step};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The program has overwritten what it shares with the tool.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the program has overwritten the memory that it shares with the tool")]
pub struct Malformed;

/// The file `control`.
pub struct Control(Words);

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
        Ok(Self(Words::map(options().open(directory.join("control"))?, CONTROL_WORDS)?))
    }

    /// Writes a plan, and forgets the execution before.
    pub fn put(&self, plan: &Plan, visible: &[Range<u64>], flags: u64, most_steps: usize) -> io::Result<()> {
        self.0.check()?;
        let prefix = &plan.prefix[..plan.prefix.len().min(MOST_STEPS)];
        let sleep = &plan.sleep[..plan.sleep.len().min(ThreadSet::CAPACITY as usize)];
        let lengths = &plan.lengths[..plan.lengths.len().min(ThreadSet::CAPACITY as usize)];
        let visible = &visible[..visible.len().min(MOST_VISIBLE)];
        let mut header = [0; HEADER_WORDS];
        let mut set = |word: Header, value: usize| header[word as usize] = value as u64;
        set(Header::Prefix, prefix.len());
        set(Header::Sleep, sleep.len());
        set(Header::Lengths, lengths.len());
        set(Header::Visible, visible.len());
        set(Header::MostSteps, most_steps);
        header[Header::Magic as usize] = MAGIC;
        header[Header::Flags as usize] = flags;
        header[Header::Policy as usize..][..4].copy_from_slice(&plan.policy.words());
        let choice = |choice: &Choice| u64::from(choice.thread.0) | u64::from(choice.alternative) << 32;
        self.0.write(PREFIX, prefix.iter().map(choice));
        self.0.write(SLEEP, sleep.iter().flat_map(|(thread, operation)| pending_words(*thread, operation)));
        self.0.write(LENGTHS, lengths.iter().map(|length| u64::from(*length)));
        self.0.write(VISIBLE, visible.iter().flat_map(|range| [range.start, range.end - range.start]));
        self.0.write(0, header);
        Ok(())
    }

    /// From the decision of this number on, the execution is certain to fail, as a debugger is told.
    pub fn set_certain(&self, decision: Option<u32>) {
        self.0.write(Header::Certain as usize, [decision.map_or(0, |decision| u64::from(decision) + 1)]);
    }

    /// Reads what happened.
    pub fn get(&self) -> io::Result<Result<Answered, Malformed>> {
        self.0.check()?;
        let header: [u64; HEADER_WORDS] = self.0.read(0);
        let count = |word: Header, most: usize| (header[word as usize] as usize).min(most);
        let steps = (0..count(Header::Steps, MOST_STEPS)).map(|at| step(self.0.read(STEPS + at * STEP_WORDS)));
        let pending = 0..count(Header::Pending, ThreadSet::CAPACITY as usize);
        let pending = pending.map(|at| pending_from(&self.0.read::<PENDING_WORDS>(PENDING + at * PENDING_WORDS)));
        let races = (0..count(Header::Races, MOST_RACES)).map(|at| race(self.0.read(RACES + at * RACE_WORDS)));
        let steps: Option<Vec<_>> = steps.collect();
        let pending: Option<Vec<_>> = pending.collect();
        let races: Option<Vec<_>> = races.collect();
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

fn step(words: [u64; STEP_WORDS]) -> Option<Step> {
    let StepRecord { thread, alternative, alternatives, operation, place, enabled } = StepRecord::from_words(&words)?;
    let (alternative, alternatives) = (alternative.into(), alternatives.into());
    Some(Step { thread, alternative, alternatives, operation, enabled, place })
}

fn race(words: [u64; RACE_WORDS]) -> Option<RaceSeen> {
    let RaceRecord { address, size, places: [later, earlier], threads, .. } = RaceRecord::from_words(&words)?;
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
