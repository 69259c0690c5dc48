//! Decides whether there is an order of events, with values, that satisfies a formula.
//!
//! **Decides.** Clauses over Boolean variables, some of which say that one node comes before another in a total order of
//! all nodes. Bit-vectors become Boolean variables ([`bits`]).
//!
//! **Definitions.** A *node* is a moment; nodes of one *chain* have a fixed order. An *order atom* is the variable that
//! says `u` before `v`; its negation says `v` before `u`. An assignment is *consistent* if the edges of its order atoms
//! and the fixed edges have no cycle.
//!
//! **Papers.** Clause learning as in Eén and Sörensson, *An extensible SAT-solver*; the order of the graph is kept
//! incrementally as in Pearce and Kelly, *A dynamic topological sort algorithm for directed acyclic graphs*. The fragment
//! of difference logic is the one of Wang et al., section 4.3. Clauses that only few orders violate are added when one
//! does ([`Lazy`]).
//!
//! **Deviations.** Most variables are never decided: they are *dormant* until a clause does not hold with the values that
//! they are supposed to have. An order atom is supposed to follow the order that the graph already has. Order atoms that
//! follow from others get their values from vector clocks, one entry for each chain; paths are looked for only when
//! a conflict asks for the reason.
//!
//! **What it misses.** No preprocessing; no clocks with more than 67 million entries; clauses that were forgotten keep their memory.
//!
//! ```
//! use foretrace_order::{Answer, Budget, Nothing, Solver};
//! let mut solver = Solver::default();
//! let (a, b) = (solver.chain(2), solver.chain(2));
//! let (first, second) = (solver.before(a + 1, b), solver.before(b + 1, a));
//! solver.clause(&[first]);
//! assert!(matches!(solver.solve(&[], &mut Nothing, &Budget::default()), Answer::Yes));
//! assert!(matches!(solver.solve(&[second], &mut Nothing, &Budget::default()), Answer::No(core) if core == [second]));
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analyze;
pub mod bits;
mod clauses;
mod dormant;
mod graph;
mod heap;
mod lit;
mod proof;
mod reach;
mod search;
mod solver;
mod spread;
mod theory;

pub use graph::Node;
pub use lit::{Lit, Truth};
pub use proof::{ProofError, Step, check_proof};
pub use search::{Answer, Budget, Lazy, Nothing};
pub use solver::{Solver, Statistics};
