//! A process written in Rust that a script can use by name.
//!
//! Its states are short rows of words, which become part of the packed state of the product it takes part in; its
//! events are events of the script's channels, by their text.

/// What a native process does in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeEvent {
    Silent,
    Terminate,
    /// An event, by its place in the alphabet.
    Visible(u32),
}

/// A component of a script that is implemented outside it.
pub trait Native: Send + Sync {
    /// The events it can do, as a script writes them: `lock.0.1`.
    fn alphabet(&self) -> Vec<String>;

    /// How many words a state has. At least one.
    fn words(&self) -> usize;

    fn initial(&self, state: &mut [u64]);

    /// Calls `out` with every step from a state. Equal states must have equal steps, in the same order.
    fn successors(&self, state: &[u64], out: &mut dyn FnMut(NativeEvent, &[u64]));

    /// From this state, a set of steps (by their order in `successors`) that is enough to explore: they commute with
    /// everything the component can do without them, now and later. `None` asks for all steps.
    fn persistent(&self, _state: &[u64]) -> Option<Vec<usize>> {
        None
    }
}
