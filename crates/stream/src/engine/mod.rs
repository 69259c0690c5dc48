//! Evaluation of a plan, one timestamp at a time.
//!
//! Only streams with news are looked at: an event sets the bits of the streams that depend on it, and the
//! bits are worked off in evaluation order. Functions read the values of streams where they are. A step allocates
//! nothing unless a value it makes does.
mod bits;
mod compiled;
mod error;
mod lifted;
mod run;
mod state;

pub use error::{RunError, Time};
pub use run::{Engine, Sink};
