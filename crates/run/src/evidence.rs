//! Everything that failed in a run.
//!
//! Addresses differ from run to run, so failures are compared by place: a file and an address in it.

mod deadlock;
mod death;
mod race;
mod region;
mod violation;

use std::path::PathBuf;

use foretrace_finding::Candidate;
use foretrace_trace::Trace;

use crate::{Cause, Death, Modules, Run, SeenRace, SeenRegion, SeenStuck, SeenViolation};

pub use race::same_race;

/// A place that is the same in every run: a file, and an address in it.
pub type Spot = (PathBuf, u64);

/// A failure that was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Two unordered accesses.
    Race(Box<SeenRace>),
    /// Threads that will never go on.
    Deadlock(Vec<SeenStuck>),
    /// The program died.
    Death(Box<Death>),
    /// A property of the user's own was violated.
    Violation(Box<SeenViolation>),
    /// A region that was meant to be atomic was broken.
    Region(Box<SeenRegion>),
}

/// What is known of a kind of failure; one file each.
pub(crate) trait Failure {
    /// The rule of its kind in reports: `data-race`.
    fn rule(&self) -> &'static str;

    /// The place of each thread that takes part; none if no place is known.
    fn pcs(&self) -> Vec<u64> {
        Vec::new()
    }

    /// What it is recognised by if it has no place.
    fn cause(&self) -> Option<Cause> {
        None
    }

    /// The property that was violated, if it is that.
    fn property(&self) -> Option<&str> {
        None
    }

    /// Is it what the candidate predicts?
    fn shows(&self, _: &Candidate, _recorded: (&Trace, &Modules), _: &Modules) -> bool {
        false
    }

    /// Is it exactly what the candidate predicts, at the places of its own events?
    fn is_of(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        self.shows(candidate, recorded, modules)
    }
}

impl Evidence {
    /// All failures of a run.
    pub fn all(run: &Run) -> Vec<Self> {
        let races = race::in_run(run).map(Box::new).map(Self::Race);
        let deadlock = deadlock::in_run(run).map(Self::Deadlock);
        let death = run.death.clone().map(Box::new).map(Self::Death);
        let violations = run.violations.iter().cloned().map(Box::new).map(Self::Violation);
        let regions = run.regions.iter().cloned().map(Box::new).map(Self::Region);
        races.chain(deadlock).chain(death).chain(violations).chain(regions).collect()
    }

    fn failure(&self) -> &dyn Failure {
        match self {
            Self::Race(race) => &**race,
            Self::Deadlock(stuck) => stuck,
            Self::Death(death) => &**death,
            Self::Violation(violation) => &**violation,
            Self::Region(region) => &**region,
        }
    }

    /// The rule of its kind in reports.
    pub fn rule(&self) -> &'static str {
        self.failure().rule()
    }

    /// The property that was violated, if it is that.
    pub fn property(&self) -> Option<&str> {
        self.failure().property()
    }

    /// The identity of a failure: the place of each thread.
    pub fn spots(&self, modules: &Modules) -> Vec<Spot> {
        let mut spots: Vec<Spot> = self.failure().pcs().into_iter().map(|pc| modules.locate(pc)).collect();
        spots.sort();
        spots
    }

    /// Is it of the same kind as another failure, with a place in common? Of two racing statements, another pair of
    /// accesses may come first, so one common place is enough. Without places, the causes are compared.
    pub fn is_like(&self, own: &Modules, other: &Self, others: &Modules) -> bool {
        if self.rule() != other.rule() || self.property() != other.property() {
            return false;
        }
        let (spots, places) = (self.spots(own), other.spots(others));
        if spots.is_empty() || places.is_empty() {
            return self.failure().cause() == other.failure().cause();
        }
        spots.iter().any(|spot| places.contains(spot))
    }

    /// Is it what the candidate predicts?
    pub fn shows(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        self.failure().shows(candidate, recorded, modules)
    }

    /// Is it exactly what the candidate predicts, at the places of its own events?
    pub fn is_of(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        self.failure().is_of(candidate, recorded, modules)
    }
}
