//! What a replay proves: the verdict on its witness, and everything that failed on the way.
//!
//! Addresses differ from run to run, so failures are compared by place: a file and an address in it.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Divergence, Race, Verdict, Witness};
use foretrace_trace::Trace;

use crate::{CutShort, Death, Enforced, Modules, Replayed, SeenRace, SeenStuck};

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
    /// All that a run shows. A race that a library may prevent is none.
    pub fn all(run: &Replayed) -> Vec<Self> {
        let outcome = &run.outcome;
        let races = outcome.races.iter().filter(|race| race.library.is_none());
        let races = races.cloned().map(Box::new).map(Self::Race);
        let deadlock = (!outcome.deadlock.is_empty()).then(|| Self::Deadlock(outcome.deadlock.clone()));
        let death = run.death.clone().map(Box::new).map(Self::Death);
        races.chain(deadlock).chain(death).collect()
    }

    /// What makes two failures the same: where each thread was.
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

    /// Is it of one kind with another failure, and somewhere at the same place? Of two racing statements, another pair of
    /// accesses may come first: one place in common is enough.
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
    /// Is it just what the candidate predicts, at the places of its own events?
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

/// Is it the same variable? A global lies at the same place of its file, in a heap block from the same place it lies at the
/// same distance from the beginning, and what is on a stack is told by who touches it.
fn same_race(seen: &SeenRace, race: &Race, (trace, recorded): (&Trace, &Modules), modules: &Modules) -> bool {
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

/// The name of a library that may order the accesses of the candidate, which nothing else orders.
fn library_between(witness: &Witness, recorded: (&Trace, &Modules), run: &Replayed) -> Option<String> {
    let Candidate::Race(race) = &witness.candidate else { return None };
    let same = |seen: &&SeenRace| same_race(seen, race, recorded, &run.modules);
    let address = run.outcome.races.iter().filter(same).find_map(|seen| seen.library)?;
    let path = &run.modules.find(address)?.path;
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// What the replay says of the witness.
pub fn verdict(witness: &Witness, recorded: (&Trace, &Modules), enforced: &Enforced, run: &Replayed) -> Verdict {
    let evidence = Evidence::all(run);
    if evidence.iter().any(|seen| seen.shows(&witness.candidate, recorded, &run.modules)) {
        return Verdict::Confirmed;
    }
    if let Some(library) = library_between(witness, recorded, run) {
        return Verdict::Possible { library };
    }
    let at = |step: u32, came: String| match enforced.steps().get(step as usize) {
        Some(step) => Verdict::Diverged(Divergence { expected: step.event, came }),
        None => Verdict::Unknown { why: came },
    };
    let outcome = &run.outcome;
    if let Some(diverged) = &outcome.diverged {
        return at(diverged.step, diverged.to_string());
    }
    if let Some(stalled) = &outcome.stalled {
        return at(stalled.step, stalled.to_string());
    }
    if !evidence.is_empty() {
        return Verdict::Unknown { why: "another error came first".to_owned() };
    }
    match run.ended.status.signal() {
        _ if run.ended.cut_short == Some(CutShort::Stopped) => Verdict::Unknown { why: "interrupted".to_owned() },
        _ if run.ended.cut_short == Some(CutShort::Outside) => {
            Verdict::Unknown { why: "the replay waited for input from outside; give it with --client".to_owned() }
        }
        _ if run.ended.cut_short.is_some() => Verdict::Unknown { why: format!("no end within {:.1?}", run.ended.time) },
        Some(signal) => Verdict::Unknown { why: format!("the program was killed by signal {signal}") },
        None if outcome.ended => Verdict::NotSeen,
        None => at(run.progress, "the program ended".to_owned()),
    }
}
