//! Everything that failed in a run.
//!
//! Addresses differ from run to run, so failures are compared by place: a file and an address in it.

use std::path::PathBuf;

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Race};
use foretrace_trace::Trace;

use crate::{Death, Modules, Run, SeenRace, SeenStuck};

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
}

impl Evidence {
    /// All failures of a run. A race that a library may prevent is not one.
    pub fn all(run: &Run) -> Vec<Self> {
        let outcome = &run.outcome;
        let races = outcome.races.iter().filter(|race| race.library.is_none());
        let races = races.cloned().map(Box::new).map(Self::Race);
        let deadlock = (!outcome.deadlock.is_empty()).then(|| Self::Deadlock(outcome.deadlock.clone()));
        let death = run.death.clone().map(Box::new).map(Self::Death);
        races.chain(deadlock).chain(death).collect()
    }

    /// The identity of a failure: the place of each thread.
    pub fn spots(&self, modules: &Modules) -> Vec<Spot> {
        let pcs: Vec<u64> = match self {
            Self::Race(race) => race.accesses.iter().map(|access| access.pc).collect(),
            Self::Deadlock(stuck) => stuck.iter().map(|stuck| stuck.pc).collect(),
            Self::Death(death) => death.fault.iter().map(|fault| fault.pc).collect(),
        };
        let mut spots: Vec<Spot> = pcs.into_iter().map(|pc| modules.locate(pc)).collect();
        spots.sort();
        spots
    }

    /// Is it of the same kind as another failure, with a place in common? Of two racing statements, another pair of
    /// accesses may come first, so one common place is enough.
    pub fn is_like(&self, own: &Modules, other: &Self, others: &Modules) -> bool {
        let places = other.spots(others);
        if let (Self::Death(own), Self::Death(other)) = (self, other)
            && (own.fault.is_none() || other.fault.is_none())
        {
            return own.cause == other.cause;
        }
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.spots(own).iter().any(|spot| places.contains(spot))
    }

    /// Is it what the candidate predicts?
    pub fn shows(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        match (self, candidate) {
            (Self::Race(seen), Candidate::Race(race)) => same_race(seen, race, recorded, modules),
            (Self::Deadlock(seen), Candidate::Deadlock(deadlock)) => {
                let stuck = |event: EventId| seen.iter().any(|stuck| stuck.thread == event.thread.0);
                deadlock.events().all(stuck)
            }
            _ => false,
        }
    }
}

impl Evidence {
    /// Is it exactly what the candidate predicts, at the places of its own events?
    pub fn is_of(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        let (Self::Race(seen), Candidate::Race(race)) = (self, candidate) else {
            return self.shows(candidate, recorded, modules);
        };
        let place = |event: EventId| (event.thread.0, recorded.1.locate(recorded.0.pc(event)));
        let mut places = seen.accesses.each_ref().map(|access| (access.thread, modules.locate(access.pc)));
        places.sort();
        places == [place(race.first), place(race.second)]
    }
}

/// Is it the same variable? A global has the same place in its file, a heap variable the same offset in a block from
/// the same place, and a stack variable is identified by the places that access it.
pub fn same_race(seen: &SeenRace, race: &Race, (trace, recorded): (&Trace, &Modules), modules: &Modules) -> bool {
    let interval = trace.interval(race.interval);
    if modules.find(seen.address).is_some() {
        let (file, start) = recorded.locate(interval.address);
        let (seen_file, seen_start) = modules.locate(seen.address);
        return file == seen_file && seen_start < start + interval.length && start < seen_start + seen.size;
    }
    if let (Some(block), Some(allocation)) = (seen.block(), trace.allocation(race.interval)) {
        let place = recorded.locate(allocation.pc);
        let (seen_at, at) =
            (seen.address.wrapping_sub(block.address), interval.address.wrapping_sub(allocation.address));
        let overlap = seen_at < at.saturating_add(interval.length) && at < seen_at.saturating_add(seen.size);
        return overlap && block.stack.iter().any(|pc| modules.locate(*pc) == place);
    }
    let mut threads = seen.accesses.each_ref().map(|access| access.thread);
    threads.sort_unstable();
    threads == [race.first.thread.0, race.second.thread.0]
}
