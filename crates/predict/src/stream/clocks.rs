//! The must-order online: a vector clock for each thread.
//!
//! A thread's own time increases when it passes something on to others: a fork, its end, a signal, an entry into a
//! barrier, a release, the end of an initialiser. The receiver knows the giver up to that time.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foretrace_causality::Clock;
use foretrace_event::wire::{Op, Sync};
use rustc_hash::FxHashMap;

/// How many signals of one condition variable are remembered; a wait whose signal is forgotten is ordered after
/// nothing.
const MOST_SIGNALS: usize = 64;

#[derive(Debug)]
pub(super) struct Clocks {
    threads: Vec<Thread>,
    /// Threads that may act now. A thread that is created later knows what its creator knows then.
    alive: Alive,
    /// Thread numbers of the recording to indices.
    indices: FxHashMap<u64, usize>,
    objects: FxHashMap<u64, Clock>,
    conditions: FxHashMap<u64, VecDeque<Signal>>,
    barriers: FxHashMap<u64, Barrier>,
    regular: FxHashMap<u64, u64>,
}

#[derive(Debug)]
struct Thread {
    clock: Clock,
    /// Its own time.
    now: u32,
    /// The clock that its creator, and later its end, passed on.
    given: Option<Clock>,
    /// When it last unlocked a lock: the time at which a wait began.
    unlocked: u64,
}

/// Threads, in no order.
#[derive(Debug, Default)]
struct Alive {
    list: Vec<usize>,
    at: FxHashMap<usize, usize>,
}

impl Alive {
    fn add(&mut self, thread: usize) {
        if let Entry::Vacant(entry) = self.at.entry(thread) {
            entry.insert(self.list.len());
            self.list.push(thread);
        }
    }

    fn remove(&mut self, thread: usize) {
        let Some(at) = self.at.remove(&thread) else { return };
        self.list.swap_remove(at);
        if let Some(&moved) = self.list.get(at) {
            self.at.insert(moved, at);
        }
    }
}

#[derive(Debug)]
struct Signal {
    stamp: u64,
    clock: Clock,
    broadcast: bool,
}

#[derive(Debug, Default)]
struct Barrier {
    entered: u64,
    gathered: Option<Clock>,
    complete: Option<Clock>,
}

impl Clocks {
    pub(super) fn new(numbers: &[u32], regular: FxHashMap<u64, u64>, is_created: impl Fn(u32) -> bool) -> Self {
        let threads = (0..numbers.len()).map(|index| Thread::new(index, numbers.len())).collect();
        let indices = numbers.iter().enumerate().map(|(index, &number)| (u64::from(number), index)).collect();
        let (objects, conditions, barriers) = Default::default();
        let mut alive = Alive::default();
        (0..numbers.len()).filter(|&index| !is_created(numbers[index])).for_each(|index| alive.add(index));
        Self { threads, alive, indices, objects, conditions, barriers, regular }
    }

    /// The time of a thread: its accesses happen at it.
    #[inline]
    pub(super) fn now(&self, thread: usize) -> u32 {
        self.threads[thread].now
    }

    /// Does this thread's next event come after everything that another thread did at this time?
    #[inline]
    pub(super) fn knows(&self, thread: usize, other: usize, time: u32) -> bool {
        self.threads[thread].clock.get(other) >= time
    }

    /// Does everything to come, in any thread, come after what a thread did at this time?
    pub(super) fn all_know(&self, other: usize, time: u32) -> bool {
        let others = self.alive.list.iter().copied().filter(|&index| index != other);
        others.into_iter().all(|index| self.threads[index].clock.get(other) >= time)
    }

    pub(super) fn sync(&mut self, thread: usize, sync: &Sync) {
        match sync.op {
            Op::Start => {
                if let Some(given) = self.threads[thread].given.take() {
                    self.take(thread, &given);
                }
            }
            Op::Fork => self.fork(thread, sync.arg),
            Op::End => {
                self.threads[thread].given = Some(self.give(thread));
                self.alive.remove(thread);
            }
            Op::Join => self.join(thread, sync.arg),
            Op::Unlock => self.threads[thread].unlocked = sync.stamp,
            Op::Signal | Op::Broadcast => self.signal(thread, sync),
            Op::Wait => self.wait(thread, sync.object),
            Op::BarrierEnter => self.enter(thread, sync.object),
            Op::BarrierExit => self.leave(thread, sync.object),
            Op::OnceDone | Op::Release => self.release(thread, sync.object),
            Op::OncePass | Op::Acquire => {
                if let Some(clock) = self.objects.get(&sync.object).cloned() {
                    self.take(thread, &clock);
                }
            }
            _ => {}
        }
    }

    /// The clock of a thread, to pass on to others; the thread's time advances.
    fn give(&mut self, thread: usize) -> Clock {
        let giver = &mut self.threads[thread];
        let given = giver.clock.clone();
        giver.now += 1;
        giver.clock.raise(thread, giver.now);
        given
    }

    fn take(&mut self, thread: usize, given: &Clock) {
        self.threads[thread].clock.join(given);
    }

    fn fork(&mut self, thread: usize, child: u64) {
        let given = self.give(thread);
        if let Some(&child) = self.indices.get(&child) {
            // A creator knows no more than its child will, so nothing is dropped too early.
            self.threads[child].given = Some(given);
            self.alive.add(child);
        }
    }

    fn join(&mut self, thread: usize, child: u64) {
        let ended = self.indices.get(&child).and_then(|&child| self.threads[child].given.clone());
        if let Some(given) = ended {
            self.take(thread, &given);
        }
    }

    fn signal(&mut self, thread: usize, sync: &Sync) {
        let clock = self.give(thread);
        let signals = self.conditions.entry(sync.object).or_default();
        if signals.len() == MOST_SIGNALS {
            signals.pop_front();
        }
        signals.push_back(Signal { stamp: sync.stamp, clock, broadcast: sync.op == Op::Broadcast });
    }

    /// A wait comes after the first signal since it began, or else after the last before.
    fn wait(&mut self, thread: usize, condition: u64) {
        let began = self.threads[thread].unlocked;
        let Some(signals) = self.conditions.get_mut(&condition) else { return };
        let since = signals.iter().position(|signal| signal.stamp > began);
        let Some(chosen) = since.or(signals.len().checked_sub(1)) else { return };
        let clock = if signals[chosen].broadcast {
            signals[chosen].clock.clone()
        } else {
            signals.remove(chosen).expect("it was just found").clock
        };
        self.take(thread, &clock);
    }

    fn enter(&mut self, thread: usize, barrier: u64) {
        let Some(&count) = self.regular.get(&barrier) else { return };
        let given = self.give(thread);
        let state = self.barriers.entry(barrier).or_default();
        match &mut state.gathered {
            Some(clock) => clock.join(&given),
            None => state.gathered = Some(given),
        }
        state.entered += 1;
        if state.entered.is_multiple_of(count.max(1)) {
            state.complete = state.gathered.take();
        }
    }

    fn leave(&mut self, thread: usize, barrier: u64) {
        if let Some(clock) = self.barriers.get(&barrier).and_then(|state| state.complete.clone()) {
            self.take(thread, &clock);
        }
    }

    fn release(&mut self, thread: usize, object: u64) {
        let given = self.give(thread);
        match self.objects.get_mut(&object) {
            Some(clock) => clock.join(&given),
            None => drop(self.objects.insert(object, given)),
        }
    }
}

impl Thread {
    fn new(index: usize, threads: usize) -> Self {
        let mut clock = Clock::new(threads);
        clock.raise(index, 1);
        Self { clock, now: 1, given: None, unlocked: 0 }
    }
}
