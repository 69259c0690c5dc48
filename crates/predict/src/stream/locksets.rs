//! The locks that each thread holds, as a number for each set of locks.

use rustc_hash::FxHashMap;

/// A set of locks by number. Two equal sets have equal numbers; zero is the empty set.
pub(super) type Held = u32;

/// One lock of a set: its address, and whether it is held exclusively.
type Lock = (u64, bool);

#[derive(Debug)]
pub(super) struct Locksets {
    threads: Vec<Thread>,
    numbers: FxHashMap<Vec<Lock>, Held>,
    sets: Vec<Vec<Lock>>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The locks it holds, sorted.
    locks: Vec<Hold>,
    held: Held,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, Debug)]
struct Hold {
    lock: Lock,
    /// How often it was locked.
    depth: u32,
    /// Whether it was only tried: the try might have failed, so the lock protects nothing.
    protects: bool,
}

impl Locksets {
    pub(super) fn new(threads: usize) -> Self {
        let numbers = FxHashMap::from_iter([(Vec::new(), 0)]);
        Self { threads: vec![Thread::default(); threads], numbers, sets: vec![Vec::new()] }
    }

    #[inline]
    pub(super) fn held(&self, thread: usize) -> Held {
        self.threads[thread].held
    }

    pub(super) fn take(&mut self, thread: usize, address: u64, alone: bool, protects: bool) {
        let locks = &mut self.threads[thread].locks;
        match locks.iter_mut().find(|hold| hold.lock.0 == address) {
            Some(hold) => hold.depth += 1,
            None => {
                let at = locks.partition_point(|hold| hold.lock.0 < address);
                locks.insert(at, Hold { lock: (address, alone), depth: 1, protects });
                self.renumber(thread);
            }
        }
    }

    pub(super) fn give_back(&mut self, thread: usize, address: u64) {
        let locks = &mut self.threads[thread].locks;
        match locks.iter().position(|hold| hold.lock.0 == address) {
            Some(at) if locks[at].depth == 1 => {
                locks.remove(at);
                self.renumber(thread);
            }
            Some(at) => locks[at].depth -= 1,
            // Another thread unlocks it: from now on its owner does not hold it.
            None => self.give_back_for_other(address),
        }
    }

    fn give_back_for_other(&mut self, address: u64) {
        for thread in 0..self.threads.len() {
            let locks = &mut self.threads[thread].locks;
            let before = locks.len();
            locks.retain(|hold| hold.lock.0 != address);
            if locks.len() < before {
                self.renumber(thread);
            }
        }
    }

    fn renumber(&mut self, thread: usize) {
        let held = self.threads[thread].locks.iter().filter(|hold| hold.protects);
        let locks: Vec<Lock> = held.map(|hold| hold.lock).collect();
        let number = match self.numbers.get(&locks) {
            Some(&number) => number,
            None => {
                let number = Held::try_from(self.sets.len()).expect("fewer than four thousand million lock sets");
                self.sets.push(locks.clone());
                self.numbers.insert(locks, number);
                number
            }
        };
        self.threads[thread].held = number;
    }

    /// Can two threads hold these sets at once?
    #[inline]
    pub(super) fn together(&self, one: Held, other: Held) -> bool {
        if one == 0 || other == 0 {
            return true;
        }
        if one == other && self.sets[one as usize][0].1 {
            return false;
        }
        let (a, b) = (&self.sets[one as usize], &self.sets[other as usize]);
        !a.iter().any(|lock| b.iter().any(|other| lock.0 == other.0 && (lock.1 || other.1)))
    }
}
