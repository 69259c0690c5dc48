//! Which orders of a program to run: those in which a check fails, and those that lead to paths of its threads that no run
//! has taken together.
//!
//! The *path* of a thread is the sequence of its branches that depend on shared reads, with their outcomes. For a branch of
//! a run, and for each number of branches that every other thread may have passed by then, one order is looked for in which
//! the branch goes the other way. Whatever really happens in a program is reached by such orders: let an execution follow a
//! run until one of its branches goes the other way; the question about this branch, after those that the other threads have
//! passed in the execution, has an answer, and the run of this answer agrees with the execution for longer.
//! Questions are about paths, not about runs, so each is asked once.

use crate::log::{Followed, Malformed};
use crate::model::{Model, model};
use crate::plan::plan;
use crate::questions::{Asked, Asks, Question, Tier};
use crate::site::Site;
use foretrace_cssa::{Analysis, Options, Verdict};
use foretrace_explore::{Choice, Step};
use foretrace_order::Budget;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Pairs of reads and writes of the same memory in one run, at most: formulas grow with them.
pub(crate) const MOST_PAIRS: usize = 100_000;
/// Conflicts of the solver for one question, at most.
const MOST_CONFLICTS: u64 = 20_000;

/// An order to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The choices.
    pub choices: Vec<Choice>,
    /// The check that fails in it, or the region that it breaks; none if it leads to another path.
    pub fails: Option<Site>,
}

/// What followed runs have shown, and what is to be asked about them.
#[derive(Default)]
pub struct Paths {
    runs: Vec<Seen>,
    /// Questions by their tier, the next one first.
    open: [VecDeque<Question>; 3],
    asked: Asked,
    /// Checks that are known to fail, and regions that are known to be broken.
    failing: FxHashSet<Site>,
    /// The analysis of the run that was asked about last.
    current: Option<(usize, Analysis)>,
    undecided: FxHashSet<Site>,
}

struct Seen {
    steps: Vec<Step>,
    model: Model,
}

impl Paths {
    /// With nothing seen so far.
    pub fn new(asks: Asks) -> Self {
        Self { asked: Asked::new(asks), ..Self::default() }
    }

    /// Adds a run that came to its end, and answers with its model.
    ///
    /// # Errors
    /// If the records contradict each other.
    pub fn add(&mut self, run: Followed) -> Result<&Model, Malformed> {
        let model = model(&run)?;
        let number = self.runs.len();
        if foretrace_ctp::check::check(&model.ctp).is_err() || foretrace_cssa::pairs(&model.ctp) > MOST_PAIRS {
            self.undecided.extend(model.checks.iter().chain(&model.branches).map(Site::of));
        } else {
            let (questions, left_out) = self.asked.questions(number, (&model, &run.steps));
            self.undecided.extend(left_out.iter().map(Site::of));
            questions.into_iter().for_each(|question| self.open[question.tier as usize].push_back(question));
        }
        self.runs.push(Seen { steps: run.steps, model });
        Ok(&self.runs[number].model)
    }

    /// A check really failed in its order, or a region was broken.
    pub fn failed(&mut self, site: Site) {
        self.failing.insert(site);
    }

    /// The next order to run; none if nothing is left to ask, or the budget is used up.
    pub fn next(&mut self, budget: &Budget) -> Option<Order> {
        while !budget.is_used_up() {
            let question = self.take()?;
            if let Some(order) = self.answer(&question, budget) {
                return Some(order);
            }
        }
        None
    }

    /// How many checks and branches there are with a question that has no answer.
    pub fn undecided(&self) -> usize {
        let open = self.open.iter().flatten().map(|question| question.site);
        self.undecided.iter().copied().chain(open).collect::<FxHashSet<Site>>().len()
    }

    /// The next question of the first tier that has any; of these, one about the run whose formula is at hand.
    fn take(&mut self) -> Option<Question> {
        let current = self.current.as_ref().map(|(run, _)| *run);
        let tier = self.open.iter_mut().find(|tier| !tier.is_empty())?;
        let place = tier.iter().position(|question| Some(question.run) == current).unwrap_or(0);
        tier.remove(place)
    }

    fn answer(&mut self, question: &Question, budget: &Budget) -> Option<Order> {
        let fails = (question.tier == Tier::Check).then_some(question.site);
        if fails.is_some_and(|site| self.failing.contains(&site)) {
            return None;
        }
        let limited = Budget { conflicts: Some(MOST_CONFLICTS), ..*budget };
        let verdict = self.analysis(question.run).map(|analysis| analysis.ask(&question.goal, &limited));
        match verdict {
            Some(Verdict::Yes(mut witness)) => {
                if !witness.order.contains(&question.last) {
                    witness.order.push(question.last);
                }
                let seen = &self.runs[question.run];
                Some(Order { choices: plan(&seen.model.ctp, &seen.steps, &witness.order, &witness.woken), fails })
            }
            Some(Verdict::No { .. }) => None,
            Some(Verdict::Unknown) | None => {
                self.undecided.insert(question.site);
                None
            }
        }
    }

    fn analysis(&mut self, run: usize) -> Option<&mut Analysis> {
        if self.current.as_ref().is_none_or(|(current, _)| *current != run) {
            let analysis = Analysis::new(&self.runs[run].model.ctp, Options::default()).ok()?;
            self.current = Some((run, analysis));
        }
        self.current.as_mut().map(|(_, analysis)| analysis)
    }
}
