//! When the evaluation rests, so that the program it watches has the machine.
//!
//! A low priority alone is not enough: a thread that wakes waits for the slice of whoever runs to end, which threads that
//! meet at barriers do hundreds of times a second, and a processor on which something of low priority runs is not idle,
//! so nobody brings it work. So the evaluation works in short turns, and while the program runs and more threads want to
//! than there are processors, it sleeps between them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// How long a turn is, at least.
const TURN: Duration = Duration::from_micros(200);
/// A turn is this part of the time before it that the evaluation was away, which may be much longer than it slept where
/// others keep the processors busy: it is never starved.
const SHARE: u32 = 16;
/// So many records are evaluated before the clock is read.
const RECORDS: u32 = 32;
/// How long to sleep while the program needs the processors; longer each time, up to the second.
const SHORT: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_millis(4);

/// Turns of the evaluation, and sleep between them.
pub struct Pace {
    /// Where the kernel says how many threads want to run; nothing once there is no program to give way to.
    load: Option<File>,
    processors: usize,
    program: Activity,
    records: u32,
    began: Instant,
    turn: Duration,
    nap: Duration,
}

impl Pace {
    /// For a program, by the number of its process.
    pub fn new(program: u32) -> Pace {
        Pace {
            load: File::open("/proc/loadavg").ok(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            program: Activity::of(program),
            records: RECORDS,
            began: Instant::now(),
            turn: TURN,
            nap: SHORT,
        }
    }

    /// There is nobody left to give way to.
    pub fn run_free(&mut self) {
        self.load = None;
    }

    /// One more record was evaluated.
    #[inline]
    pub fn step(&mut self) {
        self.records -= 1;
        if self.records == 0 {
            self.records = RECORDS;
            self.turn();
        }
    }

    fn turn(&mut self) {
        let Some(load) = self.load.as_ref().filter(|_| self.began.elapsed() >= self.turn) else { return };
        let away = Instant::now();
        if running(load).is_some_and(|threads| threads > self.processors) && self.program.runs() {
            std::thread::sleep(self.nap);
            self.nap = (self.nap * 2).min(LONG);
        } else {
            self.nap = SHORT;
        }
        self.began = Instant::now();
        self.turn = TURN.max((self.began - away) / SHARE);
    }
}

/// Whether the program takes time of the processors: if it waits for something else, others may have them.
struct Activity {
    statistics: Option<File>,
    looked: Instant,
    ticks: u64,
    runs: bool,
}

/// The kernel counts the time that a process takes in steps of a hundredth of a second.
const GLANCE: Duration = Duration::from_millis(30);

impl Activity {
    fn of(program: u32) -> Activity {
        let statistics = File::open(format!("/proc/{program}/stat")).ok();
        Activity { statistics, looked: Instant::now(), ticks: 0, runs: true }
    }

    fn runs(&mut self) -> bool {
        if let Some(statistics) = self.statistics.as_ref().filter(|_| self.looked.elapsed() >= GLANCE) {
            let ticks = ticks(statistics).unwrap_or(0);
            self.runs = ticks != self.ticks;
            (self.looked, self.ticks) = (Instant::now(), ticks);
        }
        self.runs
    }
}

/// The time that a process has taken, all threads of it: behind its name, which may be anything, the twelfth and the
/// thirteenth number.
fn ticks(statistics: &File) -> Option<u64> {
    let mut line = [0; 1024];
    let len = statistics.read_at(&mut line, 0).ok()?;
    let line = String::from_utf8_lossy(&line[..len]);
    let mut numbers = line.rsplit_once(") ")?.1.split(' ').skip(11).map(str::parse::<u64>);
    Some(numbers.next()?.ok()? + numbers.next()?.ok()?)
}

/// How many threads want to run on this machine, ourselves included: the numerator in `0.20 0.18 0.12 1/80 11206`.
fn running(load: &File) -> Option<usize> {
    let mut line = [0; 128];
    let len = load.read_at(&mut line, 0).ok()?;
    let line = std::str::from_utf8(&line[..len]).ok()?;
    line.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}
