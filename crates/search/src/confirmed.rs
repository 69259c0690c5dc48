//! What a search answers: failures that were seen, and predictions that no run has shown.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use foretrace_event::EventId;
use foretrace_finding::{Schedule, Witness};
use foretrace_run::{Evidence, NotEnforceable, Run, Spot, in_words};

use crate::Looks;

/// A failure with the schedule whose run showed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The schedule.
    pub schedule: Schedule,
    /// What was seen.
    pub evidence: Evidence,
    /// The run that showed it.
    pub run: Arc<Run>,
    /// It is what the schedule was made for.
    pub aimed_at: bool,
    /// How often the schedule shows it, if it was run again for that.
    pub repeats: Option<Repeats>,
}

impl Confirmed {
    /// All that a run of a schedule showed, whatever that was made for.
    pub fn all(schedule: &Schedule, run: &Arc<Run>) -> Vec<Self> {
        let confirmed =
            |evidence| Self { schedule: schedule.clone(), evidence, run: run.clone(), aimed_at: false, repeats: None };
        Evidence::all(run).into_iter().map(confirmed).collect()
    }

    /// Where each thread was: what makes two failures the same.
    pub fn spots(&self) -> Vec<Spot> {
        self.evidence.spots(&self.run.modules)
    }

    /// In how many of these runs the failure shows; none if there are none.
    pub(crate) fn count_in(&self, runs: &[Arc<Run>]) -> Option<Repeats> {
        let shows = |run: &&Arc<Run>| {
            let like = |one: &Evidence| one.is_like(&run.modules, &self.evidence, &self.run.modules);
            Evidence::all(run).iter().any(like)
        };
        (!runs.is_empty()).then(|| Repeats { seen: runs.iter().filter(shows).count() as u32, of: runs.len() as u32 })
    }
}

/// How often a schedule shows a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// In so many runs,
    pub seen: u32,
    /// of so many; not zero.
    pub of: u32,
}

impl Repeats {
    /// In each run.
    pub fn is_always(self) -> bool {
        self.seen == self.of
    }

    /// In a larger part of the runs.
    pub fn is_more_than(self, other: Self) -> bool {
        u64::from(self.seen) * u64::from(other.of) > u64::from(other.seen) * u64::from(self.of)
    }
}

/// A prediction that no run has shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// The witness that was tried last, or would have been.
    pub witness: Witness,
    /// Why it is not confirmed.
    pub reason: Reason,
}

/// Why a prediction is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The program did something else than the schedule expects.
    Diverged {
        /// The event that the schedule was at; none: it was at its end.
        expected: Option<EventId>,
        /// What happened.
        instead: Instead,
    },
    /// The schedule ran to its end and the error did not show.
    NotSeen,
    /// The accesses took place in an order that nothing seen enforces, but a library that both threads use
    /// synchronises where it cannot be seen.
    Library(String),
    /// Another error came first.
    OtherError,
    /// The run did not end in time.
    TimeUp(Duration),
    /// The run waited for input from outside.
    Outside,
    /// The program was killed by this signal.
    Killed(i32),
    /// The schedule cannot be enforced.
    NotEnforceable(NotEnforceable),
    /// No more runs may begin: the budget is spent, or somebody has asked to stop.
    Spent(&'static str),
    /// Its share of the time was spent, and no time was left to go on with it later.
    ShareSpent,
    /// So many of the same kind were run instead.
    Alike(usize),
    /// The values that a run read rule it out.
    RuledOut,
    /// No runs were asked for.
    NotReplayed,
}

/// What happened instead of the next step of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instead {
    /// A thread reached another operation than the schedule expects.
    Operation {
        /// Which thread.
        thread: u32,
        /// What it reached.
        got: String,
        /// What the schedule expects.
        expected: String,
    },
    /// The thread of the next step never arrived.
    NeverArrived {
        /// Which thread.
        thread: u32,
    },
    /// The program ended.
    Ended,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diverged { instead, .. } => write!(f, "the replay went another way: {instead}"),
            Self::NotSeen => f.write_str("the replay ran to its end and nothing failed"),
            Self::Library(name) => write!(f, "{name} synchronises where Foretrace cannot see"),
            Self::OtherError => f.write_str("another error came first"),
            Self::TimeUp(time) => write!(f, "no end within {time:.1?}"),
            Self::Outside => f.write_str("the replay waited for input from outside; give it with --client"),
            Self::Killed(signal) => write!(f, "the program was killed by signal {signal}"),
            Self::NotEnforceable(why) => write!(f, "{why}"),
            Self::Spent(why) => f.write_str(why),
            Self::ShareSpent => f.write_str("its share of the time budget (--budget) is spent"),
            Self::RuledOut => f.write_str("not replayed: what the program reads rules it out"),
            Self::Alike(count) => write!(f, "{count} of its kind were replayed instead"),
            Self::NotReplayed => f.write_str("it was not replayed"),
        }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation { thread, got, expected } => {
                write!(f, "t{thread} reached {} where the schedule expects {}", in_words(got), in_words(expected))
            }
            Self::NeverArrived { thread } => write!(f, "t{thread} did not reach its next operation"),
            Self::Ended => f.write_str("the program ended"),
        }
    }
}

/// Failures, each once.
#[derive(Debug)]
pub(crate) struct Failures {
    looks: Looks,
    pub(crate) all: Vec<Confirmed>,
    /// Which of them it is, by the property that was violated, if it is that, and by places.
    numbers: BTreeMap<(Option<String>, Vec<Spot>), usize>,
}

impl Failures {
    pub(crate) fn new(looks: Looks) -> Self {
        Self { looks, all: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Of several schedules that showed the same, one that was made for it is kept.
    pub(crate) fn add(&mut self, confirmed: Confirmed) {
        if !self.looks.wants(&confirmed.evidence) {
            return;
        }
        let property = confirmed.evidence.property().map(str::to_owned);
        let number = *self.numbers.entry((property, confirmed.spots())).or_insert(self.all.len());
        match self.all.get_mut(number) {
            None => self.all.push(confirmed),
            Some(known) if confirmed.aimed_at && !known.aimed_at => *known = confirmed,
            Some(_) => {}
        }
    }
}
