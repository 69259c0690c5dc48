//! A concurrent trace program (CTP): what each thread of a recorded run did, with expressions instead of values.
//!
//! **Definitions.** An *event* is one atomic step of one thread. Events of a thread keep their order; events of different
//! threads are ordered only by what they do. A *read* names the value that it saw, and *expressions* over reads say what
//! is written, which branches were taken (`assume`) and what must hold (`assert`). Every order in which each read
//! sees the last write, every `assume` holds and every synchronisation operation is possible can really happen.
//!
//! **Paper.** Wang, Kundu, Limaye, Ganai, Gupta, *Symbolic Predictive Analysis for Concurrent Programs*, sections 3 and 8.
//!
//! **Deviations.** Locks, semaphores, condition variables and barriers are events of their own rather than guarded
//! assignments, because the solver knows better orders for them. A read, a write and an `assume` are separate events;
//! what has to be one step is an [`Action::Update`]. Local variables do not exist: an expression refers to reads.
//! Memory is bytes, so accesses may overlap in part.
//!
//! **What it misses.** Floating point and values wider than 64 bits; barriers inside branches.
//!
//! ```
//! let text = "var x 4 = 0\nt1 read a x\nt1 write x (add a 1)\nt2 read b x\nt2 assert (ult b 1)\n";
//! let ctp = foretrace_ctp::text::parse(text).unwrap();
//! assert_eq!(ctp.threads.len(), 2);
//! assert_eq!(foretrace_ctp::text::parse(&foretrace_ctp::text::print(&ctp)).unwrap().threads[1].events.len(), 2);
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod check;
pub mod event;
pub mod expr;
pub mod ids;
pub mod must;
pub mod program;
pub mod text;

pub use event::{Action, Event, Link, Place};
pub use expr::{Binary, Expr, Exprs, Values};
pub use ids::{EventId, ExprId, ObjectId, ReadId, ThreadId};
pub use program::{Ctp, Initial, Object, ObjectKind, Thread, Var};
