//! The ladder of witnesses: schedules of one candidate, nearest to the recorded run first.
//!
//! A schedule that the model allows may not run, because the program may take another path. So a candidate has several
//! schedules, and the caller asks for the next when one does not run. On each rung, the schedule with few switches
//! comes before the one in recorded order.

use foretrace_causality::{Ideal, Order};
use foretrace_event::{CondInstance, Event, EventId, IntervalId};
use foretrace_finding::{Candidate, Deadlock, Race, Rung, Schedule, WaitsFor, Witness};

use crate::analysis::{Analysis, Searchable};
use crate::budget::Budget;
use crate::model::{Program, State};
use crate::rung;
use crate::schedule::{Writer, finish_threads};
use crate::search::{Query, Visit, Wish, reach, search};

/// The ways to a witness, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Ideal { rung: Rung, recorded: bool },
    Prefixes,
    Delayed,
    Search { keep_atomics: bool },
    Known,
}

const WAYS: [Way; 11] = [
    Way::Ideal { rung: Rung::Segments, recorded: false },
    Way::Ideal { rung: Rung::Segments, recorded: true },
    Way::Ideal { rung: Rung::Sections, recorded: false },
    Way::Ideal { rung: Rung::Sections, recorded: true },
    Way::Ideal { rung: Rung::Free, recorded: false },
    Way::Ideal { rung: Rung::Free, recorded: true },
    Way::Prefixes,
    Way::Delayed,
    Way::Search { keep_atomics: true },
    Way::Search { keep_atomics: false },
    Way::Known,
];

/// A search for a further schedule gets this fraction of the budget of the first.
const FOR_ANOTHER: u64 = 5;

/// Yields one candidate's witnesses, one after the other.
pub(crate) struct Climb<'a, 'b> {
    analysis: &'b Analysis<'a>,
    candidate: Candidate,
    events: Vec<EventId>,
    /// A witness that is already known.
    known: Option<Witness>,
    given: Vec<Schedule>,
    last: Option<Rung>,
    way: usize,
}

impl<'a, 'b> Climb<'a, 'b> {
    pub(crate) fn new(analysis: &'b Analysis<'a>, candidate: Candidate, known: Option<Witness>) -> Self {
        let events = candidate.events();
        Self { analysis, candidate, events, known, given: Vec::new(), last: None, way: 0 }
    }

    /// The witnesses after the nearest one.
    pub(crate) fn from(analysis: &'b Analysis<'a>, nearest: &Witness) -> Self {
        let new = Self::new(analysis, nearest.candidate.clone(), None);
        Self { given: vec![nearest.schedule.clone()], last: Some(nearest.rung), ..new }
    }

    /// A climb to schedules after which both events are next, as for a race; the memory they touch is irrelevant.
    pub(crate) fn to_meeting(analysis: &'b Analysis<'a>, one: EventId, other: EventId) -> Self {
        Self::new(analysis, Candidate::Race(Race::new(IntervalId(0), one, other)), None)
    }

    /// The first witness that is found without a search, if any.
    pub(crate) fn near(self) -> Option<Witness> {
        let mut ways = WAYS.into_iter().take_while(|way| !matches!(way, Way::Search { .. }));
        let (rung, schedule) = ways.find_map(|way| self.attempt(way))?;
        Some(Witness { candidate: self.candidate, rung, schedule })
    }

    /// A witness that a search finds which keeps the values that atomic loads read, if any.
    pub(crate) fn searched(self) -> Option<Witness> {
        let (rung, schedule) = self.attempt(Way::Search { keep_atomics: true })?;
        Some(Witness { candidate: self.candidate, rung, schedule })
    }

    fn attempt(&self, way: Way) -> Option<(Rung, Schedule)> {
        match way {
            Way::Ideal { rung: Rung::Segments, recorded } => {
                Some((Rung::Segments, self.by_ideal(self.analysis.segments(), recorded)?))
            }
            Way::Ideal { rung: Rung::Free, recorded } => {
                let schedule = self.by_ideal(self.analysis.updates(), recorded)?;
                Some((self.rung_of(&schedule), schedule))
            }
            Way::Ideal { rung, recorded } => Some((rung, self.by_ideal(self.analysis.sections(), recorded)?)),
            Way::Prefixes => {
                let schedule = self.prefixes()?;
                Some((self.rung_of(&schedule), schedule))
            }
            Way::Delayed => {
                let schedule = self.delayed()?;
                Some((self.rung_of(&schedule), schedule))
            }
            Way::Search { keep_atomics } => {
                let schedule = self.by_search(keep_atomics)?;
                Some((self.rung_of(&schedule), schedule))
            }
            Way::Known => self.known.clone().map(|witness| (self.rung_of(&witness.schedule), witness.schedule)),
        }
    }

    /// The rung of a schedule that was not built for one: how much of the recorded order it keeps. Never below an
    /// earlier rung.
    fn rung_of(&self, schedule: &Schedule) -> Rung {
        let kept = rung::nearest(self.analysis, schedule, &self.events);
        kept.max(self.last.unwrap_or(Rung::Segments))
    }

    fn by_ideal(&self, order: &Order<'a>, recorded: bool) -> Option<Schedule> {
        let plain = |id: &EventId| self.analysis.trace.event(*id).is_access();
        let own: Vec<EventId> = self.events.iter().copied().filter(plain).collect();
        let mut ideal = Ideal::new(order).except(&own);
        let places: Vec<_> = self.events.iter().map(|id| (id.thread.index(), id.index)).collect();
        ideal.reach(&places).ok()?;
        let events = if recorded { ideal.recorded() } else { ideal.schedule() };
        self.checked(events.into_iter().collect())
    }

    /// The events that must come before the candidate's, in recorded order, if that is possible: the thread whose event
    /// came first runs up to it, and the others see what it has done so far.
    fn prefixes(&self) -> Option<Schedule> {
        let schedule = self.by_ideal(self.analysis.must_order(), true)?;
        after(self.analysis.free(), &schedule).map(|_| schedule)
    }

    /// The recorded order, except that threads that will miss their signals are held back just before they begin to
    /// wait. Until then they see what they saw in the recorded run, so they really do begin to wait.
    fn delayed(&self) -> Option<Schedule> {
        let Candidate::Deadlock(deadlock) = &self.candidate else { return None };
        let lost = deadlock.stuck().iter().filter_map(|stuck| match stuck.waits_for {
            WaitsFor::LostSignal(instance) => {
                Some((EventId { index: stuck.at.index.checked_sub(1)?, ..stuck.at }, instance))
            }
            _ => None,
        });
        let lost: Vec<(EventId, CondInstance)> = lost.collect();
        if lost.is_empty() {
            return None;
        }
        let mut walk = Walk::new(&self.analysis.free().program);
        for id in self.analysis.trace.observed() {
            let begins_wait = lost.iter().any(|(unlock, _)| unlock.thread == id.thread && unlock.index <= id.index);
            let is_signal = matches!(self.analysis.trace.event(id), Event::Signal(one) | Event::Broadcast(one)
                if lost.iter().any(|(_, instance)| *instance == one));
            let taken = !begins_wait && walk.take(id);
            if taken && is_signal && lost.iter().all(|(unlock, _)| walk.is_next(*unlock)) {
                lost.iter().all(|(unlock, _)| walk.take(*unlock)).then_some(())?;
                return self.checked(Schedule::from_iter(walk.taken));
            }
        }
        None
    }

    /// The schedule, if it really reaches the candidate. For a race it is enough that the events are next.
    fn checked(&self, schedule: Schedule) -> Option<Schedule> {
        let Candidate::Deadlock(deadlock) = &self.candidate else { return Some(schedule) };
        let free = self.analysis.free();
        let schedule = finish_threads(&free.program, schedule);
        let shown = after(free, &schedule).is_some_and(|state| free.program.shows(&state, deadlock));
        shown.then_some(schedule)
    }

    fn by_search(&self, keep_atomics: bool) -> Option<Schedule> {
        let searchable = if keep_atomics { self.analysis.pinned() } else { self.analysis.free() };
        match &self.candidate {
            Candidate::Race(_) => self.to_goal(searchable),
            // The engine of properties makes their schedules.
            Candidate::Violation(_) => None,
            Candidate::Deadlock(deadlock) => {
                // This search visits every dead end, so it is skipped if a schedule is already known.
                let is_new = self.known.is_none() && self.given.is_empty();
                self.to_goal(searchable).or_else(|| is_new.then(|| self.to_end(searchable, deadlock)).flatten())
            }
        }
    }

    /// A further schedule gets a smaller search.
    fn budget(&self) -> Budget {
        let (all, until) = (&self.analysis.options.budget, self.analysis.options.ladder_deadline);
        let states = if self.given.is_empty() { all.states } else { all.states / FOR_ANOTHER };
        Budget { states, deadline: until.or(all.deadline), ..all.clone() }
    }

    fn to_goal(&self, searchable: &Searchable) -> Option<Schedule> {
        let mut query = searchable.goal(&self.events, true);
        if let Some(windows) = self.analysis.windows().filter(|_| std::ptr::eq(searchable, self.analysis.free())) {
            let places: Vec<_> = self.events.iter().map(|&id| searchable.place(id)).collect();
            windows.around(&places)?.narrow(&mut query);
        }
        let (answer, _) = reach(&searchable.program, searchable.uses(), &query, &self.budget());
        self.checked(self.write(searchable, &query, &answer.ok()??))
    }

    /// Searches for a dead end that contains this deadlock.
    fn to_end(&self, searchable: &Searchable, deadlock: &Deadlock) -> Option<Schedule> {
        let query = Query::dead(&searchable.program);
        let mut visitor = |visit: Visit<'_>| {
            let there = visit.dead && searchable.program.shows(visit.state, deadlock);
            if there { Wish::PathAndStop } else { Wish::More }
        };
        let searched = search(&searchable.program, searchable.uses(), &query, &self.budget(), &mut visitor);
        self.checked(self.write(searchable, &query, searched.paths.first()?))
    }

    fn write(&self, searchable: &Searchable, query: &Query, path: &[u32]) -> Schedule {
        let mut writer = Writer::new(searchable.program.threads(), &[]);
        writer.prefix(self.analysis.trace, &searchable.program, &query.start);
        writer.path(&searchable.program, &query.start, path);
        writer.finish(&self.events)
    }
}

impl Iterator for Climb<'_, '_> {
    type Item = Witness;

    fn next(&mut self) -> Option<Witness> {
        while let Some(&way) = WAYS.get(self.way) {
            self.way += 1;
            if let Some((rung, schedule)) = self.attempt(way)
                && !self.given.contains(&schedule)
            {
                self.given.push(schedule.clone());
                self.last = Some(rung);
                return Some(Witness { candidate: self.candidate.clone(), rung, schedule });
            }
        }
        None
    }
}

/// Events that are taken one after the other, as far as the program allows. A thread that cannot take one takes no
/// more.
struct Walk<'a> {
    program: &'a Program,
    state: State,
    /// How many events of each thread.
    counts: Vec<u32>,
    taken: Vec<EventId>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, state: program.initial(), counts: vec![0; program.threads()], taken: Vec::new() }
    }

    /// Is it the next event of its thread?
    fn is_next(&self, id: EventId) -> bool {
        self.counts[id.thread.index()] == id.index
    }

    /// Takes an event if that is possible; false if not.
    fn take(&mut self, id: EventId) -> bool {
        let thread = id.thread.index();
        let is_operation = self.program.event_at(thread, self.state.cut[thread]) == Some(id.index);
        if !self.is_next(id) || is_operation && !self.program.ready(&self.state, thread) {
            return false;
        }
        if is_operation {
            self.program.step(&mut self.state, thread);
        }
        self.counts[thread] += 1;
        self.taken.push(id);
        true
    }
}

/// The state after a schedule, if the program allows it.
fn after(searchable: &Searchable, schedule: &Schedule) -> Option<State> {
    let program = &searchable.program;
    let mut state = program.initial();
    for id in schedule.events() {
        let thread = id.thread.index();
        if program.event_at(thread, state.cut[thread]) == Some(id.index) {
            if !program.ready(&state, thread) {
                return None;
            }
            program.step(&mut state, thread);
        }
    }
    Some(state)
}
