//! When the evaluation rests, so that the program it watches has the machine.
//!
//! A low priority alone is not enough: a thread that wakes waits for the slice of whoever runs to end, which threads that
//! meet at barriers do hundreds of times a second, and a processor on which something of low priority runs is not idle,
//! so nobody brings it work. So the evaluation works in short turns, and while more threads want to run than there are
//! processors, it sleeps between them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// How long a turn is.
const TURN: Duration = Duration::from_micros(200);
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
    records: u32,
    began: Instant,
    nap: Duration,
}

impl Pace {
    pub fn new() -> Pace {
        Pace {
            load: File::open("/proc/loadavg").ok(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            records: RECORDS,
            began: Instant::now(),
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
        let Some(load) = self.load.as_ref().filter(|_| self.began.elapsed() >= TURN) else { return };
        if running(load).is_some_and(|threads| threads > self.processors) {
            std::thread::sleep(self.nap);
            self.nap = (self.nap * 2).min(LONG);
        } else {
            self.nap = SHORT;
        }
        self.began = Instant::now();
    }
}

/// How many threads want to run on this machine, ourselves included: the numerator in `0.20 0.18 0.12 1/80 11206`.
fn running(load: &File) -> Option<usize> {
    let mut line = [0; 128];
    let len = load.read_at(&mut line, 0).ok()?;
    let line = std::str::from_utf8(&line[..len]).ok()?;
    line.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}
