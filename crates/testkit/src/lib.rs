//! What tests share: random numbers, broken input for readers, big synthetic recordings.
//!
//! ```
//! use foretrace_testkit::{Random, fuzz};
//! let broken = fuzz::mutate(&mut Random::new(7), b"t0 lock m\nt0 unlock m\n");
//! let _ = foretrace_trace::text::parse(&String::from_utf8_lossy(&broken));
//! ```
#![forbid(unsafe_code)]

pub mod fuzz;
mod random;

pub use random::Random;
