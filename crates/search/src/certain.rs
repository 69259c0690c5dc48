//! Making failures certain: a schedule that shows a failure in every run takes the place of one that shows it in some.

use std::collections::BTreeSet;
use std::sync::Arc;

use foretrace_finding::{Candidate, Schedule, Witness};
use foretrace_run::{Evidence, Precision, Run, Runner};

use crate::Confirmed;
use crate::climb::OTHER_PAIRS;
use crate::delays::Delays;
use crate::parallel::in_parallel;
use crate::search::Search;

/// How many times a failure that may hang on a value is run again, to see whether it shows every time.
pub const REPEATS: usize = 8;
/// At most this many schedules are run again to see how reliably they fail.
const COUNTED: usize = 4;
/// Candidates of the same memory that are asked for schedules of an incidental failure, and schedules that are tried.
const ALIKE: usize = 4;

impl<R: Runner<Schedule>> Search<'_, '_, R> {
    /// Gives each failure that does not show every time, or depends on a value, the best schedule that is known.
    pub(crate) fn make_certain(&mut self, delays: &Delays) -> Result<(), R::Error> {
        self.count_repeats()?;
        for number in 0..self.failures.all.len() {
            let failure = &self.failures.all[number];
            let comes_and_goes = failure.repeats.is_some_and(|repeats| !repeats.is_always());
            let own = if comes_and_goes { self.made_for(failure) } else { Vec::new() };
            let schedules = own.into_iter().chain(delays.schedules(failure)).collect();
            self.settle(number, schedules)?;
        }
        Ok(())
    }

    /// Where there is more than one race, one may hang on how another goes, and an incidental failure may have come by
    /// chance: does each show every time?
    fn count_repeats(&mut self) -> Result<(), R::Error> {
        let races = self.failures.all.iter().filter(|one| matches!(one.evidence, Evidence::Race(_))).count();
        let is_doubtful = |one: &&Confirmed| one.schedule.delays().is_empty() && (races > 1 || !one.aimed_at);
        let doubtful = self.failures.all.iter().filter(is_doubtful);
        let schedules: BTreeSet<Schedule> = doubtful.map(|failure| failure.schedule.clone()).collect();
        for schedule in schedules.iter().take(COUNTED) {
            let runs = self.several(schedule)?;
            for failure in self.failures.all.iter_mut().filter(|one| one.schedule == *schedule) {
                failure.repeats = failure.count_in(&runs);
            }
        }
        Ok(())
    }

    /// Schedules for an incidental failure, which another schedule has shown; first those for just that.
    fn made_for(&self, failure: &Confirmed) -> Vec<Schedule> {
        let subject = self.replayer.subject;
        let (evidence, modules, recorded) = (&failure.evidence, &failure.run.modules, subject.recorded());
        let alike = self.predicted.iter().filter(|one| evidence.shows(&one.candidate, recorded, modules));
        let witnesses = alike.take(ALIKE).flat_map(|one| match &one.candidate {
            Candidate::Race(race) => {
                std::iter::once(one.clone()).chain(subject.predictor.other_pairs(race, OTHER_PAIRS)).collect()
            }
            Candidate::Deadlock(_) | Candidate::Violation(_) => subject.predictor.witnesses(one).collect::<Vec<_>>(),
        });
        let mut witnesses: Vec<Witness> = witnesses.map(|witness| subject.judged(witness)).collect();
        witnesses.sort_by_key(|witness| (!evidence.is_of(&witness.candidate, recorded, modules), witness.rung));
        witnesses.into_iter().map(|witness| witness.schedule).take(ALIKE).collect()
    }

    /// Runs a schedule several times, all at once if that is allowed, so that each has a busy machine.
    fn several(&mut self, schedule: &Schedule) -> Result<Vec<Arc<Run>>, R::Error> {
        if let Some(runs) = self.repeated.get(schedule) {
            return Ok(runs.clone());
        }
        let replayer = self.replayer;
        let count = if replayer.effort.precision == Precision::Each { REPEATS } else { REPEATS / 4 };
        let answers =
            in_parallel(replayer.effort.at_once, &vec![(); count], |()| replayer.fresh(schedule, Precision::Each));
        let runs: Result<Vec<Option<Arc<Run>>>, _> = answers.into_iter().collect();
        let runs: Vec<Arc<Run>> = runs?.into_iter().flatten().collect();
        self.repeated.insert(schedule.clone(), runs.clone());
        Ok(runs)
    }

    /// Keeps a failure with the first of these schedules that shows it every time, or else with the one that shows it most
    /// often.
    fn settle(&mut self, number: usize, schedules: Vec<Schedule>) -> Result<(), R::Error> {
        for schedule in schedules {
            let runs = self.several(&schedule)?;
            let failure = &self.failures.all[number];
            let Some(repeats) = failure.count_in(&runs) else { break };
            // What came every time without delay points may have been lucky.
            let is_plain = failure.schedule.delays().is_empty();
            let is_better = failure
                .repeats
                .is_none_or(|before| repeats.is_more_than(before) || is_plain && !before.is_more_than(repeats));
            let spots = failure.spots();
            let mut shown = runs.iter().flat_map(|run| Confirmed::all(&schedule, run));
            let same = shown.find(|one| one.spots() == spots);
            if let Some(same) = same.filter(|_| is_better) {
                self.failures.all[number] = Confirmed { repeats: Some(repeats), ..same };
            }
            if repeats.is_always() {
                break;
            }
        }
        Ok(())
    }
}
