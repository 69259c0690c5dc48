//! The vocabulary of Foretrace: event kinds, ids and memory orders, and the wire encoding of recordings.
//!
//! Two levels, one vocabulary:
//!
//! * [`wire`] is what the runtime writes while a program runs. Objects are addresses, memory is lines of 64 bytes with
//!   masks, and nothing has been checked. [`layout`] defines where those records lie in a file, and [`table`] how the
//!   lines of an unfinished segment are stored.
//! * [`Event`] is what every analysis reads. Objects are dense ids, condition variables and barriers are resolved into
//!   instances, memory is intervals. `foretrace-trace` turns the first into the second.
//!
//! Exploration has a third level, below both: [`visible`] operations, which a controlled scheduler decides about.
//!
//! The events are those of RaceQuest (thesis, Tables 4.1, 5.1 and chapter 6), plus atomic operations with their values,
//! `once`, and plain release/acquire edges (annotations, pipes, sockets).
//!
//! **Invariant**: this crate is `no_std`, allocates nothing and depends on nothing, because it is linked into the
//! checked program.
#![no_std]
#![forbid(unsafe_code)]

pub mod channel;
mod event;
mod ids;
pub mod layout;
mod lock;
pub mod notes;
mod order;
mod policy;
pub mod schedule;
pub mod symbolic;
pub mod table;
mod threads;
pub mod visible;
pub mod wire;

pub use event::{Event, Kind, Object, Orders, Reader, Sort, Std, Writer};
pub use ids::*;
pub use lock::*;
pub use order::*;
pub use policy::{Policy, Random, Scheduler};
pub use threads::ThreadSet;
