//! The whole interleaving of a failing run, for pages: every step, who made whose step possible, and locks while they are
//! held.

use crate::resolver::Resolver;
use foretrace_event::{AtomicId, ChannelId, Event, EventId, LockId, SemId, ThreadId};
use foretrace_report::{Act, Bar, Drawn, How, Link, Picture, Site, Step};
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// More steps than these are left out, those that do not matter from the beginning on.
pub(crate) const MOST: usize = 5_000;
/// Lines before and after a place.
const CONTEXT: u32 = 6;

/// A step, with its event if it is one of the schedule.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) step: Step,
    pub(crate) event: Option<EventId>,
    pub(crate) matters: bool,
}

/// Draws these steps. `threads` are the names of all threads that take them.
pub(crate) fn draw(
    resolver: &Resolver<'_>,
    entries: Vec<Entry>,
    sites: &[Site],
    (threads, left_out): (Vec<String>, usize),
) -> Picture {
    let trace = resolver.subject.trace;
    let events: Vec<(usize, EventId)> =
        entries.iter().enumerate().filter_map(|(number, entry)| Some((number, entry.event?))).collect();
    let number_of: BTreeMap<EventId, usize> = events.iter().map(|(number, event)| (*event, *number)).collect();
    let links = Links::of(trace, &events, &entries);
    let bars = bars(trace, &events, &entries);
    let recorded = trace.observed().filter_map(|event| number_of.get(&event).copied()).collect();
    let sources = sources(resolver, &entries, sites);
    let steps = entries.into_iter().map(|Entry { step, matters, .. }| Drawn { step, matters }).collect();
    Picture { threads, steps, left_out, links, bars, recorded, sources, automaton: None }
}

fn sources(resolver: &Resolver<'_>, entries: &[Entry], sites: &[Site]) -> Vec<foretrace_report::Excerpt> {
    let of_steps = entries.iter().filter_map(|entry| entry.step.place.as_ref());
    let of_sites = sites.iter().filter_map(Site::top);
    let places = of_sites.chain(of_steps).filter(|frame| frame.line > 0);
    let places: BTreeSet<(&str, u32)> = places.filter_map(|frame| Some((frame.file.as_deref()?, frame.line))).collect();
    resolver.sources.excerpts(&places, CONTEXT)
}

/// What was done last to each thing, by number of the step.
#[derive(Default)]
struct Links {
    unlocked: BTreeMap<LockId, usize>,
    posted: BTreeMap<SemId, usize>,
    sent: BTreeMap<ChannelId, usize>,
    written: BTreeMap<AtomicId, usize>,
    created: BTreeMap<ThreadId, usize>,
    last: BTreeMap<ThreadId, usize>,
    signalled: BTreeMap<u32, usize>,
    all: Vec<Link>,
}

impl Links {
    fn of(trace: &Trace, events: &[(usize, EventId)], entries: &[Entry]) -> Vec<Link> {
        let mut links = Self::default();
        let mut begun = BTreeSet::new();
        for (number, id) in events {
            if begun.insert(id.thread) {
                let created = links.created.get(&id.thread).copied();
                links.add(created, *number, How::Creates);
            }
            if !is_failed(&entries[*number].step.does) {
                links.event(trace, *number, *id);
            }
            links.last.insert(id.thread, *number);
        }
        links.all.retain(|link| entries[link.from].step.thread != entries[link.to].step.thread);
        links.all
    }

    fn add(&mut self, from: Option<usize>, to: usize, how: How) {
        self.all.extend(from.map(|from| Link { from, to, how }));
    }

    fn event(&mut self, trace: &Trace, number: usize, id: EventId) {
        let condition = |instance| trace.instance(instance).condition.0;
        match trace.event(id) {
            Event::Fork(child) => {
                self.created.insert(child, number);
            }
            Event::Join(child) => self.add(self.last.get(&child).copied(), number, How::Ends),
            Event::Lock(lock, _) | Event::RdLock(lock, _) => {
                self.add(self.unlocked.get(&lock).copied(), number, How::Releases);
            }
            Event::Unlock(lock) => {
                self.unlocked.insert(lock, number);
            }
            Event::Signal(instance) | Event::Broadcast(instance) => {
                self.signalled.insert(condition(instance), number);
            }
            Event::Wait(instance, ..) => {
                self.add(self.signalled.get(&condition(instance)).copied(), number, How::Wakes);
            }
            Event::SemPost(sem) => {
                self.posted.insert(sem, number);
            }
            Event::SemWait(sem, _) => self.add(self.posted.get(&sem).copied(), number, How::Gives),
            Event::Release(channel) => {
                self.sent.insert(channel, number);
            }
            Event::Acquire(channel) => self.add(self.sent.get(&channel).copied(), number, How::Gives),
            Event::AtomicLoad(atomic, ..) => self.add(self.written.get(&atomic).copied(), number, How::Writes),
            Event::AtomicStore(atomic, ..) => {
                self.written.insert(atomic, number);
            }
            Event::AtomicRmw(atomic, ..) => {
                self.add(self.written.get(&atomic).copied(), number, How::Writes);
                self.written.insert(atomic, number);
            }
            _ => {}
        }
    }
}

fn is_failed(act: &Act) -> bool {
    matches!(act, Act::Operation(done) if done.fails)
}

/// Locks from the step that takes them to the one that gives them back.
fn bars(trace: &Trace, events: &[(usize, EventId)], entries: &[Entry]) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    let mut held: BTreeMap<(ThreadId, LockId), usize> = BTreeMap::new();
    for (number, id) in events {
        let Act::Operation(done) = &entries[*number].step.does else { continue };
        match trace.event(*id) {
            event @ (Event::Lock(lock, _) | Event::RdLock(lock, _)) if !done.fails => {
                let Some(thing) = done.thing.clone() else { continue };
                let shared = matches!(event, Event::RdLock(..));
                held.insert((id.thread, lock), bars.len());
                bars.push(Bar { thread: entries[*number].step.thread, lock: thing, shared, from: *number, to: None });
            }
            Event::Unlock(lock) => {
                if let Some(bar) = held.remove(&(id.thread, lock)) {
                    bars[bar].to = Some(*number);
                }
            }
            _ => {}
        }
    }
    bars
}
