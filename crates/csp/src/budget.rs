//! What a check may use, and what it answers when that is not enough.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How often the memory of the process is measured.
const MEASURED: Duration = Duration::from_millis(20);
/// Rounds of a short loop between two checks of the clock.
const STRIDE: u32 = 128;

/// Bounds on one assertion. The default has none but memory, so that a runaway script ends with a message.
#[derive(Clone, Debug)]
pub struct Budget {
    pub max_states: u64,
    /// Bytes that the process may take beyond what it took when the first budget was opened.
    pub max_memory: u64,
    pub timeout: Option<Duration>,
    pub threads: usize,
    /// How many counterexamples of the shortest length are wanted.
    pub counterexamples: usize,
    /// Where states are stored once they fill the memory. Without it, a full memory ends the search.
    pub spill: Option<Spilling>,
    /// Set from outside to end every search at once.
    pub interrupted: Option<&'static AtomicBool>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            max_states: u64::MAX,
            max_memory: 8 << 30,
            timeout: None,
            threads: 1,
            counterexamples: 1,
            spill: None,
            interrupted: None,
        }
    }
}

/// Files for states that do not fit the memory.
#[derive(Clone, Debug)]
pub struct Spilling {
    pub directory: PathBuf,
    /// Bytes of files that may be written.
    pub max_disk: u64,
    /// States are written to files once they take this many bytes. It is less than the memory, because new successors and
    /// the newest states need room, too.
    pub from: u64,
}

/// Which bound was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    States(u64),
    Memory(u64),
    Time(Duration),
    Disk(u64),
    /// A file of stored states could not be written or read.
    File(String),
    Interrupted,
    /// A state would need this many words.
    Width(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::States(n) => write!(f, "more than {n} states; raise --max-states"),
            Limit::Memory(n) => write!(f, "more than {} MB of memory; raise --max-memory", n >> 20),
            Limit::Width(n) => write!(f, "a state of {n} words, the most is 64; compress some components"),
            Limit::Disk(n) => write!(f, "more than {} MB of files; raise --max-disk", n >> 20),
            Limit::File(why) => write!(f, "stored states could not be written or read: {why}"),
            Limit::Interrupted => write!(f, "interrupted"),
            Limit::Time(t) => write!(f, "more than {:.1} s; raise --timeout", t.as_secs_f64()),
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub depth: u32,
    pub bytes: u64,
}

/// A budget being spent.
#[derive(Clone, Debug)]
pub struct Meter {
    pub budget: Budget,
    started: Instant,
    /// How far the current search has come, for an answer that names the limit it met.
    progress: Arc<Mutex<Progress>>,
    /// When the memory of the process was last measured, in milliseconds after the start.
    measured: Arc<AtomicU64>,
}

impl Meter {
    pub fn new(budget: Budget) -> Self {
        memory_at_start();
        Meter { budget, started: Instant::now(), progress: Arc::default(), measured: Arc::default() }
    }

    /// The same budget, as far as it is spent, for a search that is not worth several threads.
    pub fn on_one_thread(&self) -> Self {
        Meter { budget: Budget { threads: 1, spill: None, ..self.budget.clone() }, ..self.clone() }
    }

    /// The same budget for a search whose states are all needed afterwards, and so stay in memory.
    pub fn in_memory(&self) -> Self {
        Meter { budget: Budget { spill: None, ..self.budget.clone() }, ..self.clone() }
    }

    /// The same budget with at most this many states.
    pub fn with_states(&self, most: u64) -> Self {
        let max_states = most.min(self.budget.max_states);
        Meter { budget: Budget { max_states, ..self.budget.clone() }, ..self.clone() }
    }

    pub fn note(&self, progress: Progress) {
        *self.progress.lock().expect("nobody panics while it is noted") = progress;
    }

    pub fn progress(&self) -> Progress {
        *self.progress.lock().expect("nobody panics while it is noted")
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn check(&self, states: u64, bytes: u64) -> Result<(), Limit> {
        if states > self.budget.max_states {
            return Err(Limit::States(self.budget.max_states));
        }
        if bytes > self.budget.max_memory {
            return Err(Limit::Memory(self.budget.max_memory));
        }
        self.check_time()
    }

    /// Checks that there is no interrupt, that time is left, and that the process is not too large.
    pub fn check_time(&self) -> Result<(), Limit> {
        if self.budget.interrupted.is_some_and(|i| i.load(Ordering::Relaxed)) {
            return Err(Limit::Interrupted);
        }
        let elapsed = self.started.elapsed();
        match self.budget.timeout {
            Some(limit) if elapsed > limit => Err(Limit::Time(limit)),
            _ => self.check_memory(elapsed),
        }
    }

    fn check_memory(&self, elapsed: Duration) -> Result<(), Limit> {
        let (now, before) = (elapsed.as_millis() as u64, self.measured.load(Ordering::Relaxed));
        if now < before + MEASURED.as_millis() as u64 {
            return Ok(());
        }
        self.measured.store(now, Ordering::Relaxed);
        let taken = resident().saturating_sub(memory_at_start());
        match taken > self.budget.max_memory {
            true => Err(Limit::Memory(self.budget.max_memory)),
            false => Ok(()),
        }
    }

    /// Checks the budget from time to time, in loops with short rounds.
    pub fn pace(&self) -> Pace<'_> {
        Pace { meter: self, rounds: 0 }
    }
}

/// Counts the rounds of a loop, and checks the budget after many of them.
pub struct Pace<'a> {
    meter: &'a Meter,
    rounds: u32,
}

impl Pace<'_> {
    pub fn step(&mut self) -> Result<(), Limit> {
        self.rounds += 1;
        if self.rounds < STRIDE {
            return Ok(());
        }
        self.rounds = 0;
        self.meter.check_time()
    }
}

/// Bytes of the process when the first budget was opened.
fn memory_at_start() -> u64 {
    static START: OnceLock<u64> = OnceLock::new();
    *START.get_or_init(resident)
}

/// Bytes of memory that the process takes now; 0 where the system does not say.
fn resident() -> u64 {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * PAGE)
}
