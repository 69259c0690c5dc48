//! CSP_M and refinement checking: reads a script and decides its assertions.
//!
//! # What it decides
//!
//! `S [T= I`, `S [F= I` and `S [FD= I` (every trace, stable failure, or failure and divergence of `I` is one of `S`), the
//! same for revivals and refusal traces (`[V=`, `[VD=`, `[R=`, `[RD=`), and whether a process is free of deadlock or divergence, deterministic, or has a trace. A claim that is false comes
//! with a shortest behaviour that shows it, told for every part of the process; a search that meets its [`budget`]
//! answers *unknown* and says which limit it met.
//!
//! # The way
//!
//! [`syntax`] (text to tree) → [`types`] (inference) → [`eval`] (values; processes become terms) → [`machine`] (leaves
//! become explicit machines, compositions become rules over them) → [`refine`] (search, against a normalised
//! specification) → [`counterexample`]. [`script`] runs the whole of it. [`native`] lets a process written in Rust take
//! part.
//!
//! The language and the semantics are those of Roscoe's *Understanding Concurrent Systems* as FDR reads them; the search
//! follows Gibson-Robinson, Armstrong, Boulgakov and Roscoe, *FDR3: a modern refinement checker for CSP* (2014); the
//! partial-order reduction is Valmari's stubborn sets.
//!
//! # Deviations
//!
//! - Parallel processes terminate together, in one step, and termination can be refused like any event (Schneider).
//!   Roscoe's processes terminate one by one, silently. The two differ only where termination is one of several choices.
//! - `has trace` asks for the trace in every model, and the other properties of one process take V and R for F. The models V
//!   and R and their divergence forms are decided on explicit machines ([`refine::observe`]); `normal` and `diamond`,
//!   which do not keep what those see, are `sbisim` there.
//! - Elements of sets, sequences, maps and of tuples that are not written out where they are taken apart are evaluated
//!   when they are put in; arguments, local definitions and endless sequences are lazy.
//! - `lazyenumerate` is `explicate`, `lazynorm` is `normal`, `model_compress` is `sbisim`.
//! - `WEAK_BUFFER` and `SIGNAL_BUFFER` lose what finds them full and say so with the event given for it.
//! - A divergence is shown by a silent loop that need not be the shortest one, after as few steps as one can begin after.
//!
//! - `trace_watchdog` and `failure_watchdog` are as [`refine::watchdog`] defines them, after the paper named there.
//!
//! # What it misses
//!
//! - The steps of the parts of a compressed component are those of a run with the same visible events; where that run ends is a guess.
//! - Without a directory for files, states are kept in memory; questions about divergence and partial order reduction
//!   always keep them there. A search that needs more than its budget ends undecided.
//! - A recursion through a parallel operator has no finite machine and ends at the budget.
//! - A state wider than 64 words (some 500 components of a hundred states) is refused; compress parts of it.
//!
//! # Example
//!
//! ```
//! use foretrace_csp::{budget::Budget, script::{Script, Verdict, with_stack}};
//! let text = "channel coin, choc\n\
//!             VENDING = coin -> choc -> VENDING\n\
//!             BROKEN = coin -> (choc -> BROKEN |~| BROKEN)\n\
//!             assert VENDING [T= BROKEN\n";
//! with_stack(|| {
//!     let script = Script::load("vending.csp", text, vec![]).unwrap();
//!     let report = script.check(&script.assertions()[0], &Budget::default(), &|_| {});
//!     let Verdict::Fails(Some(shown)) = report.verdict else { panic!("it can take two coins") };
//!     assert_eq!((shown.trace, shown.event), (vec!["coin".to_string()], Some("coin".to_string())));
//! });
//! ```

#![forbid(unsafe_code)]
// A thunk inside a value may be forced, which changes neither its order nor its hash.
#![allow(clippy::mutable_key_type)]

pub mod budget;
pub mod compress;
pub mod counterexample;
pub mod diagnostic;
pub mod eval;
pub mod machine;
pub mod native;
pub mod refine;
pub mod script;
pub mod source;
mod stack;
pub mod syntax;
pub mod types;
pub mod value;
