//! The optimistic rung: forced failures of try and timed operations that succeeded.
//!
//! The trace shows what the program did when the operation succeeded. If the program does the same when it fails (it
//! ignores the result), then the lock no longer protects anything. Only a replay can show that, so these candidates
//! come last. One operation is forced to fail, or two.
//!
//! A thread whose operation fails goes on without the lock. It may then race with accesses that the lock excluded, and
//! it may enter a cycle of locks that this lock guarded as a gate.

use std::collections::BTreeSet;

use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_finding::{Candidate, Deadlock, Race, Rung, Witness};

use crate::accesses::{Touch, Touched, collect};
use crate::analysis::{Analysis, Searchable};
use crate::budget::Budget;
use crate::model::Rules;
use crate::options::Detail;
use crate::schedule::{Writer, finish_threads};
use crate::search::{Query, Visit, Wish, reach, search};
use rustc_hash::FxHashMap;

/// How many operations are forced to fail, one after the other; how many pairs of them; and how many pairs of accesses
/// are searched with each.
const MOST_OPERATIONS: usize = 64;
const MOST_COUPLES: usize = 64;
const MOST_PAIRS: usize = 64;
/// How many choices of forced failures are searched for dead ends, which takes longer.
const MOST_ENDS: usize = 32;
/// States of one such search: these candidates are worth less than others.
const STATES: u64 = 100_000;
/// States of all searches for races.
const ALL_STATES: u64 = 1_000_000;
/// How many operations of one thread at one place are forced to fail.
const MOST_AT_PLACE: usize = 2;

/// Races under forced failures, in intervals that are not yet known to race.
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
    let mut left = ALL_STATES;
    for failed in choices(&failing) {
        if unknown.is_empty() || left == 0 || analysis.options.budget.interrupted().is_some() {
            break;
        }
        let failing = Failing::new(analysis, failed);
        unknown.retain(|touched| match failing.race(touched, &mut left) {
            Some(witness) => {
                found.push(witness);
                false
            }
            None => true,
        });
    }
    found
}

/// A program with forced failures.
struct Failing<'a, 'b> {
    analysis: &'b Analysis<'a>,
    failed: Vec<EventId>,
    searchable: Searchable,
    /// Whether all of them are locks: then the sections that the lock excluded may overlap, and nothing else changes.
    locks: bool,
}

impl<'a, 'b> Failing<'a, 'b> {
    fn new(analysis: &'b Analysis<'a>, failed: Vec<EventId>) -> Self {
        let rules = Rules { failing: failed.clone(), ..Rules::default() };
        let locks = failed.iter().all(|id| !matches!(analysis.trace.event(*id), Event::SemWait(..)));
        Self { analysis, failed, searchable: Searchable::new(analysis.trace, &rules), locks }
    }

    /// A race of an interval between an access after a forced failure, in the same thread, and another thread.
    fn race(&self, touched: &Touched, left: &mut u64) -> Option<Witness> {
        let after =
            |touch: &&Touch| self.failed.iter().any(|one| touch.id.thread == one.thread && touch.id.index > one.index);
        let pairs = touched.touches.iter().filter(after).flat_map(|one| {
            touched.touches.iter().filter(|other| self.may_race(one, other)).map(|other| [one.id, other.id])
        });
        pairs.take(MOST_PAIRS).find_map(|events| {
            let query = self.searchable.goal(&events, true);
            let budget = Budget { states: (*left).min(STATES), ..budget(self.analysis) };
            let (answer, states) = reach(&self.searchable.program, self.searchable.uses(), &query, &budget);
            *left = left.saturating_sub(states);
            let path = answer.ok()??;
            let mut writer = Writer::new(self.searchable.program.threads(), &self.failed);
            writer.path(&self.searchable.program, &query.start, &path);
            let candidate = Candidate::Race(Race::new(touched.interval, events[0], events[1]));
            Some(Witness { candidate, rung: Rung::Optimistic, schedule: writer.finish(&events) })
        })
    }

    /// Do they conflict, and does only a failing operation keep them apart? Then it is a lock that both hold otherwise.
    fn may_race(&self, one: &Touch, other: &Touch) -> bool {
        let conflict =
            one.id.thread != other.id.thread && (one.writes || other.writes) && !(one.atomic && other.atomic);
        let held = |touch: &Touch| {
            let (thread, position) = self.searchable.place(touch.id);
            self.searchable.program.held_at(thread, position)
        };
        let program = &self.analysis.free().program;
        conflict
            && !self.searchable.program.exclude(held(one), held(other))
            && (!self.locks || program.exclude(one.held, other.held))
    }
}

/// Deadlocks under forced failures that contain no known one.
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
    let mut at_place: FxHashMap<(ThreadId, u64), usize> = FxHashMap::default();
    let is_new = |id: &EventId| {
        let known = at_place.entry((id.thread, trace.pc(*id))).or_default();
        *known += 1;
        *known <= MOST_AT_PLACE || trace.pc(*id) == 0
    };
    trace.threads().flat_map(of).filter(is_new).take(MOST_OPERATIONS).collect()
}

/// The budget of one of these searches.
fn budget(analysis: &Analysis<'_>) -> Budget {
    Budget { states: STATES.min(analysis.options.budget.states), ..analysis.options.budget.clone() }
}

/// Deadlocks after all of the forced failures.
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
