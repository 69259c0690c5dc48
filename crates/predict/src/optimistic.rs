//! The optimistic rung: a try or timed operation that succeeded fails instead.
//!
//! The trace shows what the program did when the operation succeeded. If it does the same when it fails (its result is
//! ignored), then what the lock protected is protected no longer. Only replay can tell, so these candidates come last.
//! One operation is made to fail, or two.
//!
//! A thread whose operation fails goes on without the lock. It may race then with what the lock kept out, and it may get
//! into a cycle of locks of which this one was the gate.

use std::collections::BTreeSet;

use foretrace_event::{Event, EventId, Patience};
use foretrace_finding::{Candidate, Deadlock, Race, Rung, Witness};

use crate::accesses::{Touch, Touched, collect};
use crate::analysis::{Analysis, Searchable};
use crate::budget::Budget;
use crate::model::Rules;
use crate::options::Detail;
use crate::schedule::{Writer, finish_threads};
use crate::search::{Query, Visit, Wish, reach, search};

/// How many operations are made to fail, one after the other; how many pairs of them; and how many pairs of accesses are
/// searched for with each.
const MOST_OPERATIONS: usize = 64;
const MOST_COUPLES: usize = 64;
const MOST_PAIRS: usize = 64;
/// How many choices of failing operations are searched for dead ends, which takes longer.
const MOST_ENDS: usize = 32;
/// States of one such search: these candidates are worth less than others.
const STATES: u64 = 100_000;

/// Races of intervals that are not known to race, if operations fail.
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
    for failed in choices(&failing) {
        if unknown.is_empty() || analysis.options.budget.interrupted().is_some() {
            break;
        }
        let searchable = Searchable::new(analysis.trace, &Rules { failing: failed.clone(), ..Rules::default() });
        unknown.retain(|touched| match race(analysis, &searchable, &failed, touched) {
            Some(witness) => {
                found.push(witness);
                false
            }
            None => true,
        });
    }
    found
}

/// Deadlocks that contain no known one, if operations fail.
pub(crate) fn deadlocks(analysis: &Analysis<'_>, known: &[Deadlock]) -> Vec<Witness> {
    let failing = could_fail(analysis);
    let mut seen: BTreeSet<Vec<EventId>> = known.iter().map(|deadlock| deadlock.events().collect()).collect();
    let mut found = Vec::new();
    for failed in choices(&failing).take(MOST_ENDS) {
        if analysis.options.budget.interrupted().is_some() {
            break;
        }
        let searchable = Searchable::new(analysis.trace, &Rules { failing: failed.clone(), ..Rules::default() });
        found.extend(dead_ends(analysis, &searchable, &failed, &mut seen));
    }
    found
}

/// Each operation by itself, then pairs of different threads.
fn choices(failing: &[EventId]) -> impl Iterator<Item = Vec<EventId>> + '_ {
    let couples = failing.iter().enumerate().flat_map(|(at, one)| {
        let others = failing[at + 1..].iter().filter(move |other| other.thread != one.thread);
        others.map(move |other| vec![*one, *other])
    });
    failing.iter().map(|one| vec![*one]).chain(couples.take(MOST_COUPLES))
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

/// How much one of these searches may visit.
fn budget(analysis: &Analysis<'_>) -> Budget {
    Budget { states: STATES.min(analysis.options.budget.states), ..analysis.options.budget.clone() }
}

/// A race of an interval between what comes after a failed operation in its thread and another thread.
fn race(analysis: &Analysis<'_>, searchable: &Searchable, failed: &[EventId], touched: &Touched) -> Option<Witness> {
    let after = |touch: &&Touch| failed.iter().any(|one| touch.id.thread == one.thread && touch.id.index > one.index);
    let pairs = touched.touches.iter().filter(after).flat_map(|one| {
        let clashes = |other: &&Touch| {
            other.id.thread != one.id.thread && (one.writes || other.writes) && !(one.atomic && other.atomic)
        };
        touched.touches.iter().filter(clashes).map(move |other| [one.id, other.id])
    });
    pairs.take(MOST_PAIRS).find_map(|events| {
        let query = searchable.goal(&events, true);
        let (answer, _) = reach(&searchable.program, searchable.uses(), &query, &budget(analysis));
        let path = answer.ok()??;
        let mut writer = Writer::new(searchable.program.threads(), failed);
        writer.path(&searchable.program, &query.start, &path);
        let candidate = Candidate::Race(Race::new(touched.interval, events[0], events[1]));
        Some(Witness { candidate, rung: Rung::Optimistic, schedule: writer.finish(&events) })
    })
}

/// Deadlocks behind all of the failed operations.
fn dead_ends(
    analysis: &Analysis<'_>,
    searchable: &Searchable,
    failed: &[EventId],
    seen: &mut BTreeSet<Vec<EventId>>,
) -> Vec<Witness> {
    let program = &searchable.program;
    let places: Vec<(usize, u32)> = failed.iter().map(|&id| searchable.place(id)).collect();
    let mut met = Vec::new();
    let mut visitor = |visit: Visit<'_>| {
        let behind = visit.dead && places.iter().all(|&(thread, position)| visit.state.cut[thread] > position);
        let core = if behind { program.core(visit.state) } else { None };
        let Some(core) = core else { return Wish::More };
        let events: Vec<EventId> = core.events().collect();
        if seen.iter().any(|known| known.iter().all(|event| events.contains(event))) {
            return Wish::More;
        }
        seen.insert(events);
        met.push(core);
        Wish::Path
    };
    let query = Query::dead(program);
    let searched = search(program, searchable.uses(), &query, &budget(analysis), &mut visitor);
    let found = met.into_iter().zip(searched.paths).map(|(deadlock, path)| {
        let mut writer = Writer::new(program.threads(), failed);
        writer.path(program, &query.start, &path);
        let schedule = finish_threads(program, writer.finish(&deadlock.events().collect::<Vec<_>>()));
        Witness { candidate: Candidate::Deadlock(deadlock), rung: Rung::Optimistic, schedule }
    });
    found.collect()
}
