//! Deaths of the program: reported with the races that lead to them.

use crate::Subject;
use foretrace_finding::{DelayPoint, Schedule};
use foretrace_report::{Death, Finding, Kind};
use foretrace_run::{Evidence, Run, SeenRace};
use foretrace_search::Confirmed;
use std::collections::BTreeSet;

/// A program that dies in a run which shows a race, or in which the accesses of a race came in another order, most likely dies
/// of the race: its death is reported with the race, and not as an error of its own.
pub(crate) fn fold<'a>(mut told: Vec<(Finding, &'a Confirmed)>) -> (Told<'a>, Told<'a>) {
    let mut folded = BTreeSet::new();
    let is_death = |one: &Confirmed| matches!(one.evidence, Evidence::Death(_));
    let deaths: Vec<usize> = (0..told.len()).filter(|number| is_death(told[*number].1)).collect();
    for number in deaths {
        let (finding, death) = (told[number].0.clone(), told[number].1);
        let of_race = finding.death.map(|death| Death { id: Some(finding.id), ..death });
        let leads_to = |one: &Confirmed| is_race_in(one, &death.run) || is_turned_in(one, &death.schedule);
        for (race, _) in told.iter_mut().filter(|(_, one)| leads_to(one)) {
            race.death = race.death.take().or(of_race.clone());
            folded.insert(number);
        }
    }
    let (deaths, others): (Vec<_>, Vec<_>) =
        told.into_iter().enumerate().partition(|(number, _)| folded.contains(number));
    let without_number = |numbered: Vec<(usize, _)>| numbered.into_iter().map(|(_, one)| one).collect();
    (without_number(deaths), without_number(others))
}

/// Findings with the failures they are of.
pub(crate) type Told<'a> = Vec<(Finding, &'a Confirmed)>;

/// Is it a race one of whose accesses this schedule delays?
fn is_turned_in(failure: &Confirmed, schedule: &Schedule) -> bool {
    let spots = failure.evidence.spots(&failure.run.modules);
    let is_at = |delay: &DelayPoint| {
        spots.iter().any(|(path, address)| path.ends_with(delay.file()) && *address == delay.address())
    };
    matches!(failure.evidence, Evidence::Race(_)) && schedule.delays().iter().any(is_at)
}

/// Is it a race that this run shows, too?
fn is_race_in(failure: &Confirmed, run: &Run) -> bool {
    let like = |race: &SeenRace| {
        Evidence::Race(Box::new(race.clone())).is_like(&run.modules, &failure.evidence, &failure.run.modules)
    };
    matches!(failure.evidence, Evidence::Race(_)) && run.outcome.races.iter().any(like)
}

/// The death of the recorded run, if no replay has shown it.
pub(crate) fn of_recorded_run(subject: &Subject<'_>, confirmed: &[(Finding, &Confirmed)]) -> Option<Finding> {
    let what = subject.death?;
    let is_told = |finding: &Finding| finding.death.is_some() || finding.kind == Kind::DEADLOCK;
    if confirmed.iter().any(|(finding, _)| is_told(finding)) {
        return None;
    }
    let message = String::new();
    let what = format!("{what} in the recorded run");
    let death = Death { what, message, place: None, id: None, folder: None };
    Some(Finding { id: "crash-recorded".to_owned(), death: Some(death), ..Finding::new(Kind::CRASH) })
}
