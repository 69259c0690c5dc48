//! What every run of a search needs.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

use foretrace_finding::{Candidate, Schedule, Witness};
use foretrace_predict::{Options, Predictor};
use foretrace_run::{Enforced, Modules, Precision, Run, Runner};
use foretrace_trace::Trace;

use crate::Effort;

/// What is searched: a recorded run, and what was worked out about it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The recorded run.
    pub trace: &'a Trace,
    /// Where files were mapped in it.
    pub modules: &'a Modules,
    /// What was predicted from it can be asked for more witnesses here.
    pub predictor: &'a Predictor<'a>,
    /// What prediction was asked for.
    pub options: &'a Options,
}

impl<'a> Subject<'a> {
    /// The trace and its modules, which tell where its addresses are.
    pub(crate) fn recorded(&self) -> (&'a Trace, &'a Modules) {
        (self.trace, self.modules)
    }

    /// A witness, which the judge must accept.
    ///
    /// # Panics
    /// If the judge rejects it: prediction has made a witness that is none, which is a bug of ours.
    pub(crate) fn judged(&self, witness: Witness) -> Witness {
        if let Err(objection) = foretrace_judge::judge(self.trace, &witness) {
            panic!(
                "this is a bug of Foretrace: prediction made an illegal witness ({objection}): {:?} on rung {} by {}",
                witness.candidate, witness.rung, witness.schedule
            );
        }
        witness
    }
}

/// Runs schedules.
pub(crate) struct Replayer<'a, R> {
    pub(crate) runner: &'a R,
    pub(crate) subject: Subject<'a>,
    pub(crate) effort: Effort,
    /// By what the runtime is told to do, hashed: schedules may be long.
    known: Mutex<HashMap<(u64, usize, bool), Arc<Slot>>>,
    hasher: RandomState,
}

/// A run, once there has been one. Whoever wants the same waits for it.
type Slot = Mutex<Option<Arc<Run>>>;

/// So many runs are remembered.
const REMEMBERED: usize = 1000;

const NO_PANIC: &str = "no worker panics while it holds this";

impl<'a, R: Runner<Schedule>> Replayer<'a, R> {
    pub(crate) fn new(runner: &'a R, subject: Subject<'a>, effort: Effort) -> Self {
        Self { runner, subject, effort, known: Mutex::default(), hasher: RandomState::new() }
    }

    /// Runs a schedule; none if it cannot be enforced, there is no time, or nothing is to be run.
    pub(crate) fn fresh(&self, schedule: &Schedule, precision: Precision) -> Result<Option<Arc<Run>>, R::Error> {
        let is_enforceable = Enforced::new(self.subject.trace, schedule).is_ok();
        if !is_enforceable || self.runner.spent().is_some() || self.effort.replays == 0 {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.runner.run(schedule, precision)?)))
    }

    /// Runs a schedule unless it was run before. Candidates that lie near to each other share schedules.
    pub(crate) fn shared(&self, witness: &Witness, enforced: &Enforced) -> Result<Arc<Run>, R::Error> {
        let precision = self.precision_for(&witness.candidate);
        let slot = self.slot(enforced, precision);
        let mut known = slot.lock().expect(NO_PANIC);
        if let Some(run) = &*known {
            return Ok(run.clone());
        }
        let run = Arc::new(self.runner.run(&witness.schedule, precision)?);
        *known = self.runner.spent().is_none().then(|| run.clone());
        Ok(run)
    }

    /// Only the exact order of all steps is that of the user's own events: no object orders them.
    fn precision_for(&self, candidate: &Candidate) -> Precision {
        match candidate {
            Candidate::Violation(_) => Precision::Each,
            Candidate::Race(_) | Candidate::Deadlock(_) => self.effort.precision,
        }
    }

    /// Where the run is remembered; nowhere in the end, if there are too many.
    fn slot(&self, enforced: &Enforced, precision: Precision) -> Arc<Slot> {
        let bytes = enforced.to_bytes();
        let key = (self.hasher.hash_one(&bytes), bytes.len(), precision == Precision::Each);
        let mut known = self.known.lock().expect(NO_PANIC);
        match known.len() < REMEMBERED {
            true => known.entry(key).or_default().clone(),
            false => known.get(&key).cloned().unwrap_or_default(),
        }
    }
}
