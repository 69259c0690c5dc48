//! The locks that a thread holds.

use foretrace_event::LockId;

/// Each lock as often as it is held.
#[derive(Default)]
pub(super) struct Held(Vec<LockId>);

impl Held {
    pub(super) fn take(&mut self, lock: LockId) {
        self.0.push(lock);
    }

    pub(super) fn release(&mut self, lock: LockId) {
        if let Some(index) = self.0.iter().rposition(|held| *held == lock) {
            self.0.remove(index);
        }
    }

    pub(super) fn has(&self, lock: LockId) -> bool {
        self.0.contains(&lock)
    }

    pub(super) fn all(&self) -> &[LockId] {
        &self.0
    }
}
