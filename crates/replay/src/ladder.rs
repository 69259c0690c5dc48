//! Climbing the ladder of one candidate's witnesses, and several ladders side by side.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use foretrace_finding::{Finding, Schedule, Verdict, Witness};
use foretrace_trace::Trace;

use crate::{Enforced, Evidence, Modules, Precision, Program, ReplayError, Replayed, TimeLimit, verdict};

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long one replay may take.
    pub time: TimeLimit,
    /// How many witnesses of one candidate are replayed.
    pub replays: usize,
    /// How accesses are watched.
    pub precision: Precision,
    /// When to begin no more replays.
    pub until: Option<Instant>,
}

impl Limits {
    /// Why no more replays may begin, if so.
    pub fn spent(&self) -> Option<&'static str> {
        match self.until {
            _ if self.time.is_stopped() => Some("interrupted"),
            Some(until) if Instant::now() >= until => Some("the time budget (--budget) is spent"),
            _ => None,
        }
    }
}

/// A failure with the schedule whose replay showed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The schedule.
    pub schedule: Schedule,
    /// What was seen.
    pub evidence: Evidence,
    /// The run that showed it.
    pub run: Arc<Replayed>,
    /// It is what the schedule was made for.
    pub aimed_at: bool,
    /// How often the schedule shows it, if it was run again for that.
    pub repeats: Option<Repeats>,
}

impl Confirmed {
    /// All that a run of a schedule showed, whatever that was made for.
    pub fn all(schedule: &Schedule, run: &Arc<Replayed>) -> Vec<Self> {
        let confirmed =
            |evidence| Self { schedule: schedule.clone(), evidence, run: run.clone(), aimed_at: false, repeats: None };
        Evidence::all(run).into_iter().map(confirmed).collect()
    }
}

/// How often a schedule shows a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// So often,
    pub seen: u32,
    /// of so many runs; not zero.
    pub of: u32,
}

impl Repeats {
    /// In every run.
    pub fn is_always(self) -> bool {
        self.seen == self.of
    }

    /// More often than the other, in proportion.
    pub fn is_more_than(self, other: Self) -> bool {
        u64::from(self.seen) * u64::from(other.of) > u64::from(other.seen) * u64::from(self.of)
    }
}

/// Replays of a program for many candidates. Those that lie near to each other share schedules, and each is run once.
#[derive(Debug)]
pub struct Runs<'a> {
    program: &'a Program,
    /// By what the runtime is told to do, hashed: schedules may be long.
    known: Mutex<HashMap<(u64, usize), Arc<Run>>>,
    hasher: RandomState,
}

/// A run, once there has been one. Who wants the same waits for it.
type Run = Mutex<Option<Arc<Replayed>>>;

/// So many runs are kept.
const KEPT: usize = 1000;

impl<'a> Runs<'a> {
    /// Nothing has been run yet.
    pub fn new(program: &'a Program) -> Self {
        Self { program, known: Mutex::default(), hasher: RandomState::new() }
    }

    fn run(&self, enforced: &Enforced, directory: &Path, limits: Limits) -> Result<Arc<Replayed>, ReplayError> {
        let place = self.place(enforced);
        let mut kept = place.lock().expect(NO_PANIC);
        if let Some(run) = &*kept {
            return Ok(run.clone());
        }
        let run = Arc::new(self.program.replay(enforced, directory, limits.precision, limits.time)?);
        *kept = limits.spent().is_none().then(|| run.clone());
        Ok(run)
    }

    /// Where the run is kept; nowhere in the end, if there are too many.
    fn place(&self, enforced: &Enforced) -> Arc<Run> {
        let bytes = enforced.to_bytes();
        let key = (self.hasher.hash_one(&bytes), bytes.len());
        let mut known = self.known.lock().expect(NO_PANIC);
        match known.len() < KEPT {
            true => known.entry(key).or_default().clone(),
            false => known.get(&key).cloned().unwrap_or_default(),
        }
    }
}

const NO_PANIC: &str = "no worker panics while it holds this";

/// Replays one witness after the other until one shows its candidate. Gives what became of the candidate, and every
/// failure seen on the way.
///
/// # Errors
/// If a replay cannot be run at all.
pub fn confirm(
    runs: &Runs<'_>,
    recorded: (&Trace, &Modules),
    witnesses: &mut dyn Iterator<Item = Witness>,
    directory: &Path,
    limits: Limits,
) -> Result<(Option<Finding>, Vec<Confirmed>), ReplayError> {
    let mut last = None;
    let mut seen = Vec::new();
    for witness in witnesses.take(limits.replays) {
        if let Some(why) = limits.spent() {
            let verdict = Verdict::Unknown { why: why.to_owned() };
            last = last.or(Some(Finding { witness, verdict }));
            break;
        }
        let verdict = match Enforced::new(recorded.0, &witness.schedule) {
            Err(why) => Verdict::Unknown { why: why.to_string() },
            Ok(enforced) => {
                let run = runs.run(&enforced, directory, limits)?;
                seen.extend(Confirmed::all(&witness.schedule, &run).into_iter().map(|one| {
                    let aimed_at = one.evidence.is_of(&witness.candidate, recorded, &run.modules);
                    Confirmed { aimed_at, ..one }
                }));
                verdict(&witness, recorded, &enforced, &run)
            }
        };
        // A library that both threads use stays between them.
        let done = matches!(verdict, Verdict::Confirmed | Verdict::Possible { .. });
        last = Some(Finding { witness, verdict });
        if done {
            break;
        }
    }
    Ok((last, seen))
}

/// Works on several things at once; answers are in the order of the things. The worker's number comes with each.
pub fn side_by_side<T: Sync, A: Send>(jobs: usize, things: &[T], work: impl Fn(usize, &T) -> A + Sync) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(things.len()));
    let worker = |number: usize| {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(index)
        {
            let answer = work(number, thing);
            answers.lock().expect(NO_PANIC).push((index, answer));
        }
    };
    std::thread::scope(|scope| {
        for number in 1..jobs.min(things.len()) {
            let worker = &worker;
            scope.spawn(move || worker(number));
        }
        worker(0);
    });
    let mut answers = answers.into_inner().expect(NO_PANIC);
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn answers_keep_the_order_of_the_things() {
        let things: Vec<u32> = (0..100).collect();
        assert_eq!(
            super::side_by_side(4, &things, |_, thing| thing * 2),
            things.iter().map(|n| n * 2).collect::<Vec<_>>()
        );
    }
}
