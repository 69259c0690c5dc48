//! What to run next: predictions in, [`Confirmed`] failures and [`Open`] questions out.
//!
//! A prediction is a claim about a recorded run. The search has the program run under its schedules, by a
//! [`Runner`](foretrace_run::Runner), and spends what time there is in this order ([`search`]):
//!
//! 1. **The recorded order**, if the recorded run failed or had to be ended, and in long programs if races are predicted:
//!    one run shows every race whose accesses nothing ordered in the recorded run.
//! 2. **Ladders**: each candidate's witnesses, nearest to the recorded run first, until one shows its error (`climb`). Of
//!    candidates that differ in nothing but the time and the block a few are tried (`choose`). What another candidate's
//!    run has shown incidentally is not tried again. No candidate takes more than a quarter of the time that is left.
//! 3. **Delay points**: races decide what is read, so the reads of those that were seen are made to see other values
//!    (`delays`).
//! 4. **Certainty**: failures that do not show in every run of their schedule get one that does, if there is one (`certain`).
//! 5. **The recorded order**, if it was not run first, for races that no other order has shown.
//! 6. **Forced failures**: operations that succeeded and could have failed (`forced`).
//!
//! Why a failure fails, that is, which orders of operations it needs, is asked afterwards ([`why`]).
//!
//! A witness that the judge rejects is a bug of prediction, and the search panics on it.
//!
//! The ladder is that of `foretrace-predict`; running until one witness is confirmed is RaceQuest's method (thesis 4.7).
//!
//! **Deviations.** RaceQuest replays each counterexample once. Here one run is searched for every failure, whatever it was
//! made for, and one that comes by chance is made certain.
//!
//! **What it misses.** A failure that needs two racing reads at certain values at once, unless one of them comes by itself;
//! more than one forced failure in a run.
//!
//! ```
//! use foretrace_finding::Schedule;
//! use foretrace_predict::{Options, Predictor};
//! use foretrace_run::{Ended, Modules, Outcome, Precision, Run, Runner};
//! use foretrace_search::{Effort, Reason, Subject, search};
//!
//! /// Every run ends well.
//! struct Fine;
//!
//! impl Runner<Schedule> for Fine {
//!     type Error = std::io::Error;
//!     fn run(&self, _: &Schedule, _: Precision) -> std::io::Result<Run> {
//!         let outcome = Outcome { ended: true, ..Outcome::default() };
//!         let ended = Ended { process: 1, status: Default::default(), cut_short: None, time: Default::default() };
//!         Ok(Run { outcome, progress: 0, modules: Modules::default(), ended, death: None, violations: Vec::new(), regions: Vec::new() })
//!     }
//!     fn spent(&self) -> Option<&'static str> {
//!         None
//!     }
//! }
//!
//! let trace = foretrace_trace::text::parse("main fork t\nt write x\nmain read x").unwrap();
//! let (options, modules) = (Options::default(), Modules::default());
//! let predictor = Predictor::new(&trace, &options);
//! let subject = Subject { trace: &trace, modules: &modules, predictor: &predictor, options: &options };
//! let found = search(&Fine, subject, &predictor.predict(&()), Effort::default(), &()).unwrap();
//! assert!(found.confirmed.is_empty());
//! assert_eq!(found.open[0].reason, Reason::NotSeen);
//! ```
#![forbid(unsafe_code)]

mod certain;
mod choose;
mod climb;
mod confirmed;
mod delays;
mod forced;
mod parallel;
mod replayer;
mod search;
mod seen;
mod why;

use foretrace_run::{Evidence, Precision};

pub use certain::REPEATS;
pub use confirmed::{Confirmed, Instead, Open, Reason, Repeats};
pub use replayer::Subject;
pub use search::search;
pub use seen::{told, violations};
pub use why::{Ordered, Why, why};

/// How hard to try.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Which failures count.
    pub looks: Looks,
    /// How many witnesses of one candidate are run.
    pub replays: usize,
    /// How accesses are watched.
    pub precision: Precision,
    /// When the recorded order is run.
    pub recorded: Recorded,
    /// How many runs at a time.
    pub jobs: usize,
    /// How many runs of one schedule at a time.
    pub at_once: usize,
}

impl Default for Effort {
    fn default() -> Self {
        let (looks, precision) = (Looks::default(), Precision::Each);
        Self { looks, replays: 8, precision, recorded: Recorded::Last, jobs: 1, at_once: REPEATS }
    }
}

/// When the recorded order is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recorded {
    /// First, because the recorded run died or had to be ended: it may do so again.
    First,
    /// First if races are predicted: runs are long, and one of them may show many races.
    FirstForRaces,
    /// Last, if races are predicted that no other order has shown: short programs get shorter schedules that way.
    Last,
}

/// Which failures count: all but those of some kinds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Looks {
    /// The rules of the kinds that are not looked for.
    pub without: Vec<&'static str>,
}

impl Looks {
    fn wants(&self, evidence: &Evidence) -> bool {
        !self.without.contains(&evidence.rule())
    }
}

/// What came of everything.
#[derive(Debug)]
pub struct Found {
    /// Failures that were seen, each once.
    pub confirmed: Vec<Confirmed>,
    /// Predictions that no run has shown.
    pub open: Vec<Open>,
    /// Why not everything was tried, if so.
    pub spent: Option<&'static str>,
}
