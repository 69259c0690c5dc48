//! Which type everything has, where a function is lifted to streams, and where a value becomes a stream.
//!
//! Types are inferred by unification. Parameters of definitions are annotated, as TeSSLa demands, so
//! whether an argument is a stream is known when a call is checked, and lifting is decided there. The
//! result is the typed tree of [`crate::core`], in which every lift and every conversion is explicit.
mod call;
mod check;
mod declare;
mod define;
mod expr;
mod probe;
mod program;
mod resolve;
mod scope;
mod unify;

pub use probe::{Constant, Probe};
pub use program::{Checked, InputDecl, OutputDecl, Texts, check};
