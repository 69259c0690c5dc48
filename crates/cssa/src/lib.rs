//! Questions about a concurrent trace program, decided for all of its orders at once.
//!
//! **Decides.** Whether some order of the events that can really happen reaches a [`Goal`]: an assertion that fails, a
//! region that another thread breaks, two accesses that are next at once, any order of events.
//!
//! **Definitions.** An order is a sequence of events, each thread's in program order, in which every event is possible:
//! each read sees the last write, each `assume` holds, and locks, semaphores, condition variables, barriers, forks and
//! joins permit it ([`machine`] is the definition). By default a *prefix* up to the goal suffices; [`Extent::Whole`] asks
//! for orders in which every thread comes to its end.
//!
//! **Paper.** Wang, Kundu, Limaye, Ganai, Gupta, *Symbolic Predictive Analysis for Concurrent Programs*: program order,
//! definitions, π-functions and properties (sections 4 and 5), prefixes (5.3), context bounds (6), the constrained and the
//! relaxed model (7), branches (8).
//!
//! **Deviations.** The clauses of a π-function that keep other writes away are added when an order violates one. A prefix
//! is what each thread has done so far; the paper instead lifts the π-constraints after the goal. An assertion that fails
//! before the one that is asked about ends the run, as it does in the program. A context bound counts context switches
//! exactly; the paper's `≤`/`<` bound also admits orders with more switches if threads do not interact.
//!
//! **What it misses.** Locks taken in one branch and released outside of it, and barriers with more arrivals in a round
//! than they count, are refused ([`Refused`]).
//!
//! ```
//! use foretrace_cssa::{Analysis, Options, Verdict, goals};
//! let text = "var x 4\nt1 write x 1:32\nt2 read a x\nt2 assert (eq a 1)\n";
//! let ctp = foretrace_ctp::text::parse(text).unwrap();
//! let goal = &goals::assertions(&ctp)[0];
//! let mut analysis = Analysis::new(&ctp, Options::default()).unwrap();
//! assert!(matches!(analysis.ask(goal, &Default::default()), Verdict::Yes(_)));
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analysis;
mod calm;
mod encode;
pub mod goals;
pub mod model;
pub mod naive;
pub mod smt;

pub use analysis::{Analysis, Switches, Verdict, Witness};
pub use encode::pairs;
pub use goals::Goal;
pub use model::machine;
pub use model::{Extent, Model, Options, Refused};
