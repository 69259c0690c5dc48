//! Recording, run as its users run it: programs with the exact events they must give, and what must never be lost.
//!
//! A program under `tests/semantics/<theme>` says in comments what each of its threads does:
//!
//! ```text
//! // t0: start; lock_init m recursive; fork t1; join t1
//! // t1: start; lock m recursive; unlock m recursive; end
//! ```
//!
//! It is built every way there is ([`build`]), recorded, and must give exactly these events ([`expect`]). Every recording
//! of every test must also be a history that could have happened, which an independent checker decides. `cargo xtask bless`
//! writes what was recorded into the programs instead; read the difference before you keep it.

mod axes;
mod build;
mod events;
mod expect;
mod hostile;
mod loops;
mod lost;
mod nasty;
mod places;
mod programs;
mod run;
mod trouble;
