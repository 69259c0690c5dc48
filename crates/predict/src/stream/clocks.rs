//! The must-order on line: a vector clock a thread.
//!
//! A thread's own time goes up when it gives something to others: a fork, its end, a signal, an entry into a barrier, a
//! release, the end of an initialiser. Whoever takes it knows the giver up to that time.

use std::collections::VecDeque;

use foretrace_event::wire::{Op, Sync};
use rustc_hash::FxHashMap;

type Clock = Box<[u32]>;

/// Signals of one condition variable that are remembered; a wait whose signal is forgotten is ordered after nothing.
const MOST_SIGNALS: usize = 64;

#[derive(Debug)]
pub(super) struct Clocks {
    threads: Vec<Thread>,
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
    /// What its creator, and then its end, gave.
    given: Option<Clock>,
    ended: bool,
    /// When it last gave back a lock: when a wait began.
    unlocked: u64,
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
    pub(super) fn new(numbers: &[u32], regular: FxHashMap<u64, u64>) -> Self {
        let threads = (0..numbers.len()).map(|index| Thread::new(index, numbers.len())).collect();
        let indices = numbers.iter().enumerate().map(|(index, &number)| (u64::from(number), index)).collect();
        let (objects, conditions, barriers) = Default::default();
        Self { threads, indices, objects, conditions, barriers, regular }
    }

    /// The time of a thread: its accesses happen at it.
    #[inline]
    pub(super) fn now(&self, thread: usize) -> u32 {
        self.threads[thread].clock[thread]
    }

    /// Does what a thread does now come after all that another did at this time?
    #[inline]
    pub(super) fn knows(&self, thread: usize, other: usize, time: u32) -> bool {
        self.threads[thread].clock[other] >= time
    }

    /// Does everything to come, of whatever thread, come after what a thread did at this time?
    pub(super) fn all_know(&self, other: usize, time: u32) -> bool {
        let alive = self.threads.iter().enumerate().filter(|(index, thread)| *index != other && thread.may_act());
        alive.into_iter().all(|(_, thread)| thread.clock[other] >= time)
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
                self.threads[thread].ended = true;
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

    /// What a thread knows, given to others; its time goes on.
    fn give(&mut self, thread: usize) -> Clock {
        let given = self.threads[thread].clock.clone();
        self.threads[thread].clock[thread] += 1;
        given
    }

    fn take(&mut self, thread: usize, given: &Clock) {
        join(&mut self.threads[thread].clock, given);
    }

    fn fork(&mut self, thread: usize, child: u64) {
        let given = self.give(thread);
        if let Some(&child) = self.indices.get(&child) {
            // A creator knows no more than its child will: so what nobody knows yet is not dropped too early.
            self.threads[child].given = Some(given);
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
            Some(clock) => join(clock, &given),
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
            Some(clock) => join(clock, &given),
            None => drop(self.objects.insert(object, given)),
        }
    }
}

impl Thread {
    fn new(index: usize, threads: usize) -> Self {
        let mut clock = vec![0; threads].into_boxed_slice();
        clock[index] = 1;
        Self { clock, given: None, ended: false, unlocked: 0 }
    }

    /// May it still do something?
    fn may_act(&self) -> bool {
        !self.ended
    }
}

fn join(clock: &mut Clock, other: &Clock) {
    clock.iter_mut().zip(other.iter()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}
