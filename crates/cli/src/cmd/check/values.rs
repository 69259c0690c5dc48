//! Reads that could have seen another value: what does the program do then?
//!
//! In a race of plain accesses, which comes first decides what is read, and that may decide what the program does next: an
//! index, a pointer, a branch. Schedules order operations, not plain accesses, so either may come first in a replay, and
//! an error behind the read comes by chance. So each race that was seen is replayed again with the threads that came first
//! coming late ([`Late`]); if anything else is seen then, or was seen before, with those that came second; and if the write
//! takes place several times, with the reads between two of them. A failure that some of these show and others do not
//! hangs on a value. It is kept with places that bring it about, in its own schedule if that shows it every time.

use super::confirm::Seen;
use foretrace_event::schedule::MOST_LATE;
use foretrace_finding::{Late, Schedule, Witness};
use foretrace_replay::{Confirmed, Evidence, Limits, Modules, Precision, Replayed, SeenAccess, Spot};
use foretrace_trace::Trace;
use std::collections::BTreeSet;
use std::path::Path;

/// Of one write that takes place again and again, so many values are tried.
const BETWEEN: u32 = 4;

/// So many schedules are tried for a failure that hangs on a value.
const SCHEDULES: usize = 4;

/// A replay to be made.
pub struct Try {
    /// The schedule, with places where threads come late.
    witness: Witness,
    /// The two accesses, unless the replay is one that others have led to.
    race: Option<Pair>,
}

/// The accesses of a race that was seen.
#[derive(Clone)]
struct Pair {
    /// The witness whose replay showed it, and all that this replay showed.
    witness: Witness,
    shown: BTreeSet<Vec<Spot>>,
    /// Where threads are to come late, and where not; and do these write?
    late: (Late, bool),
    early: (Late, bool),
}

/// Replays that have been made and are to be made.
pub struct Values {
    left: usize,
    /// Failures whose orders have been thought of.
    considered: usize,
    next: Vec<Try>,
    known: BTreeSet<Schedule>,
    /// What each schedule showed.
    shown: Vec<(Schedule, Vec<Confirmed>)>,
    /// How many events there are in all.
    events: usize,
}

impl Values {
    /// A long program is replayed but a few times more.
    pub fn new(trace: &Trace, limits: &Limits) -> Self {
        let left = if limits.precision == Precision::Each { 2 * limits.replays } else { limits.replays / 2 };
        let events = trace.observed().count();
        Self { left, considered: 0, next: Vec::new(), known: BTreeSet::new(), shown: Vec::new(), events }
    }

    /// The next replays; none are left if there are none.
    pub fn next(&mut self, seen: &Seen) -> Vec<Try> {
        for failure in &seen.failures[self.considered..] {
            // Where every step is given, nobody comes late.
            if failure.witness.schedule.steps().len() < self.events {
                self.next.extend(pair(failure).and_then(Pair::in_order));
            }
        }
        self.considered = seen.failures.len();
        let fresh = |one: &Try| self.known.insert(one.witness.schedule.clone());
        let mut tries: Vec<Try> = std::mem::take(&mut self.next).into_iter().filter(fresh).collect();
        tries.truncate(self.left);
        self.left -= tries.len();
        tries
    }

    /// What came of a replay.
    pub fn note(&mut self, tried: &Try, run: &Replayed, seen: &mut Seen) {
        let confirmed =
            |evidence| Confirmed { witness: tried.witness.clone(), evidence, run: run.clone(), repeats: None };
        let shown: Vec<Confirmed> = Evidence::all(&run.outcome).into_iter().map(confirmed).collect();
        shown.iter().for_each(|confirmed| seen.add(confirmed.clone()));
        if let Some(pair) = &tried.race {
            let spots = all_spots(run);
            if spots != pair.shown || spots.len() > 1 {
                self.next.extend(pair.clone().turned().in_order());
            }
            self.next.extend(pair.between(run));
        }
        self.shown.push((tried.witness.schedule.clone(), shown));
    }

    /// The failures that hang on a value, by number, with the schedules that may show each every time.
    pub fn unsettled(&self, seen: &Seen) -> Vec<(usize, Vec<Witness>)> {
        let schedules = seen.failures.iter().enumerate().map(|(number, failure)| (number, self.schedules(failure)));
        schedules.filter(|(_, schedules)| !schedules.is_empty()).collect()
    }

    /// None if the failure does not hang on a value.
    fn schedules(&self, failure: &Confirmed) -> Vec<Witness> {
        let spots = failure.evidence.spots(&failure.run.modules);
        let own: Vec<Late> = spots.iter().filter_map(|(path, address)| late_at(path, *address)).collect();
        // Who comes late at the accesses themselves decides nothing that comes before them.
        let others = self.shown.iter().filter(|(schedule, _)| !schedule.late().iter().any(|late| own.contains(late)));
        let (with, without): (Vec<_>, Vec<_>) =
            others.partition(|(_, shown)| shown.iter().any(|one| one.evidence.spots(&one.run.modules) == spots));
        if without.is_empty() && failure.witness.schedule.late().is_empty() {
            return Vec::new();
        }
        let mut schedules = Vec::new();
        for (schedule, _) in with {
            let own_steps = failure.witness.schedule.clone().with_late(schedule.late().to_vec());
            schedules.extend([own_steps, schedule.clone()]);
        }
        schedules.push(failure.witness.schedule.clone());
        let mut known = BTreeSet::new();
        schedules.retain(|schedule| known.insert(schedule.clone()));
        schedules.truncate(SCHEDULES);
        schedules.into_iter().map(|schedule| Witness { schedule, ..failure.witness.clone() }).collect()
    }
}

impl Try {
    /// What is to be run: the other place counts, and holds nobody.
    pub fn schedule(&self) -> Schedule {
        let schedule = self.witness.schedule.clone();
        let Some(pair) = &self.race else { return schedule };
        let mut late = schedule.late().to_vec();
        late.push(pair.early.0.clone().after(u32::MAX));
        schedule.with_late(late)
    }
}

impl Pair {
    fn in_order(self) -> Option<Try> {
        let witness = self.with_late([self.late.0.clone()])?;
        Some(Try { witness, race: Some(self) })
    }

    fn turned(self) -> Self {
        Self { late: self.early, early: self.late, ..self }
    }

    /// The reads after so many rounds of the write.
    fn between(&self, run: &Replayed) -> Vec<Try> {
        let held = self.witness.schedule.late().len() as u32;
        let (read, write, number) = match (&self.late, &self.early) {
            ((write, true), (read, false)) => (read, write, held),
            ((read, false), (write, true)) => (read, write, held + 1),
            _ => return Vec::new(),
        };
        let rounds = run.outcome.passed.get(&number).copied().unwrap_or(0).min(BETWEEN + 1);
        let witnesses = (1..rounds).filter_map(|round| self.with_late([read.clone(), write.clone().after(round)]));
        witnesses.map(|witness| Try { witness, race: None }).collect()
    }

    /// The witness with more places; none if these are too many, with one more that counts.
    fn with_late<const N: usize>(&self, more: [Late; N]) -> Option<Witness> {
        let late: Vec<Late> = self.witness.schedule.late().iter().cloned().chain(more).collect();
        let schedule = self.witness.schedule.clone().with_late(late);
        (schedule.late().len() < MOST_LATE).then(|| Witness { schedule, ..self.witness.clone() })
    }
}

/// The accesses of a race, so that those that came first come late.
fn pair(failure: &Confirmed) -> Option<Pair> {
    let Evidence::Race(race) = &failure.evidence else { return None };
    if race.accesses.iter().any(|access| access.free || access.atomic) {
        return None;
    }
    let place = |access: &SeenAccess| Some((place(access, &failure.run.modules)?, access.write));
    let [second, first] = &race.accesses;
    let (late, early) = (place(first)?, place(second)?);
    Some(Pair { witness: failure.witness.clone(), shown: all_spots(&failure.run), late, early })
}

fn place(access: &SeenAccess, modules: &Modules) -> Option<Late> {
    let (path, address) = modules.locate(access.pc);
    late_at(&path, address)
}

fn late_at(path: &Path, address: u64) -> Option<Late> {
    Some(Late::new(&path.file_name()?.to_string_lossy(), address))
}

fn all_spots(run: &Replayed) -> BTreeSet<Vec<Spot>> {
    Evidence::all(&run.outcome).iter().map(|evidence| evidence.spots(&run.modules)).collect()
}
