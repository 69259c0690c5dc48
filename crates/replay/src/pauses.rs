//! Where threads pause in a loose replay, and who calls them.
//!
//! More threads than processors take turns by slices of time. In the recorded order a thread that had no processor is away
//! while the others take thousands of steps. A loose order would let it come to its next operation early, and there it
//! would ask for its turn time and again, on a processor that the others need. So it sleeps there until the step before its
//! own in the whole order has been taken, as it did when it was recorded.

use foretrace_event::ThreadId;
use foretrace_event::schedule::{Call, Pause};

/// A thread was away if the others took so many steps meanwhile.
const AWAY: u32 = 1000;

/// Pauses and calls under construction: each thread's, step by step in the whole order.
pub struct Pauses {
    threads: Vec<Thread>,
    /// Steps so far.
    steps: u32,
    /// Who took the last.
    last: Option<ThreadId>,
}

#[derive(Clone, Default)]
struct Thread {
    /// Its steps so far.
    taken: u32,
    /// How many steps of all had been taken with its last.
    last: u32,
    paused_at: u32,
    called_at: u32,
    pauses: Vec<u8>,
    calls: Vec<u8>,
}

impl Pauses {
    pub fn new(threads: usize) -> Self {
        Self { threads: vec![Thread::default(); threads], steps: 0, last: None }
    }

    /// A thread takes the next step.
    pub fn push(&mut self, thread: ThreadId) {
        let here = &self.threads[thread.index()];
        if here.taken > 0
            && self.steps - here.last > AWAY
            && let Some(other) = self.last
        {
            self.pause(thread, other);
        }
        self.steps += 1;
        self.last = Some(thread);
        let here = &mut self.threads[thread.index()];
        here.taken += 1;
        here.last = self.steps;
    }

    /// The thread waits before its next step for the last that the other one has taken.
    fn pause(&mut self, thread: ThreadId, other: ThreadId) {
        let caller = &mut self.threads[other.index()];
        let steps = caller.taken;
        Call { after: steps - caller.called_at, thread: thread.0 }.encode(&mut caller.calls);
        caller.called_at = steps;
        let here = &mut self.threads[thread.index()];
        Pause { after: here.taken - here.paused_at, thread: other.0, steps }.encode(&mut here.pauses);
        here.paused_at = here.taken;
    }

    /// The streams: the threads' pauses, then their calls.
    pub fn end(self) -> impl Iterator<Item = Vec<u8>> {
        let (pauses, calls): (Vec<_>, Vec<_>) =
            self.threads.into_iter().map(|thread| (thread.pauses, thread.calls)).unzip();
        pauses.into_iter().chain(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_away_pauses_until_the_step_before_its_own() {
        let mut pauses = Pauses::new(3);
        let mut steps = |thread, count| (0..count).for_each(|_| pauses.push(ThreadId(thread)));
        steps(0, 5);
        steps(1, 900);
        steps(0, 1);
        steps(1, 1100);
        steps(2, 1);
        steps(0, 1);
        let streams: Vec<Vec<u8>> = pauses.end().collect();
        let pause = Pause { after: 6, thread: 2, steps: 1 };
        assert_eq!(Pause::decode(&mut &streams[0][..]), Some(pause), "not after 900 steps, and after 1101");
        assert_eq!(Call::decode(&mut &streams[5][..]), Some(Call { after: 1, thread: 0 }));
        assert!([1, 2, 3, 4].iter().all(|other| streams[*other].is_empty()), "nor does anyone when it begins");
    }
}
