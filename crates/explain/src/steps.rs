//! The steps of a schedule that matter: what the threads hold, where they last met, and the others that they met there; then
//! what fails.
//!
//! What stands here has been done in the replay that failed, in this order: an access stands where its thread made it, and
//! steps that the failure came before are left out.

mod text;
mod values;

use crate::picture::{self, Entry};
use crate::resolver::Resolver;
use foretrace_event::{Event, EventId, LockId, ThreadId};
use foretrace_finding::{Schedule, Step as Planned};
use foretrace_report::{Act, Automaton, Lock, Operation, Picture, Site, Step, Thread, What};
use foretrace_run::is_step;
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat;

pub(crate) use text::{operation, waits_for};

/// The last operations of a thread that are shown in any case.
const LAST: usize = 2;
/// The last events of the user's own that are shown.
const CUSTOMS: usize = 12;

/// How far a schedule was followed.
pub(crate) struct Followed<'a> {
    /// What was to be done.
    pub(crate) schedule: &'a Schedule,
    /// How many operations of it had been done when it failed; none: all.
    pub(crate) until: Option<u32>,
    /// Of each site, how many of them its thread had done; none: all of its own.
    pub(crate) done: Vec<Option<u32>>,
    /// What each site's thread waits for there: the event that it would do next.
    pub(crate) waits: bool,
    /// How many sites, from the first on, fail; what the others do is told among the steps.
    pub(crate) failing: usize,
    /// The site where it fails. It comes last: it is the first one, or the last one, where the story ends.
    pub(crate) last: usize,
    /// What the run did in some steps: a thread, how many steps it had taken before, and the step. Values differ from run to
    /// run.
    pub(crate) told: Vec<(u32, u32, Act)>,
    /// If a property is violated: its automaton, and the state after some steps.
    pub(crate) automaton: Option<Path>,
}

/// How a run goes through an automaton.
pub(crate) struct Path {
    pub(crate) automaton: Automaton,
    /// The state after steps: each is a thread and how many steps it had taken before.
    pub(crate) after: Vec<(u32, u32, usize)>,
}

impl<'a> Followed<'a> {
    /// All of it was done.
    pub(crate) fn to_the_end(schedule: &'a Schedule, sites: &[Site], waits: bool) -> Self {
        Self {
            schedule,
            until: None,
            done: vec![None; sites.len()],
            waits,
            failing: sites.len(),
            last: 0,
            told: Vec::new(),
            automaton: None,
        }
    }
}

/// The steps that matter, then what fails. Threads that are needed to understand it are added.
pub(crate) fn of(
    resolver: &Resolver<'_>,
    followed: &Followed,
    sites: &[Site],
    threads: &mut Vec<Thread>,
) -> (Vec<Step>, Picture) {
    let trace = resolver.subject.trace;
    let mut story = Story { trace, steps: in_possible_order(trace, done(trace, followed)) };
    let position = |(site, done): (&Site, &Option<u32>)| story.position(threads[site.thread].number, *done);
    let positions: Vec<usize> = sites.iter().zip(&followed.done).map(position).collect();
    if followed.last > 0 {
        story.steps.truncate(positions[followed.last]);
    }
    let taken = taken(&story, sites, threads, &positions);
    let mut chosen = story.choose(resolver, threads, &positions);
    if followed.waits {
        chosen.extend(threads.iter().flat_map(|thread| story.around_next(ThreadId(thread.number))));
    }
    chosen.extend(taken.keys());
    chosen.extend(story.last_customs());
    let partners: Vec<EventId> = chosen.iter().filter_map(|id| story.partner(*id)).collect();
    chosen.extend(partners.into_iter().filter(|id| text::is_told(resolver, *id)));
    for id in &chosen {
        if index(threads, id.thread).is_none() {
            threads.push(resolver.thread(id.thread.0));
        }
    }
    let known = values::known(trace, &story.steps);
    let (names, numbers) = everyone(resolver, &story, threads);
    let told = story.told(followed);
    let step = |planned: &Planned| {
        let (mut does, mut place) = match taken.get(&planned.event) {
            Some(told) => told.clone(),
            None => text::step(resolver, *planned, known.contains(&planned.event)),
        };
        if let Some(really) = told.get(&planned.event) {
            does = (*really).clone();
        }
        if let Event::Fork(child) = trace.event(planned.event) {
            let child = index(threads, child).and_then(|child| threads[child].place());
            place = child.cloned().or(place);
        }
        let thread = numbers.iter().position(|number| *number == planned.event.thread.0).unwrap_or(0);
        Step { thread, does, place, fails: false }
    };
    let end = story.steps.len();
    let first = end.saturating_sub(picture::MOST);
    let mut entries: Vec<(usize, Entry)> = Vec::new();
    for (at, planned) in story.steps.iter().enumerate() {
        let matters = chosen.contains(&planned.event);
        if matters || at >= first {
            entries.push((2 * at + 1, Entry { step: step(planned), event: Some(planned.event), matters }));
        }
    }
    let left_out = end - entries.len();
    entries.extend(failing(&story, (&sites[..followed.failing], followed.last), threads, &positions));
    entries.sort_by_key(|(at, _)| *at);
    let entries: Vec<Entry> = entries.into_iter().map(|(_, entry)| entry).collect();
    let steps = entries.iter().filter(|entry| entry.matters).map(|entry| entry.step.clone()).collect();
    let automaton = followed.automaton.as_ref().map(|path| story.automaton(path, &entries));
    let picture = picture::draw(resolver, entries, sites, (names, left_out));
    (steps, Picture { automaton, ..picture })
}

/// The steps at which it fails, and locks that were taken after the last of a thread's steps, with the times at which they
/// come. The site where it fails comes last.
fn failing(
    story: &Story,
    (sites, fails): (&[Site], usize),
    threads: &[Thread],
    positions: &[usize],
) -> Vec<(usize, Entry)> {
    let when = |number: usize| if number == fails { 2 * story.steps.len() } else { 2 * positions[number] };
    let place = |at: usize| if fails == 0 { sites.len() - 1 - at } else { at };
    let numbered = || (0..sites.len()).map(place).map(|number| (number, &sites[number]));
    let last =
        |site: &Site| Step { thread: site.thread, does: site.does.clone(), place: site.top().cloned(), fails: true };
    let rest = |(number, site)| repeat(when(number)).zip(later(story, site, threads, positions[number]));
    let all = numbered().flat_map(rest).chain(numbered().map(|(number, site)| (when(number), last(site))));
    all.map(|(at, step)| (at, Entry { step, event: None, matters: true })).collect()
}

/// The names and numbers of the threads that are told of, then of the others that take steps.
fn everyone(resolver: &Resolver<'_>, story: &Story, threads: &[Thread]) -> (Vec<String>, Vec<u32>) {
    let mut numbers: Vec<u32> = threads.iter().map(|thread| thread.number).collect();
    for step in &story.steps {
        if !numbers.contains(&step.event.thread.0) {
            numbers.push(step.event.thread.0);
        }
    }
    let others = numbers[threads.len()..].iter().map(|number| resolver.thread_name(*number));
    (threads.iter().map(|thread| thread.name.clone()).chain(others).collect(), numbers)
}

fn index(threads: &[Thread], thread: ThreadId) -> Option<usize> {
    threads.iter().position(|known| known.number == thread.0)
}

/// The operations that were done.
fn done(trace: &Trace, followed: &Followed) -> Vec<Planned> {
    let operations = followed.schedule.steps().iter().filter(|step| is_step(trace, step.event));
    let most = followed.until.map_or(usize::MAX, |until| until as usize);
    operations.take(most).copied().collect()
}

/// A timed lock that fails where nobody holds the lock is an order that no run has. As nothing comes of a failure, it may
/// as well come later, when the lock is held, if that is before its thread goes on.
fn in_possible_order(trace: &Trace, steps: Vec<Planned>) -> Vec<Planned> {
    let mut ordered: Vec<Planned> = Vec::with_capacity(steps.len());
    let mut late: Vec<(LockId, Planned)> = Vec::new();
    for step in steps {
        let (due, rest) = late.into_iter().partition(|(_, late)| late.event.thread == step.event.thread);
        late = rest;
        ordered.extend(due.into_iter().map(|(_, late): (_, Planned)| late));
        match trace.event(step.event) {
            Event::Lock(lock, _) | Event::RdLock(lock, _) if step.fails => late.push((lock, step)),
            Event::Lock(lock, _) => {
                ordered.push(step);
                let (due, rest) = late.into_iter().partition(|(wanted, _)| *wanted == lock);
                late = rest;
                ordered.extend(due.into_iter().map(|(_, late): (_, Planned)| late));
            }
            _ => ordered.push(step),
        }
    }
    ordered.extend(late.into_iter().map(|(_, late)| late));
    ordered
}

/// What each thread held at its site: those steps are told as the replay saw them, with the calls around them.
fn taken(story: &Story, sites: &[Site], threads: &[Thread], positions: &[usize]) -> BTreeMap<EventId, Told> {
    let mut taken = BTreeMap::new();
    for (site, position) in sites.iter().zip(positions) {
        let held = story.held(ThreadId(threads[site.thread].number), *position);
        if held.len() <= site.locks.len() {
            let told = held.into_iter().zip(&site.locks).filter(|(_, lock)| lock.place().is_some());
            taken.extend(told.map(|(id, lock)| (id, taking(lock))));
        }
    }
    taken
}

/// What a thread holds at its site and took after the last of its steps.
fn later(story: &Story, site: &Site, threads: &[Thread], position: usize) -> Vec<Step> {
    let held = story.held(ThreadId(threads[site.thread].number), position).len();
    let step = |(does, place)| Step { thread: site.thread, does, place, fails: false };
    site.locks.iter().skip(held).map(|lock| step(taking(lock))).collect()
}

fn taking(lock: &Lock) -> Told {
    let what = if lock.shared { What::ReadLock } else { What::Lock };
    (Act::Operation(Operation::on(what, lock.lock.clone())), lock.place().cloned())
}

type Told = (Act, Option<foretrace_report::Frame>);

/// The operations that were done, in order.
struct Story<'a> {
    trace: &'a Trace,
    steps: Vec<Planned>,
}

impl Story<'_> {
    /// What the run did in which steps.
    fn told<'f>(&self, followed: &'f Followed<'_>) -> BTreeMap<EventId, &'f Act> {
        let event = |thread: u32, step: u32| Some(self.own(ThreadId(thread)).nth(step as usize)?.1.event);
        let all = followed.told.iter().filter_map(|(thread, step, does)| Some((event(*thread, *step)?, does)));
        all.collect()
    }

    /// The automaton with the states after steps that are told. The last step is what violates the property.
    fn automaton(&self, path: &Path, entries: &[Entry]) -> Automaton {
        let event = |thread: u32, step: u32| Some(self.own(ThreadId(thread)).nth(step as usize)?.1.event);
        let bad = |state: &usize| path.automaton.bad.contains(state);
        let number = |(thread, step, state): &(u32, u32, usize)| {
            let event = event(*thread, *step).filter(|_| !bad(state));
            let told = event.and_then(|event| entries.iter().position(|entry| entry.event == Some(event)));
            let last = entries.len().checked_sub(1).filter(|_| bad(state));
            Some((told.or(last)?, *state))
        };
        Automaton { after: path.after.iter().filter_map(number).collect(), ..path.automaton.clone() }
    }

    /// The last events of the user's own.
    fn last_customs(&self) -> impl Iterator<Item = EventId> {
        let ids = self.steps.iter().rev().map(|step| step.event);
        ids.filter(|id| matches!(self.trace.event(*id), Event::Custom(..))).take(CUSTOMS)
    }

    fn own(&self, thread: ThreadId) -> impl DoubleEndedIterator<Item = (usize, &Planned)> {
        self.steps.iter().enumerate().filter(move |(_, step)| step.event.thread == thread)
    }

    /// Before which step the thread did what it did after so many of its own: as late as possible.
    fn position(&self, thread: u32, done: Option<u32>) -> usize {
        let done = done.map_or(usize::MAX, |done| done as usize);
        self.own(ThreadId(thread)).nth(done).map_or(self.steps.len(), |(at, _)| at)
    }

    /// The acquisitions of what the thread holds before a step.
    fn held(&self, thread: ThreadId, before: usize) -> Vec<EventId> {
        let mut held: Vec<(LockId, EventId)> = Vec::new();
        for (_, step) in self.own(thread).filter(|(at, step)| *at < before && !step.fails) {
            match self.trace.event(step.event) {
                Event::Lock(lock, _) | Event::RdLock(lock, _) => held.push((lock, step.event)),
                Event::Unlock(lock) => {
                    if let Some(at) = held.iter().rposition(|(known, _)| *known == lock) {
                        held.remove(at);
                    }
                }
                _ => {}
            }
        }
        held.into_iter().map(|(_, id)| id).collect()
    }

    /// Of each thread: its last operations, those before its site, what it holds, and the creation of the others.
    fn choose(&self, resolver: &Resolver<'_>, threads: &[Thread], positions: &[usize]) -> BTreeSet<EventId> {
        let mut chosen = BTreeSet::new();
        for thread in threads {
            let id = ThreadId(thread.number);
            let told = |until: usize| {
                let own = self.own(id).rev().filter(move |(at, _)| *at < until).map(|(_, step)| step.event);
                own.filter(|id| text::is_told(resolver, *id)).take(LAST)
            };
            chosen.extend(told(self.steps.len()));
            for position in positions {
                chosen.extend(told(*position));
                chosen.extend(self.held(id, *position));
            }
            let creates = |id: &EventId| match self.trace.event(*id) {
                Event::Fork(child) => index(threads, child).is_some(),
                _ => false,
            };
            chosen.extend(self.own(id).map(|(_, step)| step.event).filter(creates));
        }
        chosen
    }

    /// What gave an operation of a thread what it took, if another thread did.
    fn partner(&self, taker: EventId) -> Option<EventId> {
        let end = self.steps.iter().position(|step| step.event == taker && !step.fails)?;
        let event = self.trace.event(taker);
        let gives = |step: &&Planned| match (event, self.trace.event(step.event)) {
            (Event::SemWait(taken, _), Event::SemPost(sem)) => taken == sem,
            (Event::Wait(woken, ..), Event::Signal(instance) | Event::Broadcast(instance)) => woken == instance,
            (Event::Acquire(from), Event::Release(channel)) => from == channel,
            (Event::AtomicLoad(read, ..), Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..)) => {
                read == atomic
            }
            _ => false,
        };
        let giver = self.steps[..end].iter().rev().find(gives)?.event;
        (giver.thread != taker.thread).then_some(giver)
    }

    /// If the thread waits for something that comes in vain or not at all: the last operations on that.
    fn around_next(&self, thread: ThreadId) -> Vec<EventId> {
        // The recorded run need not have had it.
        if thread.index() >= self.trace.threads().len() {
            return Vec::new();
        }
        let done = self.own(thread).next_back().map_or(0, |(_, step)| step.event.index + 1);
        let rest = (done..self.trace.len(thread)).map(|index| self.trace.event(EventId { thread, index }));
        let Some(next) = rest.into_iter().find(|event| !event.is_access()) else { return Vec::new() };
        let condition = |instance| self.trace.instance(instance).condition;
        let concerns = |id: &EventId| match (next, self.trace.event(*id)) {
            (Event::Wait(awaited, ..), Event::Signal(given) | Event::Broadcast(given)) => {
                condition(awaited) == condition(given)
            }
            (Event::SemWait(awaited, _), Event::SemWait(sem, _) | Event::SemPost(sem)) => awaited == sem,
            (Event::BarrierExit(awaited), Event::BarrierEnter(barrier)) => awaited == barrier,
            (Event::OncePass(awaited), Event::OnceRun(once)) => awaited == once,
            _ => false,
        };
        self.steps.iter().rev().map(|step| step.event).filter(concerns).take(LAST).collect()
    }
}
