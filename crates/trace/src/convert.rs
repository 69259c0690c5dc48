//! From one form into another: a trace as a recording, and the STD form of the RAPID tools.

mod record;
pub mod std_form;

pub use record::record;
