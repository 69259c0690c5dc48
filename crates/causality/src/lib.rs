//! Orders between events of a trace: what must come first, what the locks allow, and what follows from both.
//!
//! * [`MustOrder`] is the order that every reordering keeps; [`WeakOrder`] answers questions about its closure with
//!   vector clocks (the thesis's weak happens-before, 5.5.2).
//! * [`Sections`] are the critical sections of a trace and [`Preserved`] the rest of its recorded order.
//! * [`Ideal`] is the closure that decides most questions: the smallest prefix of every thread that contains some
//!   events, is closed under the must-order, and in which critical sections keep their order. If it does not run past
//!   the events in question, they can all be next at once, and [`Ideal::schedule`] gives a schedule that leads there.
//!   It takes time in proportion to its size, whatever the length of the trace, and can be grown from one question to
//!   the next.
//! * [`LockGraph`] finds cycles of lock requests.
//! * [`Eraser`] is the lockset algorithm, which needs no order at all.
//!
//! **Papers.** The thesis, 4.4 and 5.5; Mathur, Pavlogiannis, Viswanathan, *Optimal prediction of
//! synchronization-preserving races*, POPL 2021, for the ideal of races; Tunç, Mathur, Pavlogiannis, Viswanathan, *Sound
//! dynamic deadlock prediction in linear time*, PLDI 2023, for the ideal of deadlocks and abstract lock cycles.
//!
//! **Deviations.** Both papers cover locks and reads-from only. This crate also covers reader-writer locks, condition
//! variables, barriers, semaphores, once controls and channels: of its recorded order, each kind keeps what makes its
//! operations possible. Reads-from is optional: an ideal may keep the order of conflicting accesses
//! ([`Keep::Segments`]) or not.
//!
//! **What it misses.** Reorderings of critical sections of one lock, and of semaphore operations: those need a search.
//!
//! ```
//! use foretrace_causality::{Ideal, Keep, Order};
//! let trace = foretrace_trace::text::parse(
//!     "t0 fork t1\n t0 write x\n t0 lock m\n t0 unlock m\n t1 lock m\n t1 unlock m\n t1 write x",
//! ).unwrap();
//! let order = Order::new(&trace, Keep::Sections);
//! let mut ideal = Ideal::new(&order);
//! // Both writes can be next at once, though the lock orders them in the recorded run: `t1` just goes first.
//! assert!(ideal.reach(&[(0, 1), (1, 3)]).is_ok());
//! assert_eq!(ideal.cut(), [1, 3]);
//! ```
#![forbid(unsafe_code)]

mod checked;
mod clock;
mod eraser;
mod ideal;
mod linear;
mod lock_graph;
mod must;
mod order;
mod preserved;
mod recorded;
mod sections;
mod sources;
mod times;

pub use checked::checked_waits;
pub use clock::{Clock, WeakOrder};
pub use eraser::{Discipline, Eraser};
pub use ideal::{Beyond, Ideal};
pub use lock_graph::{Cycle, LockGraph, Request};
pub use must::{MustOrder, Need, NeedKind};
pub use order::{Keep, Order};
pub use preserved::Preserved;
pub use sections::{Section, SectionMode, Sections};
