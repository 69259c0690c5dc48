//! Optimal dynamic partial-order reduction: one execution of each equivalence class.
//!
//! Source sets, sleep sets and wake-up trees of Abdulla, Aronis, Jonsson and Sagonas (POPL'14, JACM'17). The search goes
//! depth first. After each complete execution it looks for [races](race) that can be reversed, and inserts each reversal into the
//! wake-up tree of the state before it, unless a sleeping thread could begin an equivalent execution.
//!
//! **Deviations.** A decision with alternatives (whom a signal wakes) has a branch for each, explored one after the
//! other; its thread sleeps when all have been. A step that ends the process while others could go on is delayed behind
//! each of them, so that a crash does not hide what they do; it is not moved forward, because that shows nothing new.
//! Wake-up trees can grow with the number of classes, so their size is bounded: beyond it only the first decision of a new
//! sequence is kept, as with source sets alone. Nothing is lost, but sleep sets may then cut off executions. The form that
//! is both optimal and small (Abdulla and others, CAV'24) is not implemented.

mod cell;
mod event;
mod frame;
mod history;
mod race;
mod state;
mod tree;

pub use state::StateError;

use crate::estimate::Progress;
use crate::execution::{End, Execution};
use crate::plan::{Choice, Plan};
use crate::pruning::{Pruning, PruningCounts};
use crate::search::Search;
use event::Event;
use foretrace_event::ThreadId;
use foretrace_event::visible::{OpKind, Operation};
use frame::Frame;
use history::History;
use tree::{Branch, Element, Label};

/// Runs one execution of each class.
#[derive(Clone, Debug, Default)]
pub struct Optimal {
    history: History,
    frames: Vec<Frame>,
    begun: bool,
    /// The last plan has not been learnt from.
    open: bool,
    /// The search was saved with an open plan, which comes first.
    again: bool,
    /// How many events the last plan shares with the execution before.
    known: usize,
    counts: Counts,
    root: Root,
    pruning: Option<Pruning>,
    /// How many decisions the wake-up trees contain, and how many they may contain before sequences are cut short.
    stored: usize,
    most: Most,
    /// Whether a sequence was cut short.
    forgot: bool,
}

/// How many decisions wake-up trees may contain.
#[derive(Clone, Copy, Debug)]
struct Most(usize);

impl Default for Most {
    fn default() -> Self {
        Self(1 << 18)
    }
}

/// The state that a search begins in.
#[derive(Clone, Debug, Default)]
struct Root {
    prefix: Vec<Choice>,
    sleep: Vec<(ThreadId, Operation)>,
}

/// What was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Executions that reached an end, one for each class.
    pub classes: u64,
    /// Executions that were cut off because they are equivalent to others, which is no loss. There are none unless the search
    /// [may repeat](Optimal::may_repeat) some.
    pub asleep: u64,
    /// Executions that did not follow their plan.
    pub diverged: u64,
    /// Executions that did not reach an end of their own.
    pub cut: u64,
    /// Steps of all executions.
    pub steps: u64,
    /// The steps of the longest.
    pub depth: u64,
}

impl Optimal {
    /// From the start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only the executions that begin with these decisions.
    pub fn below(prefix: Vec<Choice>) -> Self {
        Self::below_asleep(prefix, Vec::new())
    }

    /// The same, with threads that sleep there.
    pub(crate) fn below_asleep(prefix: Vec<Choice>, sleep: Vec<(ThreadId, Operation)>) -> Self {
        Self { root: Root { prefix, sleep }, ..Self::default() }
    }

    /// Skips what cannot show the property that is looked for. It may then run some classes twice.
    pub fn pruned(pruning: Pruning) -> Self {
        Self { pruning: Some(pruning), ..Self::default() }
    }

    /// Keeps at most about so many decisions in mind. With fewer than it needs, which may be as many as there are classes,
    /// the search finds the same, but some executions are redundant ([`Counts::asleep`]).
    pub fn remember(self, decisions: usize) -> Self {
        Self { most: Most(decisions), ..self }
    }

    /// What pruning has done, if there is any.
    pub fn pruning(&self) -> Option<PruningCounts> {
        self.pruning.as_ref().map(Pruning::counts)
    }

    /// May executions be cut off because they are equivalent to others? The search finds the same.
    pub fn may_repeat(&self) -> bool {
        self.forgot || self.pruning.is_some()
    }

    /// What was seen so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How far the search is. It may be asked between an execution and the next plan.
    pub fn progress(&self) -> Progress {
        let Counts { classes, depth, .. } = self.counts;
        let (mut part, mut weight) = (0.0, 1.0);
        for frame in self.frames.iter().skip(self.root.prefix.len()) {
            weight /= f64::from(frame.explored) + 1.0 + frame.branches.len() as f64;
            part += weight * f64::from(frame.explored);
        }
        Progress { classes, depth, part: if self.begun { part + weight } else { 0.0 } }
    }

    /// Has a plan been proposed?
    pub fn is_begun(&self) -> bool {
        self.begun
    }

    /// The decisions of the current path; before the first execution, those that the search begins with.
    fn plan(&self) -> Plan {
        let Root { prefix, sleep } = &self.root;
        match self.frames.last() {
            None => Plan { sleep: sleep.clone(), ..Plan::new(prefix.clone()) },
            Some(last) => {
                let choices = self.frames.iter().map(|frame| frame.current).collect();
                Plan { sleep: last.next_sleep(), ..Plan::new(choices) }
            }
        }
    }

    /// Goes back to the last state with something left, and down along what is to be explored there.
    fn backtrack(&mut self) -> Option<()> {
        while self.frames.len() > self.root.prefix.len() && self.frames.last()?.branches.is_empty() {
            self.frames.pop();
        }
        if self.frames.len() <= self.root.prefix.len() {
            return None;
        }
        let mut frame = self.frames.pop()?;
        frame.finish();
        self.known = self.frames.len();
        self.descend(frame.sleep, frame.branches);
        let next = &mut self.frames[self.known];
        (next.explored, next.inherited) = (frame.explored, frame.inherited);
        if next.current.thread == frame.current.thread {
            next.done = frame.done;
        }
        Some(())
    }

    fn descend(&mut self, mut sleep: Vec<(ThreadId, Operation)>, mut branches: Vec<Branch>) {
        while !branches.is_empty() {
            let Branch { labels, children } = branches.remove(0);
            self.stored = self.stored.saturating_sub(labels.len());
            for label in labels {
                let frame = Frame::new(sleep, label, std::mem::take(&mut branches));
                sleep = frame.next_sleep();
                self.frames.push(frame);
            }
            branches = children;
        }
    }

    fn count(&mut self, execution: &Execution) {
        self.counts.steps += execution.steps.len() as u64;
        self.counts.depth = self.counts.depth.max(execution.steps.len() as u64);
        match execution.end {
            End::AllAsleep => self.counts.asleep += 1,
            End::Diverged { .. } => self.counts.diverged += 1,
            End::AwaitsSignal | End::TimedOut | End::TooLarge => self.counts.cut += 1,
            _ => self.counts.classes += 1,
        }
    }

    /// The frames and events of the steps that are new.
    fn extend(&mut self, execution: &Execution) {
        let ends = |at: usize| at + 1 == execution.steps.len() && ends_process(execution);
        self.history.truncate(self.known);
        for (at, step) in execution.steps.iter().enumerate().skip(self.known) {
            self.history.push(step, ends(at));
            let operation = if ends(at) { Operation::new(OpKind::Exit, 0) } else { step.operation };
            if at >= self.frames.len() {
                let sleep = self.sleep_at(at);
                let label = Label { choice: step.choice(), operation };
                self.frames.push(Frame::new(sleep, label, Vec::new()));
            }
            self.frames[at].operation = operation;
            self.stored += self.frames[at].add_alternatives(step);
        }
    }

    /// Who sleeps in a state that has no frame yet.
    fn sleep_at(&self, at: usize) -> Vec<(ThreadId, Operation)> {
        if at == self.root.prefix.len() {
            return self.root.sleep.clone();
        }
        self.frames.last().map_or_else(Vec::new, Frame::next_sleep)
    }

    fn reverse(&mut self, execution: &Execution) {
        let boundary = self.pruning.as_mut().map(|pruning| pruning.boundary(execution));
        let first = if boundary.is_some() { 0 } else { self.known };
        for at in first..self.history.events.len() {
            self.reverse_races_of(&self.history.events[at].clone(), boundary, execution);
        }
        let ended = ends_process(execution);
        for (thread, operation) in &execution.pending {
            let event = self.history.next_of(*thread, operation);
            self.reverse_races_of(&event, boundary, execution);
            if ended {
                self.delay_the_end(execution, &event);
            }
        }
    }

    /// Inserts the reversals of an event. From the boundary on, nothing can be found.
    fn reverse_races_of(&mut self, event: &Event, boundary: Option<usize>, execution: &Execution) {
        let end = boundary.unwrap_or(usize::MAX);
        let found = race::races(&self.history, event, end as u32);
        for reversal in found.reversals {
            self.insert(reversal.before as usize, reversal.sequence, reversal.whole);
        }
        if let Some(pruning) = &mut self.pruning {
            (0..found.skipped).for_each(|_| pruning.skip());
        }
        for at in found.hidden {
            self.go_another_way(at as usize, event, execution);
        }
    }

    /// What the skipped reversals would have brought to light: the event's thread goes first in that state, or one on
    /// which the event depends, or each (Figure 7, lines 29 to 33).
    fn go_another_way(&mut self, at: usize, event: &Event, execution: &Execution) {
        let step = &execution.steps[at];
        let position = self.history.position(event);
        let before_event = |thread: ThreadId| {
            let next = self.history.next_after(thread, at as u32).filter(|&next| next < position);
            next.is_some_and(|next| event.before.is_some_and(|before| self.history.is_before(next, before)))
        };
        let others = || step.enabled.iter().filter(|&thread| thread != step.thread);
        let one = others().find(|&thread| thread == event.thread).or_else(|| others().find(|&t| before_event(t)));
        let threads: Vec<ThreadId> = one.map_or_else(|| others().collect(), |thread| vec![thread]);
        for thread in threads {
            self.begin_with(at, thread);
        }
    }

    fn begin_with(&mut self, at: usize, thread: ThreadId) {
        let Some(next) = self.history.next_after(thread, at as u32) else { return };
        let event = &self.history.events[next as usize];
        let element = Element::reversed(event, race::most(&event.operation), Vec::new());
        self.insert(at, vec![element], true);
    }

    fn delay_the_end(&mut self, execution: &Execution, event: &Event) {
        let at = execution.steps.len() - 1;
        let last = &execution.steps[at];
        if last.thread != event.thread && last.enabled.contains(event.thread) {
            self.insert(at, vec![Element::reversed(event, event.operation, Vec::new())], true);
        }
    }

    fn insert(&mut self, at: usize, sequence: Vec<Element>, whole: bool) {
        if at < self.root.prefix.len() {
            return;
        }
        let frame = &mut self.frames[at];
        let mut sleepers = frame.sleep.iter().enumerate();
        let here = |number: usize| !self.forgot || number >= frame.inherited;
        if sleepers.any(|(number, sleeper)| tree::covers(sleeper, here(number), &sequence, &self.history)) {
            return;
        }
        let most = if whole || self.stored < self.most.0 { usize::MAX } else { 1 };
        self.forgot |= most == 1;
        self.stored += tree::insert(&mut frame.branches, sequence, &self.history, most);
    }
}

/// The pairs of steps that could have come the other way round, by position; the pending operations come after all steps.
pub(crate) fn reversible_races(execution: &Execution) -> Vec<(usize, usize)> {
    let mut history = History::default();
    execution.steps.iter().for_each(|step| history.push(step, false));
    let pending = execution.pending.iter().map(|(thread, operation)| history.next_of(*thread, operation));
    let events: Vec<Event> = history.events.iter().cloned().chain(pending).collect();
    let of = |(at, event): (usize, &Event)| {
        let races = race::races(&history, event, u32::MAX);
        races.reversals.into_iter().map(move |race| (race.before as usize, at))
    };
    events.iter().enumerate().flat_map(of).collect()
}

/// Did the last step end the process while other threads were left?
fn ends_process(execution: &Execution) -> bool {
    let exits = execution.steps.last().is_some_and(|step| step.operation.kind == OpKind::Exit);
    (exits || matches!(execution.end, End::Crashed { .. })) && !execution.steps.is_empty()
}

impl Search for Optimal {
    fn next(&mut self) -> Option<Plan> {
        if self.begun && !std::mem::take(&mut self.again) {
            self.backtrack()?;
        }
        (self.begun, self.open) = (true, true);
        Some(self.plan())
    }

    fn copy(&self) -> Box<dyn Search + Send> {
        Box::new(self.clone())
    }

    fn learn(&mut self, execution: &Execution) {
        self.open = false;
        self.count(execution);
        if let End::Diverged { at, .. } = execution.end {
            self.frames.truncate(self.known + 1);
            self.frames.iter_mut().skip(at.max(self.known)).for_each(|frame| frame.taken = false);
            return;
        }
        self.extend(execution);
        self.reverse(execution);
    }
}
