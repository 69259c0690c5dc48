//! A state on the path of the search.

use super::tree::{Branch, Label, conflict};
use crate::execution::Step;
use crate::plan::Choice;
use foretrace_event::ThreadId;
use foretrace_event::visible::Operation;

/// A state on the current path, and the decision that is being explored there.
#[derive(Clone, Debug)]
pub struct Frame {
    pub sleep: Vec<(ThreadId, Operation)>,
    pub current: Choice,
    pub operation: Operation,
    /// What is to be explored after it.
    pub branches: Vec<Branch>,
    /// Whether the program took the decision.
    pub taken: bool,
    /// The alternatives of the current thread that have been explored.
    pub done: Vec<u32>,
    /// How many decisions have been explored.
    pub explored: u32,
    /// How many of the sleepers slept before any of them.
    pub inherited: usize,
}

impl Frame {
    /// A state in which these threads sleep, with a decision and what is to be explored after it.
    pub fn new(sleep: Vec<(ThreadId, Operation)>, label: Label, branches: Vec<Branch>) -> Self {
        let Label { choice: current, operation } = label;
        let inherited = sleep.len();
        Self { sleep, current, operation, branches, taken: true, done: Vec::new(), explored: 0, inherited }
    }

    /// Who sleeps in the next state.
    pub fn next_sleep(&self) -> Vec<(ThreadId, Operation)> {
        let stays = |(thread, operation): &&(ThreadId, Operation)| {
            *thread != self.current.thread && !conflict(&self.operation, operation)
        };
        self.sleep.iter().filter(stays).copied().collect()
    }

    /// The current decision has been explored. Its thread sleeps if none of its alternatives is left.
    pub fn finish(&mut self) {
        self.done.push(self.current.alternative);
        self.explored += 1;
        if self.taken && self.branches.iter().all(|branch| branch.first().thread != self.current.thread) {
            self.sleep.push((self.current.thread, self.operation));
        }
    }

    /// Adds the other alternatives of the current decision, and puts them first. How many were added.
    pub fn add_alternatives(&mut self, step: &Step) -> usize {
        let before = self.branches.len();
        for alternative in (0..step.alternatives).filter(|&other| other != step.alternative) {
            let choice = Choice { thread: step.thread, alternative };
            let known = self.branches.iter().any(|branch| branch.first() == choice);
            if !known && !self.done.contains(&alternative) {
                self.branches.push(Branch::single(choice, step.operation));
            }
        }
        self.branches.sort_by_key(|branch| branch.first().thread != step.thread);
        self.branches.len() - before
    }
}
