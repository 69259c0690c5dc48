//! Whether two accesses can be next at once, as far as the data of one followed run tell: which branches were taken, and
//! which memory was accessed, depends on what was read, and that on the order.
//!
//! Values that were not followed may be anything here, so that what cannot happen depends on values that are known. The same
//! holds for what is read without synchronisation ([`crate::synchronised`]): two accesses that only a relaxed flag keeps apart
//! are never next at once, and race all the same.

use crate::log::{Followed, Malformed};
use crate::model::model;
use crate::paths::MOST_PAIRS;
use crate::synchronised::only_synchronised;
use foretrace_cssa::{Analysis, Goal, Options, Verdict};
use foretrace_ctp::must::Must;
use foretrace_ctp::{Action, Ctp, EventId};
use foretrace_order::Budget;
use std::collections::BTreeMap;

/// Pairs of accesses that are asked about for two places of the program, at most: of more, some from each part of the run.
const MOST_QUESTIONS: usize = 64;
/// Conflicts of the solver for one question, at most.
const MOST_CONFLICTS: u64 = 20_000;

/// The accesses of a run, and its formula.
pub struct Together {
    ctp: Ctp,
    must: Must,
    analysis: Analysis,
    /// The accesses at each place of the program.
    accesses: BTreeMap<u64, Vec<EventId>>,
}

impl Together {
    /// Of this run; none if its formula would be too large, or it has something that formulas do not have.
    ///
    /// # Errors
    /// If the records contradict each other.
    pub fn new(run: &Followed) -> Result<Option<Self>, Malformed> {
        let model = model(run)?;
        let ctp = model.without_losses();
        let fits = foretrace_ctp::check::check(&ctp).is_ok() && foretrace_cssa::pairs(&ctp) <= MOST_PAIRS;
        let Some(must) = fits.then(|| Must::new(&ctp)).flatten() else { return Ok(None) };
        let ctp = only_synchronised(ctp, &must, run);
        let Ok(analysis) = Analysis::new(&ctp, Options::default()) else { return Ok(None) };
        let mut accesses: BTreeMap<u64, Vec<EventId>> = BTreeMap::new();
        for (id, event) in ctp.events().filter(|(_, event)| event.action.place().is_some()) {
            let step = event.link.and_then(|link| run.steps.get(link.index as usize));
            step.into_iter().for_each(|step| accesses.entry(step.place).or_default().push(id));
        }
        Ok(Some(Self { ctp, must, analysis, accesses }))
    }

    /// The places of all accesses.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        self.accesses.keys().copied()
    }

    /// Whether accesses at two places, each known by several addresses, can be next at once; none if that is unknown.
    pub fn is_possible(&mut self, places: [&[u64]; 2], budget: &Budget) -> Option<bool> {
        let pairs = self.pairs(places);
        if pairs.is_empty() {
            return None;
        }
        let limited = Budget { conflicts: Some(MOST_CONFLICTS), ..*budget };
        for pair in some(&pairs) {
            match self.analysis.ask(&Goal { next: pair.to_vec(), ..Goal::default() }, &limited) {
                Verdict::No { .. } => {}
                Verdict::Yes(_) => return Some(true),
                Verdict::Unknown => return None,
            }
        }
        Some(false)
    }

    fn pairs(&self, [first, second]: [&[u64]; 2]) -> Vec<[EventId; 2]> {
        let at = |places: &[u64]| -> Vec<EventId> {
            places.iter().filter_map(|place| self.accesses.get(place)).flatten().copied().collect()
        };
        let (first, second) = (at(first), at(second));
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| [*a, *b]));
        pairs.filter(|pair| self.is_conflict(*pair)).collect()
    }

    fn is_conflict(&self, [a, b]: [EventId; 2]) -> bool {
        let [x, y] = [a, b].map(|id| self.ctp.event(id).action);
        let (Some(one), Some(other)) = (x.place(), y.place()) else { return false };
        let is_step = |action| matches!(action, Action::Update { .. });
        a.thread != b.thread
            && one.overlaps(other)
            && (x.written().is_some() || y.written().is_some())
            && !(is_step(x) && is_step(y))
            && !self.must.before(a, b)
            && !self.must.before(b, a)
    }
}

/// Spread over all of them.
fn some(pairs: &[[EventId; 2]]) -> impl Iterator<Item = &[EventId; 2]> {
    pairs.iter().step_by(pairs.len().div_ceil(MOST_QUESTIONS).max(1))
}
