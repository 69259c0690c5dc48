//! How to search: the flags, and the search that they ask for.

use super::round::Round;
use crate::flags;
use clap::ValueEnum;
use foretrace_explore::{
    Bounded, Climb, Cost, DepthFirst, Finished, Optimal, Part, Property, Pruning, PruningCounts, Search, Shares, Walk,
    Walks,
};
use std::time::{Duration, Instant};

/// How to search.
#[derive(clap::Args, Clone)]
pub struct Searching {
    /// Start no new execution after this time (such as 30s or 5m)
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    pub budget: Duration,
    /// End an execution after this time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = flags::time)]
    pub timeout: Duration,
    /// How to choose the orders
    #[arg(long, value_enum, default_value_t = Strategy::Climb)]
    pub strategy: Strategy,
    /// Run all orders with at most this many delays (a delay skips the thread that would be next), fewest first
    #[arg(long, value_name = "K", conflicts_with_all = ["strategy", "preemptions"])]
    pub delays: Option<u32>,
    /// Run all orders with at most this many preemptions (switches away from a thread that could continue), fewest first
    #[arg(long, value_name = "K", conflicts_with = "strategy")]
    pub preemptions: Option<u32>,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Let waits on condition variables end without a signal, as the standard allows
    #[arg(long)]
    pub spurious: bool,
    /// Look for data races and deadlocks alone, and skip orders in which there can be none; failed assertions and crashes in
    /// them are not found. Needs a program that clang compiled with FORETRACE_BRANCHES=1, as this command does with sources
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "deadlocks",
          conflicts_with_all = ["delays", "preemptions"])]
    pub prune: Option<Prune>,
    /// Fork the program for each execution, instead of putting its memory back where that is possible and faster
    #[arg(long)]
    pub fork: bool,
    /// Number of parallel executions; 0 means one for each core, or one if the program writes files
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = flags::jobs)]
    pub jobs: usize,
}

/// What a pruned search looks for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Prune {
    /// Data races
    Races,
    /// Data races and deadlocks
    Deadlocks,
    /// Nothing is skipped: to compare
    Nothing,
}

impl Prune {
    /// What is to be found.
    fn property(self) -> Option<Property> {
        match self {
            Self::Races => Some(Property::Races),
            Self::Deadlocks => Some(Property::RacesAndDeadlocks),
            Self::Nothing => None,
        }
    }
}

/// How orders are chosen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Simple orders, then one order of each class, then random ones until the budget is spent
    Climb,
    /// One order of each class, until none is left
    Complete,
    /// Every order, without reduction
    Every,
    /// At each step, every thread that can continue is equally likely
    Random,
    /// Random priorities of threads
    Pct,
    /// Random priorities of operations
    Pos,
    /// Uniformly over the orders of one object at a time
    Surw,
}

impl Strategy {
    /// As the flag has it.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn walk(self) -> Option<Walk> {
        match self {
            Self::Climb | Self::Complete | Self::Every => None,
            Self::Random => Some(Walk::Uniform),
            Self::Pct => Some(Walk::Pct { depth: 3 }),
            Self::Pos => Some(Walk::Pos),
            Self::Surw => Some(Walk::Surw),
        }
    }
}

/// The most simple orders, with few delays, that are run first.
const SIMPLE: u64 = 200;
/// The part of the budget after which random orders are run, if there are classes left.
const SHARE_OF_CLASSES: f64 = 0.8;

impl Searching {
    /// The usual search.
    pub fn usual(budget: Duration, timeout: Duration, jobs: usize) -> Self {
        let (strategy, seed) = (Strategy::Climb, 1);
        Self {
            budget,
            timeout,
            strategy,
            delays: None,
            preemptions: None,
            seed,
            spurious: false,
            prune: None,
            fork: false,
            jobs,
        }
    }

    /// What is counted and how far, if the search has a bound.
    fn bound(&self) -> Option<(Cost, u32, &'static str)> {
        let delays = self.delays.map(|most| (Cost::Delays, most, "delays"));
        delays.or(self.preemptions.map(|most| (Cost::Preemptions, most, "preemptions")))
    }

    /// Can such a search be interrupted and go on later?
    pub fn can_go_on(&self) -> bool {
        self.bound().is_none() && self.strategy != Strategy::Every && self.prune.is_none()
    }

    /// A search for one order of each class that prunes.
    pub fn pruned(prune: Prune) -> Method {
        let pruned = |property| Optimal::pruned(Pruning::new(property));
        Method::Complete(Box::new(prune.property().map_or_else(Optimal::new, pruned)))
    }

    /// A search that begins now; random choices leave out so many seeds.
    pub fn begin(&self, begin: Instant, seeds: u64) -> Method {
        self.go_on(begin, seeds, Optimal::new())
    }

    /// A search with a complete part that was begun before.
    pub fn go_on(&self, begin: Instant, seeds: u64, complete: Optimal) -> Method {
        let seed = self.seed.wrapping_add(seeds);
        if let Some((cost, most, name)) = self.bound() {
            return Method::Bounded(Bounded::new(cost, most), name);
        }
        match self.strategy.walk() {
            Some(walk) => Method::Walks(Walks::new(walk, seed)),
            None if self.strategy == Strategy::Every => Method::Every(DepthFirst::default()),
            None if self.strategy == Strategy::Complete => Method::Complete(Box::new(complete)),
            None => {
                let until = Some(begin + self.budget.mul_f64(SHARE_OF_CLASSES));
                let shares = Shares { delays: 2, simple: SIMPLE, complete: None, until };
                Method::Climb(Box::new(Climb::going_on(shares, seed, complete)))
            }
        }
    }
}

/// A search, and what its kind can say about it.
pub enum Method {
    /// With a bound, of that name.
    Bounded(Bounded, &'static str),
    /// The usual one.
    Climb(Box<Climb>),
    /// One order of each class.
    Complete(Box<Optimal>),
    /// Every order.
    Every(DepthFirst),
    /// At random.
    Walks(Walks),
}

impl Method {
    /// The search itself.
    pub fn search(&mut self) -> &mut dyn Search {
        match self {
            Self::Bounded(search, _) => search,
            Self::Climb(search) => &mut **search,
            Self::Complete(search) => &mut **search,
            Self::Every(search) => search,
            Self::Walks(search) => search,
        }
    }

    /// The part of it that runs one order of each class.
    pub fn complete(&self) -> Option<&Optimal> {
        match self {
            Self::Climb(climb) => Some(climb.complete()),
            Self::Complete(optimal) => Some(optimal),
            _ => None,
        }
    }

    /// What pruning has done, if there is any.
    pub fn pruning(&self) -> Option<PruningCounts> {
        self.complete().and_then(Optimal::pruning)
    }

    /// What it came to.
    pub fn round(&self, finished: Finished) -> Round {
        let exhausted = finished == Finished::Exhausted;
        match self {
            Self::Bounded(bounded, name) => {
                let within = Some(format!("with at most {} {name}", bounded.bound()));
                Round { is_complete: bounded.is_complete(), within, ..Round::default() }
            }
            Self::Climb(climb) => Round::of(climb.part() == Part::Done, climb.complete()),
            Self::Complete(optimal) => Round::of(exhausted, optimal),
            Self::Every(_) => Round { is_complete: exhausted, ..Round::default() },
            Self::Walks(_) => Round::default(),
        }
    }
}
