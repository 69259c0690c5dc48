//! Does a schedule keep the orders that its rung promises: critical sections of a lock, operations of an atomic?

use foretrace_event::{AtomicId, Event, LockId};
use foretrace_finding::Schedule;
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::Objection;

/// The latest stamps so far, of exclusive operations and of shared ones.
#[derive(Clone, Copy, Default)]
struct Latest {
    alone: u64,
    shared: u64,
}

impl Latest {
    /// Adds an operation, unless an operation that was recorded after it has come before it.
    fn follows(&mut self, stamp: u64, alone: bool) -> bool {
        let fits = stamp > self.alone && (!alone || stamp > self.shared);
        if alone {
            self.alone = self.alone.max(stamp);
        } else {
            self.shared = self.shared.max(stamp);
        }
        fits
    }
}

pub(crate) fn check(trace: &Trace, schedule: &Schedule) -> Result<(), Objection> {
    let mut locks: FxHashMap<LockId, Latest> = FxHashMap::default();
    let mut atomics: FxHashMap<AtomicId, Latest> = FxHashMap::default();
    for (step, event) in schedule.events().enumerate() {
        let stamp = trace.stamp(event);
        let fits = match trace.event(event) {
            _ if stamp == 0 => true,
            Event::Lock(lock, _) => locks.entry(lock).or_default().follows(stamp, true),
            Event::RdLock(lock, _) => locks.entry(lock).or_default().follows(stamp, false),
            Event::AtomicLoad(atomic, ..) => atomics.entry(atomic).or_default().follows(stamp, false),
            Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => {
                atomics.entry(atomic).or_default().follows(stamp, true)
            }
            _ => true,
        };
        if !fits {
            return Err(Objection::NotKept { step, event });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_operations_pass_each_other() {
        let mut latest = Latest::default();
        assert!(latest.follows(5, false));
        assert!(latest.follows(3, false));
        assert!(!latest.follows(4, true));
        assert!(!latest.follows(2, false));
    }
}
