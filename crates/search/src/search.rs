//! The phases of a search, in the order in which they are taken.

use std::collections::BTreeMap;
use std::sync::Arc;

use foretrace_finding::{Candidate, Schedule, Witness};
use foretrace_predict::{Predicted, Prediction, Watch};
use foretrace_run::{Precision, Run, Runner};

use crate::choose::{OF_ONE_KIND, choose};
use crate::climb::{Allowance, climb};
use crate::confirmed::Failures;
use crate::delays::Delays;
use crate::forced;
use crate::parallel::in_parallel;
use crate::replayer::{Replayer, Subject};
use crate::{Confirmed, Effort, Found, Looks, Open, Reason, Recorded};

/// The work, and what has come of it.
pub(crate) struct Search<'s, 'a, R> {
    pub(crate) replayer: &'s Replayer<'a, R>,
    pub(crate) failures: Failures,
    pub(crate) open: Vec<Open>,
    /// All that was predicted.
    pub(crate) predicted: Vec<Witness>,
    /// Runs of schedules that were run several times.
    pub(crate) repeated: BTreeMap<Schedule, Vec<Arc<Run>>>,
    watch: &'s dyn Watch,
    /// So many failures have been told to it.
    told: usize,
}

/// Runs the program until each prediction is confirmed or open, or the runner may begin no more runs.
///
/// # Errors
/// If the program cannot be run at all.
///
/// # Panics
/// If the judge rejects a witness of the prediction.
pub fn search<'a, R: Runner<Schedule>>(
    runner: &'a R,
    subject: Subject<'a>,
    prediction: &Prediction,
    effort: Effort,
    watch: &dyn Watch,
) -> Result<Found, R::Error> {
    let replayer = Replayer::new(runner, subject, effort);
    let mut search = Search::new(&replayer, replayer.effort.looks.clone(), watch);
    let mut seen_first = Vec::new();
    match replayer.effort.recorded {
        Recorded::First => search.as_recorded()?,
        Recorded::FirstForRaces if !prediction.races.is_empty() => seen_first = search.shown_as_recorded()?,
        Recorded::FirstForRaces | Recorded::Last => {}
    }
    search.candidates(prediction)?;
    search.other_values()?;
    search.add(seen_first);
    if replayer.effort.recorded == Recorded::Last {
        search.races_as_recorded()?;
    }
    search.forced_failures()?;
    Ok(Found { confirmed: search.failures.all, open: search.open, spent: runner.spent() })
}

impl<'s, 'a, R: Runner<Schedule>> Search<'s, 'a, R> {
    fn new(replayer: &'s Replayer<'a, R>, looks: Looks, watch: &'s dyn Watch) -> Self {
        let failures = Failures::new(looks);
        Self { replayer, failures, open: Vec::new(), predicted: Vec::new(), repeated: BTreeMap::new(), watch, told: 0 }
    }

    /// Takes the candidates in groups, so that what one group showed incidentally need not be tried again.
    fn candidates(&mut self, prediction: &Prediction) -> Result<(), R::Error> {
        let all: Vec<&Predicted> = prediction.all().collect();
        self.predicted = all.iter().map(|one| one.witness.clone()).collect();
        let (chosen, others) = choose(self.replayer.subject.trace, &all);
        let open = |one: &Predicted, reason| Open { witness: one.witness.clone(), reason };
        self.open.extend(others.into_iter().map(|one| open(one, Reason::Alike(OF_ONE_KIND))));
        let unfinished = self.climb_all(&chosen, || Allowance::share(self.replayer.runner))?;
        let unfinished = self.climb_all(&unfinished, Allowance::all)?;
        self.open.extend(unfinished.into_iter().map(|one| open(one, Reason::ShareSpent)));
        self.drop_shown();
        Ok(())
    }

    /// Climbs the ladders of these candidates, and answers those whose allowance of time was used up.
    fn climb_all<'p>(
        &mut self,
        candidates: &[&'p Predicted],
        allowance: impl Fn() -> Allowance + Sync,
    ) -> Result<Vec<&'p Predicted>, R::Error> {
        self.watch.phase("replaying", candidates.len());
        let mut unfinished = Vec::new();
        let (jobs, replayer) = (self.replayer.effort.jobs.max(1), self.replayer);
        for group in candidates.chunks(jobs) {
            let fresh: Vec<_> = group.iter().filter(|one| !self.is_shown(&one.witness.candidate)).collect();
            let answers = in_parallel(jobs, &fresh, |one| climb(replayer, one, &allowance()));
            group.iter().for_each(|_| self.watch.step());
            for (one, answer) in fresh.iter().zip(answers) {
                let climbed = answer?;
                if climbed.is_out_of_time() {
                    unfinished.push(**one);
                } else if !climbed.confirmed {
                    let untried = || Open { witness: one.witness.clone(), reason: Reason::NotReplayed };
                    self.open.push(climbed.open.unwrap_or_else(untried));
                }
                climbed.seen.into_iter().for_each(|confirmed| self.failures.add(confirmed));
                self.tell();
            }
        }
        Ok(unfinished)
    }

    /// Lets the reads of the races that were seen see other values, and looks what the program does then; then makes
    /// failures certain that do not show in every run.
    fn other_values(&mut self) -> Result<(), R::Error> {
        let replayer = self.replayer;
        let mut delays = Delays::new(replayer.subject.trace, &replayer.effort);
        loop {
            let tries = delays.next(&self.failures);
            if tries.is_empty() || replayer.runner.spent().is_some() {
                break;
            }
            self.watch.phase("letting reads see other values", tries.len());
            let answers = in_parallel(replayer.effort.jobs, &tries, |one| {
                self.watch.step();
                replayer.fresh(&one.counting(), Precision::Each)
            });
            for (one, answer) in tries.iter().zip(answers) {
                answer?.into_iter().for_each(|run| delays.note(one, &run, &mut self.failures));
            }
        }
        self.make_certain(&delays)?;
        self.drop_shown();
        Ok(())
    }

    /// Races that no other order showed may show in the recorded one: a relaxed flag orders nothing, but the program waits
    /// for it, so an order that puts the accesses side by side does not run. One run is for all of them.
    fn races_as_recorded(&mut self) -> Result<(), R::Error> {
        if self.open.iter().any(|one| matches!(one.witness.candidate, Candidate::Race(_))) {
            self.as_recorded()?;
        }
        Ok(())
    }

    /// Repeats the recorded run: races may show, and if it was ended because it took too long, it may be stuck.
    fn as_recorded(&mut self) -> Result<(), R::Error> {
        let shown = self.shown_as_recorded()?;
        self.add(shown);
        Ok(())
    }

    /// What fails in recorded order. In long programs this is run early, in case that the time is spent soon, and added late: a
    /// schedule that was made for a failure leaves threads more freedom to show what follows from it.
    fn shown_as_recorded(&self) -> Result<Vec<Confirmed>, R::Error> {
        let schedule: Schedule = self.replayer.subject.trace.observed().collect();
        let run = self.replayer.fresh(&schedule, self.replayer.effort.precision)?;
        Ok(run.iter().flat_map(|run| Confirmed::all(&schedule, run)).collect())
    }

    /// Adds failures, and drops the predictions that they show.
    fn add(&mut self, failures: Vec<Confirmed>) {
        failures.into_iter().for_each(|confirmed| self.failures.add(confirmed));
        self.drop_shown();
    }

    /// Lets operations fail that succeeded, and looks what the program does.
    fn forced_failures(&mut self) -> Result<(), R::Error> {
        let replayer = self.replayer;
        if replayer.runner.spent().is_some() {
            return Ok(());
        }
        let tries = forced::all(replayer.subject.trace, replayer.subject.options);
        self.watch.phase("letting operations fail", tries.len());
        let answers = in_parallel(replayer.effort.jobs, &tries, |schedule| {
            self.watch.step();
            replayer.fresh(schedule, replayer.effort.precision)
        });
        for (schedule, answer) in tries.iter().zip(answers) {
            self.note(schedule, answer?);
        }
        self.drop_shown();
        Ok(())
    }

    /// Keeps what failed in a run.
    fn note(&mut self, schedule: &Schedule, run: Option<Arc<Run>>) {
        let seen = run.iter().flat_map(|run| Confirmed::all(schedule, run));
        seen.for_each(|confirmed| self.failures.add(confirmed));
    }

    /// Tells what was found since the last time.
    fn tell(&mut self) {
        for failure in &self.failures.all[self.told..] {
            self.watch.found(failure.evidence.rule());
        }
        self.told = self.failures.all.len();
    }

    fn drop_shown(&mut self) {
        self.tell();
        let open = std::mem::take(&mut self.open);
        self.open = open.into_iter().filter(|one| !self.is_shown(&one.witness.candidate)).collect();
    }

    fn is_shown(&self, candidate: &Candidate) -> bool {
        let recorded = self.replayer.subject.recorded();
        self.failures.all.iter().any(|seen| seen.evidence.shows(candidate, recorded, &seen.run.modules))
    }
}
