//! From a followed run of a program to a concurrent trace program, and from an order of its events back to a plan.
//!
//! **Decides** which orders of a program to run ([`Paths`]): those in which a check fails or a region is broken, and those that lead to combinations of
//! paths that no run has taken. [`model`] turns the steps of a controlled run and the records of its values
//! (`foretrace_event::symbolic`) into a [`Ctp`](foretrace_ctp::Ctp), and [`plan`] turns an order of its events into the choices
//! that make the program take this order. Whether such an order exists is a question to `foretrace_cssa`.
//!
//! **Definitions.** A *step* is a visible operation of a controlled run. An *event* of the model belongs to one step or, if it is
//! a condition, comes after one. A *loss* is a value that could not be followed: it has its present value in the model.
//!
//! **Paper.** Wang, Kundu, Limaye, Ganai, Gupta, *Symbolic Predictive Analysis for Concurrent Programs*, section 9: capturing the
//! trace, and replaying what was predicted.
//!
//! **Deviations.** Errors that need several paths are found by following the runs that lead to them, not by merging recordings
//! into one program with branches (section 8). The paper instruments source code; here expressions come from the compiled program. Addresses are concrete: an
//! access means the same memory in every order, which is a condition of the model.
//!
//! **What it misses.** Attempts at locks and waits with a deadline are modelled as they happened. A value that another thread
//! has left in memory that is not visible counts as a number.
//!
//! ```
//! use foretrace_symbolic::{Followed, model};
//! let nothing = Followed { steps: Vec::new(), records: Vec::new(), is_cut: false };
//! assert!(model(&nothing).unwrap().checks.is_empty());
//! ```

#![forbid(unsafe_code)]

mod expressions;
mod log;
mod model;
mod objects;
mod paths;
mod plan;
mod questions;
mod regions;
mod site;
mod synchronised;
mod together;
mod values;

pub use log::{Followed, Malformed, read};
pub use model::{Check, Loss, Model, model};
pub use paths::{Order, Paths};
pub use plan::plan;
pub use questions::Asks;
pub use site::Site;
pub use together::Together;
pub use values::{Value, values};
