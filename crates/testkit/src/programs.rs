//! Traces of programs whose size can be chosen, for benchmarks of growth.

use foretrace_event::{Event, IntervalId, LockId, Patience, ThreadId};
use foretrace_trace::{IntervalInfo, LockInfo, PlaceId, ThreadInfo, Trace, TraceBuilder};

/// A builder with this many threads, locks and intervals, whose first thread creates all others.
struct Script {
    builder: TraceBuilder,
}

impl Script {
    fn new(threads: u32, locks: u32, intervals: u32) -> Self {
        let mut builder = TraceBuilder::new();
        for _ in 0..threads {
            builder.thread(ThreadInfo::default());
        }
        for _ in 0..locks {
            builder.lock(LockInfo::default());
        }
        for _ in 0..intervals {
            builder.interval(IntervalInfo::default());
        }
        Self { builder }
    }

    fn push(&mut self, thread: u32, event: Event) {
        self.builder.push(ThreadId(thread), event, PlaceId::UNKNOWN).expect("a script is a legal history");
    }

    fn fork_all(&mut self, threads: u32) {
        (1..threads).for_each(|child| self.push(0, Event::Fork(ThreadId(child))));
    }

    fn lock(&mut self, thread: u32, lock: u32) {
        self.push(thread, Event::Lock(LockId(lock), Patience::Blocking));
    }

    fn unlock(&mut self, thread: u32, lock: u32) {
        self.push(thread, Event::Unlock(LockId(lock)));
    }

    fn write(&mut self, thread: u32, interval: u32) {
        self.push(thread, Event::Write(IntervalId(interval)));
    }

    fn join_all(mut self, threads: u32) -> Trace {
        (1..threads).for_each(|child| self.push(0, Event::Join(ThreadId(child))));
        self.builder.finish()
    }
}

/// The program of the thesis's Figure 5.17: `n` protected increments in each thread, and a race that shows only if the
/// worker finishes first. In the recorded run the main thread went first.
pub fn hidden_race(n: u32) -> Trace {
    let mut script = Script::new(2, 1, 2);
    script.fork_all(2);
    script.write(0, 0);
    for thread in [0, 1] {
        for _ in 0..n {
            script.lock(thread, 0);
            script.write(thread, 1);
            script.unlock(thread, 0);
        }
    }
    script.write(1, 0);
    script.join_all(2)
}

/// Dining philosophers with this many rounds each, one after the other. If `ordered`, they take the lower fork first.
pub fn philosophers(count: u32, rounds: u32, ordered: bool) -> Trace {
    let mut script = Script::new(count + 1, count, 0);
    script.fork_all(count + 1);
    for _ in 0..rounds {
        for philosopher in 0..count {
            let (left, right) = (philosopher, (philosopher + 1) % count);
            let (first, second) = if ordered { (left.min(right), left.max(right)) } else { (left, right) };
            let thread = philosopher + 1;
            script.lock(thread, first);
            script.lock(thread, second);
            script.unlock(thread, second);
            script.unlock(thread, first);
        }
    }
    script.join_all(count + 1)
}

/// Two threads with this many critical sections of one lock each.
pub fn two_threads(sections: u32) -> Trace {
    let mut script = Script::new(2, 1, 0);
    for thread in [0, 1] {
        for _ in 0..sections {
            script.lock(thread, 0);
            script.unlock(thread, 0);
        }
    }
    script.builder.finish()
}
