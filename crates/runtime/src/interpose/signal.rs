//! Signals.

/// Delivers the signals that arrived in a section.
#[cold]
pub fn deliver_pending() {}
