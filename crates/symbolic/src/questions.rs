//! The questions about one run that no run before it has raised.

use crate::model::{Check, Model};
use crate::regions;
use crate::site::Site;
use foretrace_cssa::Goal;
use foretrace_ctp::must::Must;
use foretrace_ctp::{EventId, ThreadId};
use foretrace_explore::Step;
use foretrace_explore::regions::Regions;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Combinations of what other threads have passed, for one branch, at most.
const MOST_COMBINATIONS: usize = 128;
/// Questions about one run, at most.
const MOST_QUESTIONS: usize = 4096;

/// What is asked first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// Whether a check fails, or a region is broken.
    Check,
    /// Whether a branch goes the other way, which it has never done.
    Side,
    /// Whether it does so after what other threads do.
    Combination,
}

/// Whether some order reaches a goal.
#[derive(Clone, Debug)]
pub struct Question {
    pub tier: Tier,
    /// The number of the run.
    pub run: usize,
    pub site: Site,
    pub goal: Goal,
    /// The last event of the order.
    pub last: EventId,
}

impl Question {
    /// Whether a condition does not hold, after these events.
    fn fails(tier: Tier, run: usize, check: &Check, done: Vec<EventId>) -> Self {
        let goal = Goal { fails: Some(check.event), done, ..Goal::default() };
        Self { tier, run, site: Site::of(check), goal, last: check.event }
    }
}

/// What is asked about besides branches.
#[derive(Clone, Copy, Default, Debug)]
pub struct Asks {
    /// Checks are not.
    pub no_checks: bool,
    /// Which regions are meant to be atomic; without, none.
    pub regions: Option<Regions>,
}

/// What has been asked, by the paths that it is about.
#[derive(Default)]
pub struct Asked {
    asks: Asks,
    questions: FxHashSet<u64>,
    sides: FxHashSet<(u64, usize, u64)>,
}

impl Asked {
    pub fn new(asks: Asks) -> Self {
        Self { asks, ..Self::default() }
    }

    /// The new questions, and the branches about which there are too many to ask all.
    pub fn questions(&mut self, run: usize, (model, steps): (&Model, &[Step])) -> (Vec<Question>, Vec<Check>) {
        let passed = Passed::new(model);
        let mut found = Vec::new();
        let mut left_out = Vec::new();
        for check in model.checks.iter().filter(|_| !self.asks.no_checks) {
            let key = key(check, passed.ends());
            if self.questions.insert(key) {
                found.push(Question::fails(Tier::Check, run, check, Vec::new()));
            }
        }
        for regions::Suspect { site, triple } in regions::suspects(model, steps, self.asks.regions) {
            if self.questions.insert(hash(&site, passed.ends())) {
                found.push(Question { tier: Tier::Check, run, site, goal: triple.goal(), last: triple.second });
            }
        }
        let Some(must) = Must::new(&model.ctp) else { return (found, left_out) };
        for branch in &model.branches {
            let (combinations, are_all) = passed.combinations(&must, branch.event);
            if !are_all || found.len() + combinations.len() > MOST_QUESTIONS {
                left_out.push(*branch);
            }
            let room = MOST_QUESTIONS.saturating_sub(found.len());
            for counts in combinations.into_iter().take(room) {
                let is_new = self.questions.insert(key(branch, passed.prefixes(&counts)));
                let done = passed.last(branch.event.thread, &counts).collect();
                let tier = self.tier(branch);
                found.extend(is_new.then(|| Question::fails(tier, run, branch, done)));
            }
        }
        (found, left_out)
    }

    fn tier(&mut self, branch: &Check) -> Tier {
        let is_new = self.sides.insert((branch.place, branch.event.thread.index(), branch.value));
        if is_new { Tier::Side } else { Tier::Combination }
    }
}

fn key(check: &Check, paths: impl Iterator<Item = u64>) -> u64 {
    hash(&(Site::of(check), check.value), paths)
}

fn hash(about: &impl Hash, paths: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    about.hash(&mut hasher);
    paths.for_each(|path| path.hash(&mut hasher));
    hasher.finish()
}

/// The branches of each thread, with what its path is up to each of them.
struct Passed {
    branches: Vec<Vec<EventId>>,
    /// For each thread and number of branches, the path so far.
    paths: Vec<Vec<u64>>,
}

impl Passed {
    fn new(model: &Model) -> Self {
        let threads = model.ctp.threads.len();
        let mut passed = Self { branches: vec![Vec::new(); threads], paths: vec![vec![0]; threads] };
        for branch in &model.branches {
            let thread = branch.event.thread.index();
            passed.branches[thread].push(branch.event);
            let mut hasher = FxHasher::default();
            (passed.paths[thread].last(), branch.why, branch.place, branch.value).hash(&mut hasher);
            passed.paths[thread].push(hasher.finish());
        }
        passed
    }

    fn ends(&self) -> impl Iterator<Item = u64> {
        self.paths.iter().filter_map(|paths| paths.last().copied())
    }

    /// How many branches each thread may have passed when this one is next: the fewest, and then from many to few; and
    /// whether these are all combinations.
    fn combinations(&self, must: &Must, branch: EventId) -> (Vec<Vec<usize>>, bool) {
        let range = |(thread, branches): (usize, &Vec<EventId>)| {
            if thread == branch.thread.index() {
                let own = branches.partition_point(|other| other.index < branch.index);
                return (own, own);
            }
            let fewest = branches.partition_point(|other| must.before(*other, branch));
            (fewest, branches.partition_point(|other| !must.before(branch, *other)))
        };
        let ranges: Vec<_> = self.branches.iter().enumerate().map(range).collect();
        let fewest: Vec<usize> = ranges.iter().map(|(from, _)| *from).collect();
        let mut found = vec![fewest.clone()];
        let mut counts: Vec<usize> = ranges.iter().map(|(_, to)| *to).collect();
        while found.len() < MOST_COMBINATIONS && counts != fewest {
            found.push(counts.clone());
            // As a number whose digits are counted down.
            for (count, (from, to)) in counts.iter_mut().zip(&ranges) {
                if *count > *from {
                    *count -= 1;
                    break;
                }
                *count = *to;
            }
        }
        (found, counts == fewest)
    }

    fn prefixes(&self, counts: &[usize]) -> impl Iterator<Item = u64> {
        self.paths.iter().zip(counts).map(|(paths, count)| paths[*count])
    }

    /// The last branch that each of the other threads has passed.
    fn last(&self, own: ThreadId, counts: &[usize]) -> impl Iterator<Item = EventId> {
        let others = self.branches.iter().zip(counts).enumerate().filter(move |(thread, _)| *thread != own.index());
        others.filter_map(|(_, (branches, count))| branches.get(count.checked_sub(1)?).copied())
    }
}
