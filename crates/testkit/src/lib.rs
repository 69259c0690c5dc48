//! Shared test support: random numbers, broken input for readers, random traces, and the brute-force oracle.
//!
//! * [`fuzz`] breaks input.
//! * [`generate`] makes random legal traces with every primitive, small enough to enumerate.
//! * [`measure`] writes big synthetic recordings and times how they are read.
//! * [`programs`] makes traces of any size, [`recordings`] recordings of any size.
//! * [`oracle`] explores every state of such a trace, by definition and without any reduction.
//!
//! **What it misses.** The oracle takes exponential time; forty events are already too many for it.
//!
//! ```
//! use foretrace_testkit::{Random, fuzz, generate, oracle::Oracle};
//! let broken = fuzz::mutate(&mut Random::new(7), b"t0 lock m\nt0 unlock m\n");
//! let _ = foretrace_trace::text::parse(&String::from_utf8_lossy(&broken));
//! let trace = generate::trace(&mut Random::new(7), &generate::Shape::default());
//! assert!(Oracle::new(&trace).explore().states > 0);
//! ```
#![forbid(unsafe_code)]

pub mod corpus;
pub mod fuzz;
pub mod generate;
pub mod measure;
pub mod oracle;
pub mod programs;
mod random;
pub mod recordings;
pub mod symbolic;

pub use random::Random;
