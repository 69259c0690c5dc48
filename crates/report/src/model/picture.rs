//! What a page shows of a finding beyond its steps that matter: the whole interleaving, and the source around it.
//!
//! A picture is not part of the JSON form of a report, which it would make many times larger. Saved findings have it in a
//! file of its own.

use super::Step;
use crate::act::Thing;
use serde::{Deserialize, Serialize};

/// The whole course of a run that fails.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Picture {
    /// The names of the threads: those of the finding, then the others.
    pub threads: Vec<String>,
    /// The steps, in the order of the failing run.
    pub steps: Vec<Drawn>,
    /// How many steps are not here, because there are too many.
    pub left_out: usize,
    /// Who made whose step possible.
    pub links: Vec<Link>,
    /// Locks that are held for some of the steps.
    pub bars: Vec<Bar>,
    /// Those of the steps that the recorded run has, too, in its order.
    pub recorded: Vec<usize>,
    /// The lines of source around the places.
    pub sources: Vec<Excerpt>,
    /// If the finding breaks a property: its automaton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automaton: Option<Automaton>,
}

/// A step of a picture.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// What is done; the thread is an index into the threads of the picture.
    pub step: Step,
    /// It is one of those that matter.
    pub matters: bool,
}

/// One step made another one possible, or gave it a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Link {
    /// The earlier step.
    pub from: usize,
    /// The later one, of another thread.
    pub to: usize,
    /// How.
    pub how: How,
}

/// How a step makes another one possible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It creates the thread.
    Creates,
    /// It is the end that is waited for.
    Ends,
    /// It gives back the lock.
    Releases,
    /// It wakes the thread.
    Wakes,
    /// It posts the semaphore, or sends the message.
    Gives,
    /// It writes the value that is read.
    Writes,
}

/// A lock that a thread holds from one step to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bar {
    /// An index into the threads of the picture.
    pub thread: usize,
    /// Which lock.
    pub lock: Thing,
    /// For reading.
    pub shared: bool,
    /// The step that takes it.
    pub from: usize,
    /// The step that gives it back; none: it is held to the end.
    pub to: Option<usize>,
}

/// Lines of a source file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Excerpt {
    /// The name of the file, as the frames have it.
    pub file: String,
    /// The number of the first line, from 1.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
}

/// The automaton of a property, and how the failing run goes through it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Automaton {
    /// What the property says.
    pub property: String,
    /// The names of the states.
    pub states: Vec<String>,
    /// Those in which the property is broken.
    pub bad: Vec<usize>,
    /// From a state, on an event, to a state.
    pub edges: Vec<Edge>,
    /// The state before the first step.
    pub initial: usize,
    /// The state after a step, for each step that changes it or that the property names: the step and the state.
    pub after: Vec<(usize, usize)>,
}

/// A transition of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// From this state
    pub from: usize,
    /// to this one
    pub to: usize,
    /// on this event.
    pub on: String,
}

impl Picture {
    /// The text of a line, if it is here.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        let excerpt = self.excerpt(file, line)?;
        excerpt.lines.get((line - excerpt.first) as usize).map(String::as_str)
    }

    /// The excerpt with a line.
    pub fn excerpt(&self, file: &str, line: u32) -> Option<&Excerpt> {
        let has = |excerpt: &&Excerpt| {
            excerpt.file == file
                && line.checked_sub(excerpt.first).is_some_and(|at| (at as usize) < excerpt.lines.len())
        };
        self.sources.iter().find(has)
    }

    /// Do all numbers in it name something? Saved pictures are untrusted.
    pub fn is_sound(&self) -> bool {
        let (threads, steps) = (self.threads.len(), self.steps.len());
        let automaton = self.automaton.as_ref().is_none_or(|automaton| automaton.is_sound(steps));
        self.steps.iter().all(|drawn| drawn.step.thread < threads)
            && self.links.iter().all(|link| link.from < steps && link.to < steps)
            && self
                .bars
                .iter()
                .all(|bar| bar.thread < threads && bar.from < steps && bar.to.is_none_or(|to| to < steps))
            && self.recorded.iter().all(|step| *step < steps)
            && automaton
    }
}

impl Automaton {
    fn is_sound(&self, steps: usize) -> bool {
        let is_state = |state: usize| state < self.states.len();
        is_state(self.initial)
            && self.bad.iter().all(|state| is_state(*state))
            && self.edges.iter().all(|edge| is_state(edge.from) && is_state(edge.to))
            && self.after.iter().all(|(step, state)| *step < steps && is_state(*state))
    }
}
