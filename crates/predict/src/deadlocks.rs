//! Deadlocks: cycles of lock requests, and every other way to get stuck.

use std::collections::BTreeSet;

use foretrace_causality::{Ideal, Request};
use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_finding::{Deadlock, Schedule, Stuck, WaitsFor};

use crate::analysis::Analysis;
use crate::budget::{Budget, Unknown};
use crate::model::{Program, State};
use crate::races::forced_apart;
use crate::schedule::{Writer, finish_threads};
use crate::search::{Mode, Query, Visit, Wish, reach, search};

/// The result for a cycle.
#[derive(Clone, Debug)]
pub(crate) struct CycleDecided {
    /// The deadlock, and whether an ideal shows it.
    pub(crate) answer: Result<Option<(Deadlock, bool)>, Unknown>,
    pub(crate) states: u64,
}

/// How many choices of events are searched for one cycle.
const MOST_CHOICES: usize = 1024;

/// Can the threads of a cycle all be at their requests at once?
pub(crate) fn decide_cycle(analysis: &Analysis<'_>, requests: &[&Request]) -> CycleDecided {
    if analysis.options.reductions.closure
        && let Some(events) = sweep(analysis, requests)
    {
        return CycleDecided { answer: Ok(Some((named(requests, &events), true))), states: 0 };
    }
    search_cycle(analysis, requests)
}

/// Events of the requests that can be next at once with all critical sections in order, if any.
fn sweep(analysis: &Analysis<'_>, requests: &[&Request]) -> Option<Vec<EventId>> {
    let mut ideal = Ideal::new(analysis.sections());
    let mut at = vec![0; requests.len()];
    loop {
        let places: Option<Vec<_>> =
            requests.iter().zip(&at).map(|(request, &at)| Some((request.thread, *request.events.get(at)?))).collect();
        let places = places?;
        match ideal.reach(&places) {
            Ok(()) => return Some(places.into_iter().map(event).collect()),
            Err(beyond) => {
                let wanted = ideal.wanted(beyond.thread);
                let index = requests.iter().position(|request| request.thread == beyond.thread)?;
                at[index] += requests[index].events[at[index]..].partition_point(|&event| event < wanted);
            }
        }
    }
}

fn event((thread, index): (usize, u32)) -> EventId {
    EventId { thread: ThreadId::from_index(thread), index }
}

/// The deadlock of a cycle: each thread waits for the lock that the next holds.
fn named(requests: &[&Request], events: &[EventId]) -> Deadlock {
    let stuck = (0..requests.len()).map(|index| {
        let holder = ThreadId::from_index(requests[(index + 1) % requests.len()].thread);
        Stuck { at: events[index], waits_for: WaitsFor::Lock(requests[index].wants.0, holder) }
    });
    Deadlock::new(stuck.collect())
}

fn search_cycle(analysis: &Analysis<'_>, requests: &[&Request]) -> CycleDecided {
    let free = analysis.free();
    let mut states = 0;
    let mut unknown = None;
    let mut choices = Choices::new(requests);
    for _ in 0..MOST_CHOICES {
        let Some(events) = choices.next() else {
            return CycleDecided { answer: unknown.map_or(Ok(None), Err), states };
        };
        if analysis.options.reductions.closure && forced_apart(analysis, &events) {
            continue;
        }
        let mut query = free.goal(&events, analysis.options.reductions.partial_order);
        if let Some(windows) = analysis.windows() {
            let places: Vec<_> = events.iter().map(|&id| free.place(id)).collect();
            unknown = Some(Unknown::Window);
            let Some(window) = windows.around(&places) else { continue };
            window.narrow(&mut query);
        }
        let left = analysis.options.budget.states.saturating_sub(states);
        let budget = Budget { states: left, ..analysis.options.budget.clone() };
        let (answer, cost) = reach(&free.program, free.uses(), &query, &budget);
        states += cost;
        match answer {
            Ok(Some(_)) => return CycleDecided { answer: Ok(Some((named(requests, &events), false))), states },
            Ok(None) => {}
            Err(why) => unknown = Some(why),
        }
    }
    CycleDecided { answer: Err(unknown.unwrap_or(Unknown::Pairs(MOST_CHOICES))), states }
}

/// All choices of one event for each request, in order.
struct Choices<'a> {
    requests: &'a [&'a Request],
    at: Vec<usize>,
    done: bool,
}

impl<'a> Choices<'a> {
    fn new(requests: &'a [&'a Request]) -> Self {
        Self { requests, at: vec![0; requests.len()], done: false }
    }
}

impl Iterator for Choices<'_> {
    type Item = Vec<EventId>;

    fn next(&mut self) -> Option<Vec<EventId>> {
        if self.done {
            return None;
        }
        let chosen =
            self.requests.iter().zip(&self.at).map(|(request, &at)| event((request.thread, request.events[at])));
        let chosen = chosen.collect();
        self.done = true;
        for (request, at) in self.requests.iter().zip(&mut self.at) {
            *at += 1;
            if *at < request.events.len() {
                self.done = false;
                break;
            }
            *at = 0;
        }
        Some(chosen)
    }
}

/// A deadlock that the search found, with the path to it.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    pub(crate) deadlock: Deadlock,
    pub(crate) schedule: Schedule,
}

/// All deadlocks found.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnds {
    pub(crate) met: Vec<Met>,
    pub(crate) states: u64,
    pub(crate) unknown: Option<Unknown>,
}

/// Searches for all dead ends, except those that contain a known deadlock.
pub(crate) fn dead_ends(analysis: &Analysis<'_>, known: &[Deadlock]) -> DeadEnds {
    let free = analysis.free();
    let mut ends = DeadEnds::default();
    let mut seen: BTreeSet<Vec<EventId>> = known.iter().map(|deadlock| deadlock.events().collect()).collect();
    match analysis.windows() {
        None => search_ends(analysis, &base_query(analysis), &mut seen, &mut ends),
        Some(windows) => {
            for window in windows.iter() {
                let mut query = base_query(analysis);
                window.narrow(&mut query);
                search_ends(analysis, &query, &mut seen, &mut ends);
            }
            ends.unknown = ends.unknown.or(Some(Unknown::Window).filter(|_| !free.program.is_empty()));
        }
    }
    ends
}

fn base_query(analysis: &Analysis<'_>) -> Query {
    let mut query = Query::dead(&analysis.free().program);
    if !analysis.options.reductions.partial_order {
        query.mode = Mode::All;
    }
    query
}

fn search_ends(analysis: &Analysis<'_>, query: &Query, seen: &mut BTreeSet<Vec<EventId>>, ends: &mut DeadEnds) {
    let free = analysis.free();
    let mut found = Vec::new();
    let mut visitor = |visit: Visit<'_>| {
        let core = if visit.dead { free.program.core(visit.state) } else { None };
        let Some(core) = core else { return Wish::More };
        let events: Vec<EventId> = core.events().collect();
        if seen.iter().any(|known| known.iter().all(|event| events.contains(event))) {
            return Wish::More;
        }
        seen.insert(events);
        found.push(core);
        Wish::Path
    };
    let searched = search(&free.program, free.uses(), query, &analysis.options.budget, &mut visitor);
    ends.states += searched.states;
    ends.unknown = ends.unknown.or(searched.unknown);
    for (deadlock, path) in found.into_iter().zip(searched.paths) {
        let schedule = schedule(analysis, &free.program, &query.start, &path, &deadlock);
        ends.met.push(Met { deadlock, schedule });
    }
}

fn schedule(analysis: &Analysis<'_>, program: &Program, start: &State, path: &[u32], deadlock: &Deadlock) -> Schedule {
    let mut writer = Writer::new(program.threads(), &[]);
    writer.prefix(analysis.trace, program, start);
    writer.path(program, start, path);
    finish_threads(program, writer.finish(&deadlock.events().collect::<Vec<_>>()))
}

/// Can the threads of this trace get stuck only in lock cycles? Then, if no cycle can close, there is no deadlock.
///
/// Suppose that threads are stuck and wait only for locks, forks and joins (or other operations of the must-order), and
/// for the latter never while they hold a lock. Follow the chain from a stuck thread to one it waits for. A wait of the
/// must-order leads to a thread that is itself stuck, earlier in the must-order, so after finitely many such steps
/// comes a wait for a lock. Its holder holds a lock, so it waits for a lock too, and from there on all waits are for
/// locks: a cycle of lock requests.
pub(crate) fn only_cycles(analysis: &Analysis<'_>) -> bool {
    let trace = analysis.trace;
    let sections = analysis.must_order().sections();
    let plain = |event: Event| match event {
        Event::SemWait(_, patience) => patience != Patience::Blocking,
        Event::BarrierExit(barrier) => analysis.must.is_regular(barrier),
        Event::Lock(lock, patience) => patience != Patience::Blocking || analysis.must.passed_on(lock).is_none(),
        _ => true,
    };
    let quiet = |thread: ThreadId| trace.events(thread).all(plain);
    let free_handed = |thread: ThreadId| {
        let needs = analysis.must.needs(thread).iter();
        needs.into_iter().all(|need| sections.around(thread.index(), need.at).next().is_none())
    };
    let gives_back = |thread: ThreadId| sections.of(thread.index()).iter().all(|section| section.release.is_some());
    !analysis.must.has_losable()
        && trace.threads().all(|thread| quiet(thread) && free_handed(thread) && gives_back(thread))
}
