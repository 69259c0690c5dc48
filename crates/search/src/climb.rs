//! Climbing the ladder of one candidate's witnesses until one shows its error.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use foretrace_finding::{Candidate, Schedule, Witness};
use foretrace_predict::Predicted;
use foretrace_run::{CutShort, Enforced, Evidence, Run, Runner, SeenRace, same_race};

use crate::replayer::{Replayer, Subject};
use crate::{Confirmed, Instead, Open, Reason};

/// Pairs of places that are looked at for a race whose first pair was not confirmed.
pub(crate) const OTHER_PAIRS: usize = 64;

/// What came of a candidate: every failure that was seen on the way, and why it is open, unless one of them is its own.
#[derive(Default)]
pub(crate) struct Climbed {
    pub(crate) seen: Vec<Confirmed>,
    /// None: confirmed, or nothing was tried.
    pub(crate) open: Option<Open>,
    pub(crate) confirmed: bool,
}

impl Climbed {
    /// Did the candidate use up its share of the time?
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.reason == Reason::ShareSpent)
    }
}

/// Climbs the ladder of a candidate, and then those of other pairs of accesses that race for the same memory.
pub(crate) fn climb<R: Runner<Schedule>>(
    on: &Replayer<'_, R>,
    one: &Predicted,
    allowance: &Allowance,
) -> Result<Climbed, R::Error> {
    let predictor = on.subject.predictor;
    let own = ladder(on, allowance, &mut predictor.witnesses(&one.witness))?;
    let Candidate::Race(race) = &one.witness.candidate else { return Ok(own) };
    if own.confirmed || own.is_out_of_time() {
        return Ok(own);
    }
    // These two accesses may be kept apart by what the program does; others to the same memory need not be.
    let mut other = ladder(on, allowance, &mut predictor.other_pairs(race, OTHER_PAIRS).into_iter())?;
    other.seen.splice(0..0, own.seen);
    let open = match other.confirmed {
        true => None,
        false if other.is_out_of_time() => other.open,
        false => own.open,
    };
    Ok(Climbed { open, ..other })
}

/// Runs one witness after the other until one shows its candidate.
fn ladder<R: Runner<Schedule>>(
    on: &Replayer<'_, R>,
    allowance: &Allowance,
    witnesses: &mut dyn Iterator<Item = Witness>,
) -> Result<Climbed, R::Error> {
    let mut climbed = Climbed::default();
    for witness in witnesses.take(on.effort.replays) {
        let witness = on.subject.judged(witness);
        if let Some(why) = on.runner.spent() {
            climbed.open.get_or_insert(Open { witness, reason: Reason::Spent(why) });
            break;
        }
        if allowance.is_used_up(on.runner) {
            climbed.open = Some(Open { witness, reason: Reason::ShareSpent });
            break;
        }
        let reason = match Enforced::new(on.subject.trace, &witness.schedule) {
            Err(why) => Some(Reason::NotEnforceable(why)),
            Ok(enforced) => {
                let run = on.shared(&witness, &enforced)?;
                climbed.seen.extend(Confirmed::all(&witness.schedule, &run).into_iter().map(|one| {
                    let aimed_at = one.evidence.is_of(&witness.candidate, on.subject.recorded(), &run.modules);
                    Confirmed { aimed_at, ..one }
                }));
                reason(&witness, on.subject, &enforced, &run)
            }
        };
        climbed.confirmed = reason.is_none();
        // A library that both threads use stays between them.
        let is_done = matches!(reason, None | Some(Reason::Library(_)));
        climbed.open = reason.map(|reason| Open { witness, reason });
        if is_done {
            break;
        }
    }
    Ok(climbed)
}

/// The part of the time that is left which one candidate may take.
const SHARE: u32 = 4;

/// How much time must be left for a candidate to go on.
pub(crate) struct Allowance {
    least: Option<Duration>,
}

impl Allowance {
    /// A share of the time that is left.
    pub(crate) fn share<R: Runner<Schedule>>(runner: &R) -> Self {
        Self { least: runner.time_left().map(|left| left - left / SHARE) }
    }

    /// All the time that is left.
    pub(crate) const fn all() -> Self {
        Self { least: None }
    }

    fn is_used_up<R: Runner<Schedule>>(&self, runner: &R) -> bool {
        self.least.zip(runner.time_left()).is_some_and(|(least, left)| left < least)
    }
}

/// Why a run does not confirm its witness; none if it does.
fn reason(witness: &Witness, subject: Subject<'_>, enforced: &Enforced, run: &Run) -> Option<Reason> {
    let evidence = Evidence::all(run);
    if evidence.iter().any(|seen| seen.shows(&witness.candidate, subject.recorded(), &run.modules)) {
        return None;
    }
    if let Some(library) = library_between(witness, subject, run) {
        return Some(Reason::Library(library));
    }
    let diverged = |step: u32, instead| {
        let expected = enforced.steps().get(step as usize).map(|step| step.event);
        Some(Reason::Diverged { expected, instead })
    };
    let outcome = &run.outcome;
    if let Some(other) = &outcome.diverged {
        let (got, expected) = (other.got.clone(), other.expected.clone());
        return diverged(other.step, Instead::Operation { thread: other.thread, got, expected });
    }
    if let Some(stalled) = &outcome.stalled {
        return diverged(stalled.step, Instead::NeverArrived { thread: stalled.thread });
    }
    if !evidence.is_empty() {
        return Some(Reason::OtherError);
    }
    match (run.ended.cut_short, run.ended.status.signal()) {
        (Some(CutShort::Stopped), _) => Some(Reason::Spent("interrupted")),
        (Some(CutShort::Outside), _) => Some(Reason::Outside),
        (Some(_), _) => Some(Reason::TimeUp(run.ended.time)),
        (None, Some(signal)) => Some(Reason::Killed(signal)),
        (None, None) if outcome.ended => Some(Reason::NotSeen),
        (None, None) => diverged(run.progress, Instead::Ended),
    }
}

/// The name of a library that may order the accesses of the candidate, which nothing else orders.
fn library_between(witness: &Witness, subject: Subject<'_>, run: &Run) -> Option<String> {
    let Candidate::Race(race) = &witness.candidate else { return None };
    let same = |seen: &&SeenRace| same_race(seen, race, subject.recorded(), &run.modules);
    let address = run.outcome.races.iter().filter(same).find_map(|seen| seen.library)?;
    let path = &run.modules.find(address)?.path;
    Some(path.file_name()?.to_string_lossy().into_owned())
}
