//! Random walks: one seed after the other, for what is too large to be searched.

use crate::execution::Execution;
use crate::plan::Plan;
use crate::search::Search;
use foretrace_event::Policy;
use foretrace_event::visible::ObjectId;
use std::collections::BTreeMap;

/// How the walks choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walk {
    /// Uniformly at each step.
    Uniform,
    /// With random priorities and this many ordering constraints.
    Pct {
        /// How many.
        depth: u32,
    },
    /// With random priorities of operations.
    Pos,
    /// Uniformly over the orders of one object's steps.
    Surw,
}

/// Random walks with seeds from a first one on. It never ends by itself.
#[derive(Clone, Debug)]
pub struct Walks {
    walk: Walk,
    seed: u64,
    length: u32,
    /// How often each thread used each object that several threads use, in the execution where that was most.
    uses: BTreeMap<ObjectId, Vec<u32>>,
}

impl Walks {
    /// Walks from this seed on.
    pub fn new(walk: Walk, seed: u64) -> Self {
        Self { walk, seed, length: 1, uses: BTreeMap::new() }
    }

    fn plan(&self) -> Plan {
        let (seed, length) = (self.seed, self.length);
        match self.walk {
            Walk::Uniform => Plan::by(Policy::Random { seed }),
            Walk::Pct { depth } => Plan::by(Policy::Pct { seed, depth, length }),
            Walk::Pos => Plan::by(Policy::Pos { seed }),
            Walk::Surw => self.about_an_object(),
        }
    }

    /// Each walk is uniform over the orders of one object's steps; the objects take turns.
    fn about_an_object(&self) -> Plan {
        let seed = self.seed;
        let at = self.seed % self.uses.len().max(1) as u64;
        let chosen = self.uses.iter().nth(at as usize);
        let object = chosen.map_or(ObjectId::NONE, |(&object, _)| object);
        let lengths = chosen.map_or_else(Vec::new, |(_, uses)| uses.clone());
        Plan { lengths, ..Plan::by(Policy::Surw { seed, object }) }
    }
}

impl Search for Walks {
    fn next(&mut self) -> Option<Plan> {
        let plan = self.plan();
        self.seed = self.seed.wrapping_add(1);
        Some(plan)
    }

    fn copy(&self) -> Box<dyn Search + Send> {
        Box::new(self.clone())
    }

    /// The longest execution so far is what the next are expected to be.
    fn learn(&mut self, execution: &Execution) {
        self.length = self.length.max(u32::try_from(execution.steps.len()).unwrap_or(u32::MAX));
        if self.walk == Walk::Surw {
            self.learn_uses(execution);
        }
    }
}

impl Walks {
    fn learn_uses(&mut self, execution: &Execution) {
        for (object, uses) in uses(execution).into_iter().filter(|(_, uses)| is_shared(uses)) {
            let known = self.uses.entry(object).or_default();
            known.resize(known.len().max(uses.len()), 0);
            known.iter_mut().zip(uses).for_each(|(most, many)| *most = many.max(*most));
        }
    }
}

fn is_shared(uses: &[u32]) -> bool {
    uses.iter().filter(|&&many| many > 0).count() > 1
}

fn uses(execution: &Execution) -> BTreeMap<ObjectId, Vec<u32>> {
    let mut uses: BTreeMap<ObjectId, Vec<u32>> = BTreeMap::new();
    for step in execution.steps.iter().filter(|step| step.operation.object != ObjectId::NONE) {
        let (at, uses) = (step.thread.index(), uses.entry(step.operation.object).or_default());
        uses.resize(uses.len().max(at + 1), 0);
        uses[at] += 1;
    }
    uses
}
