//! Delay points: reads that could have seen another value, and what the program does then.
//!
//! In a race of plain accesses, which comes first decides what is read, and that may decide what the program does next: an
//! index, a pointer, a branch. Schedules order operations, not plain accesses, so either may come first in a run, and an
//! error behind the read comes by chance. So each race that was seen is run again with the access that came first as a
//! delay point ([`DelayPoint`]): threads that reach it wait there until nobody else can go on. If anything else is seen then, or
//! was seen before, the access that came second is delayed in another run; and if the write takes place several times, the
//! reads are placed between two of them. A failure that some of these runs show and others do not depends on a value. It is
//! kept with the delay points that bring it about, in its own schedule if that shows it every time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use foretrace_event::schedule::MOST_DELAY_POINTS;
use foretrace_finding::{DelayPoint, Schedule};
use foretrace_run::{Evidence, Modules, Precision, Run, SeenAccess, Spot};
use foretrace_trace::Trace;

use crate::confirmed::Failures;
use crate::{Confirmed, Effort, Repeats};

/// Of one write that takes place again and again, so many values are tried.
const BETWEEN: u32 = 4;

/// How many schedules are tried for a failure that depends on a value.
const SCHEDULES: usize = 4;

/// A replay to be made.
pub(crate) struct Try {
    /// With delay points.
    schedule: Schedule,
    /// The two accesses, unless the replay is one that others have led to.
    race: Option<Pair>,
}

/// The accesses of a race that was seen.
#[derive(Clone)]
struct Pair {
    /// The schedule whose replay showed it, and all that this replay showed.
    schedule: Schedule,
    shown: BTreeSet<Vec<Spot>>,
    /// The access that is delayed, and the other one; and do these write?
    delayed: (DelayPoint, bool),
    other: (DelayPoint, bool),
}

/// Replays that have been made and are to be made.
pub(crate) struct Delays {
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

impl Delays {
    /// A long program is run only a few times more.
    pub(crate) fn new(trace: &Trace, effort: &Effort) -> Self {
        let left = if effort.precision == Precision::Each { 2 * effort.replays } else { effort.replays / 2 };
        let events = trace.observed().count();
        Self { left, considered: 0, next: Vec::new(), known: BTreeSet::new(), shown: Vec::new(), events }
    }

    /// The next replays; none are left if there are none.
    pub(crate) fn next(&mut self, seen: &Failures) -> Vec<Try> {
        for failure in &seen.all[self.considered..] {
            // Where every step is given, nobody is delayed.
            if failure.schedule.steps().len() < self.events {
                self.next.extend(pair(failure).and_then(Pair::in_order));
            }
        }
        self.considered = seen.all.len();
        let fresh = |one: &Try| self.known.insert(one.schedule.clone());
        let mut tries: Vec<Try> = std::mem::take(&mut self.next).into_iter().filter(fresh).collect();
        tries.truncate(self.left);
        self.left -= tries.len();
        tries
    }

    /// What came of a replay.
    pub(crate) fn note(&mut self, tried: &Try, run: &Arc<Run>, seen: &mut Failures) {
        let shown = Confirmed::all(&tried.schedule, run);
        shown.iter().for_each(|confirmed| seen.add(confirmed.clone()));
        if let Some(pair) = &tried.race {
            let spots = all_spots(run);
            if spots != pair.shown || spots.len() > 1 {
                self.next.extend(pair.clone().turned().in_order());
            }
            self.next.extend(pair.between(tried, run));
        }
        self.shown.push((tried.schedule.clone(), shown));
    }

    /// The schedules that may show a failure every time; none if it seems not to hang on a value.
    pub(crate) fn schedules(&self, failure: &Confirmed) -> Vec<Schedule> {
        let spots = failure.spots();
        let own: Vec<DelayPoint> = spots.iter().filter_map(|(path, address)| delay_at(path, *address)).collect();
        // Delays at the accesses themselves decide nothing that comes before them.
        let others = self
            .shown
            .iter()
            .filter(|(schedule, _)| !schedule.delays().iter().any(|place| own.iter().any(|own| own.is_at(place))));
        let (with, without): (Vec<_>, Vec<_>) =
            others.partition(|(_, shown)| shown.iter().any(|one| one.spots() == spots));
        let shows_always = failure.repeats.is_none_or(Repeats::is_always);
        if without.is_empty() && shows_always && failure.schedule.delays().is_empty() {
            return Vec::new();
        }
        let mut schedules = Vec::new();
        for (schedule, _) in with {
            let own_steps = failure.schedule.clone().with_delays(schedule.delays().to_vec());
            schedules.extend([own_steps, schedule.clone()]);
        }
        schedules.push(failure.schedule.clone());
        let mut known = BTreeSet::new();
        schedules.retain(|schedule| known.insert(schedule.clone()));
        schedules.truncate(SCHEDULES);
        schedules
    }
}

impl Try {
    /// What is to be run: the other access, unless it is delayed too, is added as a counter that holds nobody.
    pub(crate) fn counting(&self) -> Schedule {
        let schedule = self.schedule.clone();
        let Some(pair) = &self.race else { return schedule };
        let counts = pair.other.0.clone().after(u32::MAX);
        let mut delays = schedule.delays().to_vec();
        if !delays.iter().any(|place| place.is_at(&counts)) {
            delays.push(counts);
        }
        schedule.with_delays(delays)
    }
}

impl Pair {
    /// The one access after the other. A write comes after reads that have waited for it, and see what was there just before.
    fn in_order(self) -> Option<Try> {
        let (delayed, other) = (self.delayed.0.clone(), self.other.0.clone());
        let reads_first = self.delayed.1 && !self.other.1;
        let schedule = if reads_first { self.with_delays(&[other, delayed]) } else { self.with_delays(&[delayed]) }?;
        Some(Try { schedule, race: Some(self) })
    }

    fn turned(self) -> Self {
        Self { delayed: self.other, other: self.delayed, ..self }
    }

    /// The reads after so many rounds of the write.
    fn between(&self, tried: &Try, run: &Run) -> Vec<Try> {
        let (read, write) = match (&self.delayed, &self.other) {
            ((write, true), (read, false)) | ((read, false), (write, true)) => (read, write),
            _ => return Vec::new(),
        };
        let number = tried.counting().delays().iter().position(|place| place.is_at(write));
        let passed = number.and_then(|number| run.outcome.passed.get(&(number as u32)).copied());
        let rounds = 1..passed.unwrap_or(0).min(BETWEEN + 1);
        let schedules = rounds.filter_map(|round| self.with_delays(&[read.clone(), write.clone().after(round)]));
        schedules.map(|schedule| Try { schedule, race: None }).collect()
    }

    /// The schedule with more delay points; none if these are too many, with one more that counts.
    fn with_delays(&self, more: &[DelayPoint]) -> Option<Schedule> {
        let mut delays = self.schedule.delays().to_vec();
        for place in more {
            if !delays.iter().any(|known| known.is_at(place)) {
                delays.push(place.clone());
            }
        }
        let schedule = self.schedule.clone().with_delays(delays);
        (schedule.delays().len() < MOST_DELAY_POINTS).then_some(schedule)
    }
}

/// The accesses of a race; the one that came first is delayed.
fn pair(failure: &Confirmed) -> Option<Pair> {
    let Evidence::Race(race) = &failure.evidence else { return None };
    if race.accesses.iter().any(|access| access.free || access.atomic) {
        return None;
    }
    let place = |access: &SeenAccess| Some((place(access, &failure.run.modules)?, access.write));
    let [second, first] = &race.accesses;
    let (delayed, other) = (place(first)?, place(second)?);
    Some(Pair { schedule: failure.schedule.clone(), shown: all_spots(&failure.run), delayed, other })
}

fn place(access: &SeenAccess, modules: &Modules) -> Option<DelayPoint> {
    let (path, address) = modules.locate(access.pc);
    delay_at(&path, address)
}

fn delay_at(path: &Path, address: u64) -> Option<DelayPoint> {
    Some(DelayPoint::new(&path.file_name()?.to_string_lossy(), address))
}

fn all_spots(run: &Run) -> BTreeSet<Vec<Spot>> {
    Evidence::all(run).iter().map(|evidence| evidence.spots(&run.modules)).collect()
}
