//! A tiny language of threads, with an executor: for tests, examples and measurements of the search.
//!
//! A program is a list of threads, a thread a list of instructions over registers of its own and shared variables. Its
//! executor does in memory what the runtime does with a real program: it runs to the next visible operation, decides
//! who is enabled, follows a plan and watches plain accesses for races.

pub mod classics;
mod machine;
mod objects;
mod program;
mod random;
mod summary;

pub use machine::{Machine, Never};
pub use program::{Expr, Instr, Place, Program, Reg};
pub use random::{
    random_branching_program, random_cancelling_program, random_failing_program, random_locking_program, random_program,
};
