//! Runs a program under a schedule and says what came of it: `Witness → Verdict`.
//!
//! A witness is a claim about the trace: in this order of its events, the error shows. Replay enforces that order in the
//! real program and looks. A race is *confirmed* only if the vector clocks of the runtime saw two unordered accesses, a
//! deadlock only if threads were really stuck; the [`Evidence`] has their stacks.
//!
//! * [`Enforced`] is a schedule as the runtime reads it: threads by their place in the tree of creation, objects by first
//!   use, so that nothing depends on addresses (thesis 4.6).
//! * [`Program`] is what to run and how; [`Program::replay`] runs it once, with a limit of time.
//! * [`Outcome`] is what the runtime wrote, read as untrusted text.
//! * [`confirm`] climbs the ladder of one candidate's witnesses until one shows its error.
//!
//! The method is that of RaceQuest (thesis 4.6, 4.7 and 5.4; SEPS'15 sections 2.3 and 3).
//!
//! **Deviations.** RaceQuest replays under an external race detector and learns its verdict from its output; here the
//! detector is part of the runtime. Memory accesses of a schedule are left out: they are free between two sync
//! operations, because a race is seen by clocks and not by timing; where their order decides what the program does, threads
//! come late ([`foretrace_finding::Late`]).
//!
//! **What it misses.** Outcomes that hang on an order of plain accesses that no late places make; input that changes from run
//! to run; a timed wait whose condition variable the trace does not know is matched by its kind alone.
//!
//! ```
//! use foretrace_finding::ScheduleText;
//! use foretrace_replay::Enforced;
//!
//! let trace = foretrace_trace::text::parse("main fork t\nt lock m\nt write x\nmain read x").unwrap();
//! let schedule = "t0:1 t1:2".parse::<ScheduleText>().unwrap().of(|thread| trace.len(thread)).unwrap();
//! let enforced = Enforced::new(&trace, &schedule).unwrap();
//! assert_eq!(enforced.steps().len(), 3);
//! assert_eq!(&enforced.to_bytes()[..8], b"FTSCHED\n");
//! ```
#![deny(unsafe_code)]

mod client;
mod death;
mod enforced;
mod evidence;
mod input;
mod ladder;
mod modules;
mod operation;
mod outcome;
mod process;
mod program;
mod standstill;

pub use death::{Cause, Death};
pub use enforced::{Enforced, EnforcedStep, NotEnforceable, is_step};
pub use evidence::{Evidence, Spot, verdict};
pub use input::{Input, NoInput};
pub use ladder::{Confirmed, Limits, Repeats, Runs, confirm, side_by_side};
pub use modules::Modules;
pub use outcome::{
    Block, Diverged, Outcome, OutcomeError, Owner, SeenAccess, SeenFault, SeenLock, SeenRace, SeenStuck, Stalled,
    Unsignalled,
};
pub use process::{CutShort, Ended, TimeLimit, run_beside, run_limited, run_watched, spawn};
pub use program::{LINGER, Precision, Program, ReplayError, Replayed};
