//! CSP.
#![forbid(unsafe_code)]
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
pub mod syntax;
