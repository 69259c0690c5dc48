//! Are both accesses next, and do they conflict?

use foretrace_event::{AtomicId, Event, EventId, IntervalId};
use foretrace_finding::Race;

use crate::Objection;
use crate::state::State;

pub(super) fn check(state: &State<'_>, race: &Race) -> Result<(), Objection> {
    for id in [race.first, race.second] {
        if !state.is_next(id) {
            return Err(Objection::NotNext(id));
        }
    }
    let touch = |id| touches(state, id, race.interval).ok_or(Objection::NoConflict);
    let ((writes, atomic), (other_writes, other_atomic)) = (touch(race.first)?, touch(race.second)?);
    let conflict = race.first.thread != race.second.thread && (writes || other_writes) && !(atomic && other_atomic);
    conflict.then_some(()).ok_or(Objection::NoConflict)
}

/// Does the event touch the interval? If so: does it write, and is it atomic?
fn touches(state: &State<'_>, id: EventId, interval: IntervalId) -> Option<(bool, bool)> {
    let reaches = |atomic: AtomicId| state.trace.atomic(atomic).intervals.contains(&interval);
    match state.trace.event(id) {
        Event::Read(other) if other == interval => Some((false, false)),
        Event::Write(other) if other == interval => Some((true, false)),
        Event::AtomicLoad(atomic, ..) if reaches(atomic) => Some((false, true)),
        Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) if reaches(atomic) => Some((true, true)),
        _ => None,
    }
}
