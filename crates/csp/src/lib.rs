//! CSP.
#![forbid(unsafe_code)]
pub mod budget;
pub mod compress;
pub mod diagnostic;
pub mod eval;
pub mod machine;
pub mod native;
pub mod refine;
pub mod source;
pub mod syntax;
pub mod types;
pub mod counterexample;
pub mod script;
