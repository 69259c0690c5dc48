//! What an analysis suspects.

use std::fmt;

use crate::Violation;
use foretrace_event::{BarrierId, ChannelId, CondInstance, EventId, IntervalId, LockId, OnceId, SemId, ThreadId};

/// A suspected error.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Candidate {
    /// Two accesses that no order keeps apart.
    Race(Race),
    /// Threads that wait for each other, or for something that will never happen.
    Deadlock(Deadlock),
    /// A property of the user's that is violated.
    Violation(Violation),
}

impl Candidate {
    /// The property that it violates, if it violates one.
    pub fn violation(&self) -> Option<&Violation> {
        if let Self::Violation(violation) = self { Some(violation) } else { None }
    }

    /// The events that the error is about: the accesses of a race, what the threads of a deadlock cannot perform.
    pub fn events(&self) -> Vec<EventId> {
        match self {
            Self::Race(race) => vec![race.first, race.second],
            Self::Deadlock(deadlock) => deadlock.events().collect(),
            Self::Violation(violation) => violation.because.iter().copied().chain([violation.event]).collect(),
        }
    }

    /// The memory that it is about, if it is about memory.
    pub fn interval(&self) -> Option<IntervalId> {
        match self {
            Self::Race(race) => Some(race.interval),
            Self::Deadlock(_) | Self::Violation(_) => None,
        }
    }
}

/// Two accesses of different threads to one interval, at least one of them a write. `first` is the smaller id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Race {
    /// The memory both touch.
    pub interval: IntervalId,
    /// One access.
    pub first: EventId,
    /// The other.
    pub second: EventId,
}

impl Race {
    /// The race of two accesses, whichever comes first.
    pub fn new(interval: IntervalId, one: EventId, other: EventId) -> Self {
        Self { interval, first: one.min(other), second: one.max(other) }
    }
}

/// A set of threads, none of which can go on unless another of them does. Ordered by thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Deadlock {
    stuck: Vec<Stuck>,
}

impl Deadlock {
    /// The deadlock of these threads, each named once.
    pub fn new(mut stuck: Vec<Stuck>) -> Self {
        stuck.sort_unstable();
        Self { stuck }
    }

    /// The stuck threads.
    pub fn stuck(&self) -> &[Stuck] {
        &self.stuck
    }

    /// The events that cannot take place, one for each thread. They identify a deadlock.
    pub fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.stuck.iter().map(|stuck| stuck.at)
    }
}

/// One thread of a deadlock: the event it cannot perform, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stuck {
    /// The event that cannot take place.
    pub at: EventId,
    /// What it waits for.
    pub waits_for: WaitsFor,
}

/// What a stuck thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaitsFor {
    /// A lock that this thread holds (itself, in a self-deadlock).
    Lock(LockId, ThreadId),
    /// A lock that a thread other than its owner must release.
    Release(LockId),
    /// The end of a thread.
    End(ThreadId),
    /// A signal or broadcast that has not been sent.
    Signal(CondInstance),
    /// A signal or broadcast that was sent before the wait began.
    LostSignal(CondInstance),
    /// More threads at a barrier.
    Barrier(BarrierId),
    /// A post of a semaphore.
    Post(SemId),
    /// The end of an initialiser.
    Once(OnceId),
    /// A release into a channel.
    Channel(ChannelId),
}

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock, holder) => write!(f, "{lock}, held by {holder}"),
            Self::Release(lock) => write!(f, "the release of {lock}"),
            Self::End(thread) => write!(f, "the end of {thread}"),
            Self::Signal(instance) => write!(f, "signal {instance}"),
            Self::LostSignal(instance) => write!(f, "signal {instance}, given before the wait"),
            Self::Barrier(barrier) => write!(f, "more threads at barrier {barrier}"),
            Self::Post(sem) => write!(f, "a post of {sem}"),
            Self::Once(once) => write!(f, "the initialiser {once}"),
            Self::Channel(channel) => write!(f, "a release into {channel}"),
        }
    }
}
