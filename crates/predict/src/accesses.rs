//! Which events access which memory, and where in the program.

use foretrace_event::{Event, EventId, IntervalId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::model::{HeldId, Program};
use crate::options::{Detail, Reductions};

/// An access, or all accesses of a kind in one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    pub(crate) id: EventId,
    /// The segment.
    pub(crate) position: u32,
    /// The locks that its thread holds.
    pub(crate) held: HeldId,
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
    /// Its place in the program, if that matters.
    pub(crate) place: u64,
}

/// Everything that touches an interval, by thread and event.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) interval: IntervalId,
    pub(crate) touches: Vec<Touch>,
}

/// Collects the accesses of a trace, by interval; also returns how many there were, and how many before the first fork.
pub(crate) fn collect(trace: &Trace, program: &Program, detail: Detail) -> (Vec<Touched>, u64, u64) {
    let mut by_interval: FxHashMap<IntervalId, Vec<Touch>> = FxHashMap::default();
    let (mut count, mut early) = (0, 0);
    for thread in trace.threads() {
        let mut position = 0;
        let alone = alone_before(trace, thread);
        for (index, event) in trace.events(thread).enumerate() {
            let id = EventId { thread, index: index as u32 };
            while program.event_at(thread.index(), position).is_some_and(|at| at < id.index) {
                position += 1;
            }
            let (writes, atomic) = match event {
                Event::Read(_) => (false, false),
                Event::Write(_) => (true, false),
                Event::AtomicLoad(..) => (false, true),
                Event::AtomicStore(..) | Event::AtomicRmw(..) => (true, true),
                _ => continue,
            };
            let place = if detail == Detail::Places { trace.pc(id) } else { 0 };
            let held = program.held_at(thread.index(), position);
            let touch = Touch { id, position, held, writes, atomic, place };
            let mut add = |interval: IntervalId| {
                count += 1;
                early += u64::from(id.index < alone);
                by_interval.entry(interval).or_default().push(touch);
            };
            match event {
                Event::Read(interval) | Event::Write(interval) => add(interval),
                Event::AtomicLoad(atomic, ..) | Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => {
                    trace.atomic(atomic).intervals.iter().copied().for_each(add);
                }
                _ => {}
            }
        }
    }
    let mut all: Vec<_> = by_interval.into_iter().map(|(interval, touches)| Touched { interval, touches }).collect();
    all.sort_unstable_by_key(|touched| touched.interval);
    (all, count, early)
}

/// How many events of a thread come before any other thread exists.
fn alone_before(trace: &Trace, thread: foretrace_event::ThreadId) -> u32 {
    let others_are_forked =
        trace.threads().filter(|other| *other != thread).all(|other| trace.fork_of(other).is_some());
    if trace.fork_of(thread).is_some() || !others_are_forked {
        return 0;
    }
    let fork = trace.events(thread).position(|event| matches!(event, Event::Fork(_)));
    fork.map_or(trace.len(thread), |index| index as u32)
}

impl Touched {
    /// Merges accesses of one segment into the strongest of them; returns how many were removed.
    pub(crate) fn merge_segments(&mut self, reductions: Reductions, detail: Detail) -> u64 {
        if !reductions.same_segment || detail == Detail::Events {
            return 0;
        }
        let before = self.touches.len();
        let segment = |touch: &Touch| (touch.id.thread, touch.position, touch.atomic, touch.place);
        // They come thread by thread and segment by segment: only the accesses within a segment need sorting.
        let same = |one: &Touch, next: &Touch| (one.id.thread, one.position) == (next.id.thread, next.position);
        for touches in self.touches.chunk_by_mut(same) {
            touches.sort_by_key(|touch| (segment(touch), !touch.writes, touch.id));
        }
        self.touches.dedup_by_key(|touch| segment(touch));
        (before - self.touches.len()) as u64
    }

    /// The key of an interval: two intervals that the same kinds of access touch in the same segments are one question.
    pub(crate) fn signature(&self) -> Vec<(u32, u32, bool, bool, u64)> {
        let key = |touch: &Touch| (touch.id.thread.0, touch.position, touch.atomic, touch.writes, touch.place);
        let mut signature: Vec<_> = self.touches.iter().map(key).collect();
        for touches in signature.chunk_by_mut(|one, next| (one.0, one.1) == (next.0, next.1)) {
            touches.sort_unstable();
        }
        signature.dedup();
        signature
    }
}
