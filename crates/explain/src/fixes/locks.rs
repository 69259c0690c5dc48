//! Which locks are held where a variable is used, and which locks are taken while others are held, in the recorded run.

use crate::resolver::Resolver;
use foretrace_event::{Event, EventId, LockId, ThreadId};
use foretrace_report::Frame;
use foretrace_trace::{Named, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// How many operations on locks before and after an access are looked at.
const NEAR: usize = 2;

/// A place in the source.
type Line = (Option<String>, u32);

fn line_of(frame: &Frame) -> Line {
    (frame.file.clone(), frame.line)
}

/// Goes through the events of a thread with the locks it holds.
fn with_locks(trace: &Trace, thread: ThreadId, mut each: impl FnMut(EventId, Event, &[LockId])) {
    let mut held: Vec<LockId> = Vec::new();
    for (index, event) in trace.events(thread).enumerate() {
        each(EventId { thread, index: index as u32 }, event, &held);
        match event {
            Event::Lock(lock, _) | Event::RdLock(lock, _) => held.push(lock),
            Event::Unlock(lock) => {
                if let Some(at) = held.iter().rposition(|known| *known == lock) {
                    held.remove(at);
                }
            }
            _ => {}
        }
    }
}

fn place(resolver: &Resolver<'_>, id: EventId) -> Option<Frame> {
    let subject = resolver.subject;
    resolver.sources.place(subject.trace.pc(id), subject.symbols, subject.modules)
}

/// The uses of a variable.
pub(super) struct Uses<'a> {
    resolver: &'a Resolver<'a>,
    /// The locks that every use at a line holds, by name, and one use there.
    by_line: BTreeMap<Line, (BTreeSet<String>, EventId)>,
}

impl<'a> Uses<'a> {
    /// Of the variable with this name.
    pub(super) fn of(resolver: &'a Resolver<'a>, name: &str) -> Self {
        let trace = resolver.subject.trace;
        let is_it = |interval: foretrace_event::IntervalId| interval.given(trace).is_some_and(|known| known == name);
        let mut found: Vec<(EventId, BTreeSet<String>)> = Vec::new();
        for thread in trace.threads() {
            with_locks(trace, thread, |id, event, held| match event {
                Event::Read(interval) | Event::Write(interval) if is_it(interval) => {
                    found.push((id, held.iter().filter_map(|lock| lock.given(trace)).map(str::to_owned).collect()));
                }
                _ => {}
            });
        }
        let mut by_line: BTreeMap<Line, (BTreeSet<String>, EventId)> = BTreeMap::new();
        for (id, held) in found {
            let Some(frame) = place(resolver, id) else { continue };
            let known = by_line.entry(line_of(&frame)).or_insert_with(|| (held.clone(), id));
            known.0 = known.0.intersection(&held).cloned().collect();
        }
        Self { resolver, by_line }
    }

    /// How many lines use it.
    pub(super) fn places(&self) -> usize {
        self.by_line.len()
    }

    /// How many of them always hold this lock.
    pub(super) fn places_with(&self, lock: &str) -> usize {
        self.by_line.values().filter(|(held, _)| held.contains(lock)).count()
    }

    /// Where the thread of the use at this place takes the lock just after it, in the same function.
    pub(super) fn taken_after(&self, at: &Frame, lock: &str) -> Option<Frame> {
        let trace = self.resolver.subject.trace;
        let (_, id) = self.by_line.get(&line_of(at))?;
        let later = (id.index + 1..trace.len(id.thread)).map(|index| EventId { index, ..*id });
        self.near(at, later, |event| matches!(event, Event::Lock(of, _) if of.given(trace) == Some(lock)))
    }

    /// Where it has released the lock just before it, in the same function.
    pub(super) fn released_before(&self, at: &Frame, lock: &str) -> Option<Frame> {
        let trace = self.resolver.subject.trace;
        let (_, id) = self.by_line.get(&line_of(at))?;
        let earlier = (0..id.index).rev().map(|index| EventId { index, ..*id });
        self.near(at, earlier, |event| matches!(event, Event::Unlock(of) if of.given(trace) == Some(lock)))
    }

    fn near(&self, at: &Frame, events: impl Iterator<Item = EventId>, is_it: impl Fn(Event) -> bool) -> Option<Frame> {
        let trace = self.resolver.subject.trace;
        let mut near = events.filter(|id| !trace.event(*id).is_access()).take(NEAR);
        let frame = place(self.resolver, near.find(|id| is_it(trace.event(*id)))?)?;
        (frame.function.is_some() && frame.function == at.function).then_some(frame)
    }
}

/// Where a lock is taken while another one is held.
pub(super) struct Nested(BTreeMap<(String, String), BTreeMap<Line, Frame>>);

impl Nested {
    /// In the whole recorded run.
    pub(super) fn of(resolver: &Resolver<'_>) -> Self {
        let trace = resolver.subject.trace;
        let mut pairs: Vec<(LockId, LockId, EventId)> = Vec::new();
        for thread in trace.threads() {
            with_locks(trace, thread, |id, event, held| {
                if let Event::Lock(inner, _) = event {
                    pairs.extend(held.iter().map(|outer| (*outer, inner, id)));
                }
            });
        }
        let mut nested: BTreeMap<(String, String), BTreeMap<Line, Frame>> = BTreeMap::new();
        for (outer, inner, id) in pairs {
            let (Some(outer), Some(inner)) = (outer.given(trace), inner.given(trace)) else { continue };
            let Some(frame) = place(resolver, id) else { continue };
            nested.entry((outer.to_owned(), inner.to_owned())).or_default().insert(line_of(&frame), frame);
        }
        Self(nested)
    }

    /// The places at which the second is taken under the first.
    pub(super) fn places(&self, outer: &str, inner: &str) -> Vec<Frame> {
        let places = self.0.get(&(outer.to_owned(), inner.to_owned()));
        places.map(|places| places.values().cloned().collect()).unwrap_or_default()
    }
}
