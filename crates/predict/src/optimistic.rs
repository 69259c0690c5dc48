//! The optimistic rung: a try or timed operation that succeeded fails instead.
//!
//! The trace shows what the program did when the operation succeeded. If it does the same when it fails (its result is
//! ignored), then what the lock protected is protected no longer. Only replay can tell, so these candidates come last.
//! One operation at a time is made to fail.

use foretrace_event::{Event, EventId, Patience};
use foretrace_finding::{Candidate, Race, Rung, Witness};

use crate::accesses::{Touch, Touched, collect};
use crate::analysis::{Analysis, Searchable};
use crate::budget::Budget;
use crate::model::Rules;
use crate::options::Detail;
use crate::schedule::Writer;
use crate::search::reach;

/// How many operations are made to fail, one after the other, and how many pairs are searched for with each.
const MOST_OPERATIONS: usize = 64;
const MOST_PAIRS: usize = 64;
/// States of one such search: these candidates are worth less than others.
const STATES: u64 = 100_000;

/// Races of intervals that are not known to race, if an operation fails.
pub(crate) fn races(analysis: &Analysis<'_>, known: &[Candidate]) -> Vec<Witness> {
    let failing = could_fail(analysis);
    if failing.is_empty() {
        return Vec::new();
    }
    let (all, _, _) = collect(analysis.trace, &analysis.free().program, Detail::Intervals);
    let is_known = |touched: &Touched| {
        known.iter().any(|candidate| matches!(candidate, Candidate::Race(race) if race.interval == touched.interval))
    };
    let mut unknown: Vec<Touched> = all.into_iter().filter(|touched| !is_known(touched)).collect();
    let mut found = Vec::new();
    for operation in failing {
        let searchable = Searchable::new(analysis.trace, &Rules { failing: vec![operation], ..Rules::default() });
        unknown.retain(|touched| match race(analysis, &searchable, operation, touched) {
            Some(witness) => {
                found.push(witness);
                false
            }
            None => true,
        });
    }
    found
}

/// Successful operations that might have failed.
fn could_fail(analysis: &Analysis<'_>) -> Vec<EventId> {
    let trace = analysis.trace;
    let gives_up = |event: Event| match event {
        Event::Lock(_, patience) | Event::RdLock(_, patience) | Event::SemWait(_, patience) => {
            patience != Patience::Blocking
        }
        _ => false,
    };
    let of = |thread| {
        let events = trace.events(thread).enumerate().filter(|(_, event)| gives_up(*event));
        events.map(move |(index, _)| EventId { thread, index: index as u32 }).collect::<Vec<_>>()
    };
    trace.threads().flat_map(of).take(MOST_OPERATIONS).collect()
}

/// A race of an interval between what comes after a failed operation in its thread and another thread.
fn race(analysis: &Analysis<'_>, searchable: &Searchable, failed: EventId, touched: &Touched) -> Option<Witness> {
    let after = |touch: &&Touch| touch.id.thread == failed.thread && touch.id.index > failed.index;
    let pairs = touched.touches.iter().filter(after).flat_map(|one| {
        let clashes = |other: &&Touch| {
            other.id.thread != one.id.thread && (one.writes || other.writes) && !(one.atomic && other.atomic)
        };
        touched.touches.iter().filter(clashes).map(move |other| [one.id, other.id])
    });
    pairs.take(MOST_PAIRS).find_map(|events| {
        let query = searchable.goal(&events, true);
        let budget = Budget { states: STATES.min(analysis.options.budget.states), ..analysis.options.budget.clone() };
        let (answer, _) = reach(&searchable.program, searchable.uses(), &query, &budget);
        let path = answer.ok()??;
        let failing = [failed];
        let mut writer = Writer::new(searchable.program.threads(), &failing);
        writer.path(&searchable.program, &query.start, &path);
        let candidate = Candidate::Race(Race::new(touched.interval, events[0], events[1]));
        Some(Witness { candidate, rung: Rung::Optimistic, schedule: writer.finish(&events) })
    })
}
