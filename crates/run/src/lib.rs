//! A run of a program as values: what it is asked to do, and what happened.
//!
//! * [`Enforced`] is a schedule as the runtime reads it: threads by their place in the tree of creation, objects by first
//!   use, so that nothing depends on addresses (thesis 4.6).
//! * [`Runner`] runs the program under such a plan. `foretrace-replay` implements it with processes, tests with a
//!   script.
//! * [`Run`] is what happened: the [`Outcome`] that the runtime wrote, read as untrusted text, how the process
//!   [`Ended`], and its [`Death`], if it died.
//! * [`Evidence`] is one failure of a run. Failures of two runs are compared by place.
//!
//! The method is that of RaceQuest (thesis 4.6, 4.7 and 5.4; SEPS'15 sections 2.3 and 3).
//!
//! **Deviations.** Memory accesses of a schedule are left out: they are free between two sync operations, because a
//! race is detected by clocks and not by timing. Where their order decides what the program does, threads are held at
//! delay points ([`foretrace_finding::DelayPoint`]).
//!
//! **What it misses.** A timed wait whose condition variable the trace does not know is matched by its kind alone.
//!
//! ```
//! use foretrace_finding::ScheduleText;
//! use foretrace_run::Enforced;
//!
//! let trace = foretrace_trace::text::parse("main fork t\nt lock m\nt write x\nmain read x").unwrap();
//! let schedule = "t0:1 t1:2".parse::<ScheduleText>().unwrap().of(|thread| trace.len(thread)).unwrap();
//! let enforced = Enforced::new(&trace, &schedule).unwrap();
//! assert_eq!(enforced.steps().len(), 3);
//! assert_eq!(&enforced.to_bytes()[..8], b"FTSCHED\n");
//! ```
#![forbid(unsafe_code)]

mod death;
mod ended;
mod enforced;
mod evidence;
mod modules;
mod operation;
mod outcome;
mod region;
mod runner;
mod violation;

pub use death::{Cause, Death};
pub use ended::{CutShort, Ended};
pub use enforced::{Enforced, EnforcedStep, NotEnforceable, is_step};
pub use evidence::{Evidence, Spot, same_race};
pub use modules::Modules;
pub use operation::in_words;
pub use outcome::{
    Block, Diverged, MAX_OUTCOME, Outcome, OutcomeError, Owner, SeenAccess, SeenFault, SeenLock, SeenRace, SeenStuck,
    Stalled, Unsignalled,
};
pub use region::SeenRegion;
pub use runner::{Precision, Run, Runner};
pub use violation::{SeenChange, SeenEvent, SeenViolation};
