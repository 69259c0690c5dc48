//! The order that every execution keeps: of the events of a thread, and by starting and joining threads.

use crate::event::Action;
use crate::ids::{EventId, ThreadId};
use crate::program::Ctp;

/// For each thread, how many of its events come before a moment.
type Clock = Vec<u32>;

/// Which events always come before which.
#[derive(Clone, Debug)]
pub struct Must {
    /// For each thread: from which event on, what is known of the other threads.
    changes: Vec<Vec<(u32, Clock)>>,
}

impl Must {
    /// The order of this program. `None` if threads wait for each other in a circle.
    pub fn new(ctp: &Ctp) -> Option<Must> {
        let mut builder = Builder {
            ctp,
            forks: ctp.forks().into_iter().collect(),
            state: vec![State::New; ctp.threads.len()],
            changes: vec![Vec::new(); ctp.threads.len()],
        };
        let done = (0..ctp.threads.len()).all(|thread| builder.starts(thread) && builder.thread(thread));
        done.then_some(Must { changes: builder.changes })
    }

    /// Whether the first event comes before the second in every execution that has both.
    pub fn before(&self, a: EventId, b: EventId) -> bool {
        if a.thread == b.thread {
            return a.index < b.index;
        }
        a.index < self.known(b, a.thread)
    }

    /// How many events of the thread come before the event in every execution.
    pub fn known(&self, event: EventId, thread: ThreadId) -> u32 {
        let changes = &self.changes[event.thread.index()];
        let later = changes.partition_point(|(from, _)| *from <= event.index);
        later.checked_sub(1).map_or(0, |last| changes[last].1[thread.index()])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

struct Builder<'a> {
    ctp: &'a Ctp,
    forks: rustc_hash::FxHashMap<ThreadId, EventId>,
    state: Vec<State>,
    changes: Vec<Vec<(u32, Clock)>>,
}

impl Builder<'_> {
    /// Whether the threads that start each other end at one that exists from the beginning.
    fn starts(&self, thread: usize) -> bool {
        let mut at = ThreadId(thread as u32);
        let parent = |_| {
            let fork = self.forks.get(&at)?;
            at = fork.thread;
            Some(())
        };
        (0..=self.ctp.threads.len()).map_while(parent).count() <= self.ctp.threads.len()
    }

    /// Works on an explicit stack: a chain of threads that start each other may be as long as the program.
    fn thread(&mut self, thread: usize) -> bool {
        let mut open = vec![thread];
        while let Some(top) = open.last().copied() {
            if self.state[top] == State::Done {
                open.pop();
                continue;
            }
            let missing: Vec<usize> = self.needs(top).filter(|need| self.state[*need] != State::Done).collect();
            if missing.iter().any(|need| self.state[*need] == State::Open) || missing.contains(&top) {
                return false;
            }
            self.state[top] = State::Open;
            if missing.is_empty() {
                self.changes[top] = self.finish(top);
                self.state[top] = State::Done;
            }
            open.extend(missing);
        }
        true
    }

    /// The threads whose clocks at their end must be known first: those that this one joins.
    fn needs(&self, thread: usize) -> impl Iterator<Item = usize> {
        self.ctp.threads[thread].events.iter().filter_map(|event| match event.action {
            Action::Join(other) => Some(other.index()),
            _ => None,
        })
    }

    fn finish(&self, thread: usize) -> Vec<(u32, Clock)> {
        let mut clock = self.start(thread);
        let mut changes = vec![(0, clock.clone())];
        for (index, event) in self.ctp.threads[thread].events.iter().enumerate() {
            if let Action::Join(other) = event.action {
                let last = self.changes[other.index()].last().map(|(_, clock)| clock.clone()).unwrap_or_default();
                clock.iter_mut().zip(last).for_each(|(mine, theirs)| *mine = theirs.max(*mine));
                clock[other.index()] = self.ctp.threads[other.index()].events.len() as u32;
                changes.push((index as u32, clock.clone()));
            }
        }
        changes
    }

    /// What is known when a thread starts: all that came before its fork, and the same for the forker.
    fn start(&self, thread: usize) -> Clock {
        let mut clock = vec![0; self.ctp.threads.len()];
        let mut child = ThreadId(thread as u32);
        for _ in 0..self.ctp.threads.len() {
            let Some(fork) = self.forks.get(&child) else { break };
            let mine = &mut clock[fork.thread.index()];
            *mine = (*mine).max(fork.index + 1);
            self.joined(*fork, &mut clock);
            child = fork.thread;
        }
        clock
    }

    /// The threads that the forker has joined before it forks.
    fn joined(&self, fork: EventId, clock: &mut Clock) {
        let before = self.ctp.threads[fork.thread.index()].events.iter().take(fork.index as usize);
        for event in before {
            if let Action::Join(other) = event.action {
                clock[other.index()] = self.ctp.threads[other.index()].events.len() as u32;
            }
        }
    }
}
