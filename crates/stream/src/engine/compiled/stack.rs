//! Room for deep recursions.

/// Deep recursions get their stack in pieces.
pub fn on_enough_stack<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, run)
}
