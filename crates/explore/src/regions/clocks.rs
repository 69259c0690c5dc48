//! The clocks of AeroDrome: for each thread, of which regions it has seen something. A region has the number that its
//! thread's own entry had when it began.

use rustc_hash::FxHashMap;
use std::ops::Range;

type Clock = Vec<u32>;

fn join(into: &mut Clock, from: &[u32]) {
    into.resize(into.len().max(from.len()), 0);
    into.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

#[derive(Default)]
struct Thread {
    clock: Clock,
    /// The number of the region that is open.
    open: Option<u32>,
    regions: u32,
}

/// What is known of one byte.
#[derive(Default)]
struct Byte {
    written: Option<(usize, Clock)>,
    /// The last read of each thread since then.
    read: Vec<(usize, Clock)>,
}

/// The state between two steps.
#[derive(Default)]
pub struct Judge {
    threads: Vec<Thread>,
    bytes: FxHashMap<u64, Byte>,
    broken: Vec<usize>,
}

impl Judge {
    /// The threads whose open regions were broken since the last call.
    pub fn take_broken(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.broken)
    }

    fn thread(&mut self, thread: usize) -> &mut Thread {
        while self.threads.len() <= thread {
            self.threads.push(Thread::default());
        }
        let own = &mut self.threads[thread];
        own.clock.resize(own.clock.len().max(thread + 1), 0);
        own
    }

    fn starts(&mut self, thread: usize) -> u32 {
        let own = self.thread(thread);
        own.regions += 1;
        own.clock[thread] = own.regions;
        own.regions
    }

    /// A thread's region begins.
    pub fn begin(&mut self, thread: usize) {
        let number = self.starts(thread);
        self.thread(thread).open = Some(number);
    }

    /// A thread accesses memory.
    pub fn access(&mut self, thread: usize, bytes: Range<u64>, (reads, writes): (bool, bool)) {
        if self.thread(thread).open.is_none() {
            self.starts(thread);
        }
        for at in bytes.clone() {
            let known = self.bytes.entry(at).or_default();
            let mut seen: Vec<Clock> = Vec::new();
            seen.extend(known.written.iter().filter(|(by, _)| *by != thread).map(|(_, clock)| clock.clone()));
            if writes {
                seen.extend(known.read.iter().filter(|(by, _)| *by != thread).map(|(_, clock)| clock.clone()));
            }
            seen.iter().for_each(|clock| self.sees(thread, clock));
        }
        let clock = self.threads[thread].clock.clone();
        for at in bytes {
            let known = self.bytes.entry(at).or_default();
            if writes {
                known.written = Some((thread, clock.clone()));
                known.read.clear();
            }
            if reads {
                known.read.retain(|(by, _)| *by != thread);
                known.read.push((thread, clock.clone()));
            }
        }
    }

    /// A thread sees something that has seen all this: its own region, perhaps.
    fn sees(&mut self, thread: usize, clock: &[u32]) {
        let own = self.thread(thread);
        let is_broken = own.open.is_some_and(|open| clock.get(thread).is_some_and(|seen| *seen >= open));
        join(&mut own.clock, clock);
        if is_broken && !self.broken.contains(&thread) {
            self.broken.push(thread);
        }
    }

    /// A thread's region ends: whoever has seen a part of it has seen it all.
    pub fn end(&mut self, thread: usize) {
        let Some(open) = self.thread(thread).open.take() else { return };
        let clock = self.threads[thread].clock.clone();
        let known = self.broken.len();
        let part = |seen: &[u32]| seen.get(thread).is_some_and(|seen| *seen >= open);
        for other in (0..self.threads.len()).filter(|other| *other != thread) {
            if part(&self.threads[other].clock) {
                self.sees(other, &clock);
            }
        }
        // They come before this one, and this one before them.
        if self.broken.len() > known {
            self.broken.push(thread);
        }
        for byte in self.bytes.values_mut() {
            let all = byte.written.iter_mut().chain(&mut byte.read);
            all.filter(|(_, seen)| part(seen)).for_each(|(_, seen)| join(seen, &clock));
        }
    }
}
