//! Instrumentation specifications: which events a program emits, and where.
//!
//! A specification is a list of orders, one a line. An [`Order`] says which event is emitted (its name and fields), and
//! at which join-points: before or after what, and of which target. The grammar is in `docs/events.md`.
//!
//! This crate reads specifications and decides which functions, variables and lines a target names. It knows nothing of
//! programs: `foretrace-llvm` inserts the calls that emit the events, and the runtime does the same for calls between
//! modules that were compiled otherwise.
//!
//! # Definitions
//!
//! A *join-point* is a place in the program where an event may be emitted. A *target* names what has to be there. A
//! *field* is a constant, or a value that is captured when the event is emitted.
//!
//! # Paper
//!
//! The grammar is that of chapter 6.2 (Figure 6.3) of the RaceQuest thesis, and Table 6.1 says which fields a join-point
//! has. The thread is the first field of every event by itself.
//!
//! # Deviations
//!
//! Beyond the thesis there are targets with `*`, C++ names as a person writes them, members of variables, conditions
//! (`when #1 == 0`), members of structures (`#0->fd`), types of values (`#0 as string`), and comments (`//`).
//!
//! # What it misses
//!
//! Several orders on one line; targets that are chosen by their types.
//!
//! # Example
//!
//! ```
//! use foretrace_instrumentation::{Instrumentation, Moment};
//!
//! let specification = Instrumentation::parse("open(#return) after call open_file\naccess(#0) before call *_file\n");
//! let orders = specification.unwrap().orders;
//! assert_eq!((orders[0].event.as_str(), orders[0].moment), ("open", Moment::After));
//! assert!(orders[1].target.names("write_file"));
//! let error = Instrumentation::parse("open(#return) before call open_file").unwrap_err();
//! assert_eq!((error.line, error.column), (1, 6));
//! ```

#![forbid(unsafe_code)]

mod demangled;
mod error;
mod lexer;
mod nearest;
mod order;
mod parser;
mod target;
mod what;

pub use demangled::demangled;
pub use error::Error;
pub use nearest::nearest;
pub use order::{Base, Comparison, Field, Instrumentation, Member, Moment, Order, Relation, Type, Value};
pub use target::{SourceLine, Target};
pub use what::What;
