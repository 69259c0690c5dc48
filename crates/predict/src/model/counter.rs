//! A number that operations change by one: a semaphore's value, a barrier's arrivals.

use super::op::CounterOf;

/// Its value is the initial one plus, for each thread, a function of its position.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) of: CounterOf,
    pub(crate) initial: i64,
    /// For each thread that changes it: the positions after each change, and the sums of the changes.
    pub(crate) tracks: Vec<Track>,
}

/// The changes of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub(crate) thread: u32,
    pub(crate) at: Vec<u32>,
    pub(crate) sums: Vec<i64>,
    /// Barriers: how many of the changes are exits.
    pub(crate) exits: Vec<i64>,
}

impl Counter {
    pub(crate) fn new(of: CounterOf, initial: i64) -> Self {
        Self { of, initial, tracks: Vec::new() }
    }

    /// Notes that the operation before `position` of `thread` changes the value.
    pub(crate) fn change(&mut self, thread: u32, position: u32, by: i64, exit: bool) {
        if self.tracks.last().is_none_or(|track| track.thread != thread) {
            self.tracks.push(Track { thread, at: Vec::new(), sums: Vec::new(), exits: Vec::new() });
        }
        let track = self.tracks.last_mut().expect("just pushed");
        track.at.push(position);
        track.sums.push(track.sums.last().unwrap_or(&0) + by);
        track.exits.push(track.exits.last().unwrap_or(&0) + i64::from(exit));
    }

    /// Is it a barrier's?
    pub(crate) fn is_barrier(&self) -> bool {
        matches!(self.of, CounterOf::BarrierEnters(_))
    }

    /// The highest value it can have: one for a mutex.
    pub(crate) fn most(&self) -> i64 {
        let ups = |track: &Track| (0..track.at.len()).filter(|&index| track.step(index) > 0).count() as i64;
        match self.of {
            CounterOf::Lock(_) => 1,
            _ => self.initial + self.tracks.iter().map(ups).sum::<i64>(),
        }
    }

    /// Its value at a cut.
    pub(crate) fn value(&self, cut: &[u32]) -> i64 {
        self.initial + self.tracks.iter().map(|track| track.sum(cut)).sum::<i64>()
    }

    /// How many exits there have been at a cut.
    pub(crate) fn exits(&self, cut: &[u32]) -> i64 {
        self.tracks.iter().map(|track| track.done(cut).map_or(0, |last| track.exits[last])).sum()
    }
}

impl Track {
    /// The last change performed at a cut.
    fn done(&self, cut: &[u32]) -> Option<usize> {
        let position = cut[self.thread as usize];
        self.at.partition_point(|&at| at <= position).checked_sub(1)
    }

    fn sum(&self, cut: &[u32]) -> i64 {
        self.done(cut).map_or(0, |last| self.sums[last])
    }

    /// Are increments still to come?
    pub(crate) fn ups_left(&self, cut: &[u32]) -> bool {
        let done = self.done(cut).map_or(0, |last| last + 1);
        (done..self.at.len()).any(|index| self.step(index) > 0)
    }

    /// Are operations on it still to come?
    pub(crate) fn uses_left(&self, cut: &[u32]) -> bool {
        self.at.last().is_some_and(|&last| last > cut[self.thread as usize])
    }

    fn step(&self, index: usize) -> i64 {
        self.sums[index] - index.checked_sub(1).map_or(0, |last| self.sums[last])
    }
}
