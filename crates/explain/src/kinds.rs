//! What each kind of error means to a report: one file each, listed here.
//!
//! A failure that a run showed is a [`Failure`], an error that was only predicted a [`Suspect`].

mod deadlock;
mod death;
mod property;
mod race;
mod region;

use crate::resolver::{Locks, Resolver};
use crate::steps::{Followed, Path};
use foretrace_event::EventId;
use foretrace_finding::{Candidate, Schedule};
use foretrace_report::{Act, Broken, Kind, Memory, Site, Thread};
use foretrace_run::{Evidence, SeenLock};
use foretrace_trace::Trace;

/// A failure of a run.
pub(crate) trait Failure {
    /// The threads that take part.
    fn threads(&self) -> Vec<u32>;

    /// The addresses of the locks that it names.
    fn locks(&self) -> Vec<u64> {
        Vec::new()
    }

    /// What each thread does, and where.
    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], locks: &Locks) -> Vec<Site>;

    /// The memory that it is about.
    fn memory(&self, _: &Resolver<'_>) -> Option<Memory> {
        None
    }

    /// The property that it breaks.
    fn broken(&self) -> Option<Broken> {
        None
    }

    /// How much of the schedule led to it.
    fn followed<'a>(&self, schedule: &'a Schedule, sites: &[Site]) -> Followed<'a> {
        Followed::to_the_end(schedule, sites, false)
    }

    /// How the program died of it.
    fn death(&self, _: &Resolver<'_>) -> Option<foretrace_report::Death> {
        None
    }
}

/// An error that no run has shown.
pub(crate) trait Suspect {
    /// Its kind.
    fn kind(&self) -> Kind;

    /// What each thread does at which event.
    fn acts(&self, trace: &Trace) -> Vec<(EventId, Act)>;

    /// The memory that it is about.
    fn memory(&self, _: &Trace) -> Option<Memory> {
        None
    }

    /// The property that it would break.
    fn broken(&self) -> Option<Broken> {
        None
    }

    /// The automaton of that property, along the schedule.
    fn automaton(&self, _: &Trace, _: &Schedule) -> Option<Path> {
        None
    }
}

pub(crate) fn of_failure(evidence: &Evidence) -> &dyn Failure {
    match evidence {
        Evidence::Race(race) => &**race,
        Evidence::Deadlock(stuck) => stuck,
        Evidence::Death(death) => &**death,
        Evidence::Violation(violation) => &**violation,
        Evidence::Region(region) => &**region,
    }
}

pub(crate) fn of_candidate(candidate: &Candidate) -> &dyn Suspect {
    match candidate {
        Candidate::Race(race) => race,
        Candidate::Deadlock(deadlock) => deadlock,
        Candidate::Violation(violation) => violation,
    }
}

fn addresses(held: &[SeenLock]) -> impl Iterator<Item = u64> + '_ {
    held.iter().map(|lock| lock.address)
}
