//! Condition instances: which signal woke which wait (thesis 4.3.2).
//!
//! The thesis takes the nearest earlier signal or broadcast that is still available. A signal sent before a wait began
//! can only have woken it through its predicate, so signals sent since the wait began are preferred, the earliest of
//! them first: that leaves the later ones to the waits that began later. If there are none, the nearest signal before
//! the wait is taken, as in the thesis. A wait without an available signal is spurious; a signal without a wait is
//! lost.

use std::collections::BTreeMap;

use foretrace_event::CondInstance;

use crate::trace::{ConditionId, InstanceInfo};

/// The signals and broadcasts so far that a wait may be matched with.
#[derive(Clone, Default, Debug)]
pub(super) struct Conditions {
    available: Vec<Available>,
    pub(super) instances: Vec<InstanceInfo>,
}

/// The signals and broadcasts of one condition variable, by stamp.
#[derive(Clone, Default, Debug)]
struct Available {
    signals: BTreeMap<u32, CondInstance>,
    broadcasts: BTreeMap<u32, CondInstance>,
}

impl Conditions {
    pub(super) fn add(&mut self) {
        self.available.push(Available::default());
    }

    /// Begins an instance at a signal or broadcast with this stamp.
    pub(super) fn wake(&mut self, condition: ConditionId, broadcast: bool, stamp: u32) -> CondInstance {
        let instance = CondInstance::from_index(self.instances.len());
        self.instances.push(InstanceInfo { condition, broadcast, waits: 0 });
        let available = &mut self.available[condition.index()];
        let table = if broadcast { &mut available.broadcasts } else { &mut available.signals };
        table.insert(stamp, instance);
        instance
    }

    /// The instance that woke a wait that began at this stamp and ends now.
    pub(super) fn wait(&mut self, condition: ConditionId, begin: u32) -> Option<CondInstance> {
        let available = &mut self.available[condition.index()];
        let (stamp, instance) = available.since(begin).or_else(|| available.before(begin))?;
        available.signals.remove(&stamp);
        self.instances[instance.index()].waits += 1;
        Some(instance)
    }
}

impl Available {
    fn since(&self, begin: u32) -> Option<(u32, CondInstance)> {
        let first = |table: &BTreeMap<u32, CondInstance>| table.range(begin..).next().map(|(s, i)| (*s, *i));
        first(&self.signals).into_iter().chain(first(&self.broadcasts)).min()
    }

    fn before(&self, begin: u32) -> Option<(u32, CondInstance)> {
        let last = |table: &BTreeMap<u32, CondInstance>| table.range(..begin).next_back().map(|(s, i)| (*s, *i));
        last(&self.signals).into_iter().chain(last(&self.broadcasts)).max()
    }
}
