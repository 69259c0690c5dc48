//! Which orders count: the program itself, or one of the paper's two approximations.

pub mod machine;

use foretrace_ctp::{Action, Ctp, EventId, Expr, ExprId, Initial, ReadId};
use machine::Machine;
use rustc_hash::{FxHashMap, FxHashSet};

/// How much of the data counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Model {
    /// All of it.
    #[default]
    Exact,
    /// Every read sees the recorded value, except those that only assertions use (the maximal causal model, 7.1).
    Constrained,
    /// None of it: branches go as recorded whatever is read (7.2). Finds what cannot happen, too.
    Relaxed,
}

/// How far an order goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// To the goal (5.3).
    #[default]
    Prefix,
    /// To the end of all threads (4).
    Whole,
}

/// What to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which data counts.
    pub model: Model,
    /// How far an order goes.
    pub extent: Extent,
    /// The largest number of context switches that questions may ask for.
    pub switches: u32,
    /// Write down proofs.
    pub proof: bool,
}

/// Why a program cannot be analysed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The recorded order cannot happen, so there are no recorded values.
    #[error(
        "the events cannot happen in the recorded order: {0} is not possible; the constrained model needs that order"
    )]
    Order(String),
    /// A lock is not released where it is taken.
    #[error("{0}: a lock taken in a branch must be released in the same branch")]
    Branch(String),
    /// More arrivals at a barrier than it counts.
    #[error("barrier `{0}`: more threads arrive in one round than it waits for")]
    Barrier(String),
    /// Branches have no meaning without data.
    #[error("{0}: the relaxed model cannot be used for programs with branches")]
    Relaxed(String),
}

/// A program under a model: perhaps with other expressions, and with reads that see fixed values.
#[derive(Clone, Debug)]
pub struct Modelled {
    /// The program; its events are in the same places.
    pub ctp: Ctp,
    /// Memory at the beginning.
    pub initial: Initial,
    /// What these reads must see.
    pub pinned: FxHashMap<ReadId, u64>,
}

impl Modelled {
    /// The program under a model.
    pub fn new(ctp: &Ctp, model: Model) -> Result<Self, Refused> {
        let modelled = Self { ctp: ctp.clone(), initial: Initial::of(ctp), pinned: FxHashMap::default() };
        match model {
            Model::Exact => Ok(modelled),
            Model::Constrained => modelled.constrained(),
            Model::Relaxed => modelled.relaxed(),
        }
    }

    fn constrained(mut self) -> Result<Self, Refused> {
        let values = recorded(&self)?;
        let free = only_asserted(&self.ctp);
        for (index, by) in self.ctp.reads.clone().into_iter().enumerate() {
            let read = ReadId(index as u32);
            if !free.contains(&read) {
                self.pinned.extend(values.get(&by).map(|(seen, _)| (read, *seen)));
            }
        }
        for thread in 0..self.ctp.threads.len() {
            for index in 0..self.ctp.threads[thread].events.len() {
                let written = values.get(&EventId::new(thread, index)).and_then(|(_, written)| *written);
                self.write(thread, index, written);
            }
        }
        Ok(self)
    }

    /// Writes a number instead of what an expression gives.
    fn write(&mut self, thread: usize, index: usize, written: Option<u64>) {
        let event = &mut self.ctp.threads[thread].events[index];
        let (Some(place), Some(written)) = (event.action.place(), written) else { return };
        let number = self.ctp.exprs.number(place.width(), written);
        if let (Action::Write { value, .. } | Action::Update { value, .. }, Ok(number)) = (&mut event.action, number) {
            *value = number;
        }
    }

    fn relaxed(mut self) -> Result<Self, Refused> {
        if let Some((id, _)) = self.ctp.events().find(|(_, event)| matches!(event.action, Action::If(_))) {
            return Err(Refused::Relaxed(self.ctp.name(id)));
        }
        let Ok(holds) = self.ctp.exprs.number(1, 1) else { return Ok(self) };
        for event in self.ctp.threads.iter_mut().flat_map(|thread| &mut thread.events) {
            match &mut event.action {
                Action::Assume(c) | Action::Assert(c) => *c = holds,
                Action::Update { guard, .. } => *guard = None,
                _ => {}
            }
        }
        Ok(self)
    }
}

type Seen = FxHashMap<EventId, (u64, Option<u64>)>;

/// What each access read and wrote in the recorded order; what it read is 0 for a write.
fn recorded(modelled: &Modelled) -> Result<Seen, Refused> {
    let ctp = &modelled.ctp;
    let mut machine = Machine::new(modelled);
    let mut seen = Seen::default();
    let order = ctp.order.iter().filter(|id| matters(ctp, **id));
    for id in order {
        if machine.skipped(*id) {
            continue;
        }
        machine.settle(id.thread);
        if machine.next(id.thread) != Some(*id) || machine.step(id.thread, machine.preferred(id.thread)).is_none() {
            return Err(Refused::Order(ctp.name(*id)));
        }
        let action = ctp.event(*id).action;
        let read = action.read().map_or(0, |read| machine.value(read));
        let written = action.place().filter(|_| action.written().is_some()).map(|place| machine.load(place));
        seen.insert(*id, (read, written));
    }
    Ok(seen)
}

fn matters(ctp: &Ctp, id: EventId) -> bool {
    !matches!(ctp.event(id).action, Action::If(_) | Action::Else | Action::EndIf)
}

/// Reads that assertions use and nothing else does.
fn only_asserted(ctp: &Ctp) -> FxHashSet<ReadId> {
    let used = |asserted: bool| {
        let events = ctp.events().map(|(_, event)| event.action);
        let events = events.filter(move |action| matches!(action, Action::Assert(_)) == asserted);
        reads_in(ctp, events.flat_map(|action| action.expressions()))
    };
    let other = used(false);
    used(true).into_iter().filter(|read| !other.contains(read)).collect()
}

/// The reads in these expressions.
pub fn reads_in(ctp: &Ctp, exprs: impl Iterator<Item = ExprId>) -> FxHashSet<ReadId> {
    let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
    let mut open: Vec<ExprId> = exprs.collect();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match ctp.exprs.get(expr) {
            Expr::Read(read) => drop(found.insert(read)),
            node => open.extend(node.operands()),
        }
    }
    found
}
