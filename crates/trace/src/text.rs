//! The text form: one event a line, for tests and for people. `docs/format.md` describes it in full.
//!
//! ```text
//! mutex m recursive
//! sem s = 1
//! t0 fork t1
//! t1 lock m        @ worker.c:12
//! t1 write x
//! t1 unlock m
//! ```
//!
//! The order of the lines is the observed order. The kind of an undeclared object follows from its first use.

mod parse;
mod print;
mod syntax;
mod values;
mod words;

use std::fmt;

pub use parse::parse;
pub use print::{Names, print};

/// An error in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextErrorKind {
    /// Not an operation.
    #[error("unknown operation `{0}`")]
    UnknownOperation(String),
    /// A line of one word.
    #[error("expected an operation after the thread `{0}`")]
    NoOperation(String),
    /// Something is missing.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Something is there that should not be.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    /// A text without its end.
    #[error("`{0}` is not a text: write it between quotes, with `\\s` for a blank and `\\\\` for a backslash")]
    BadText(String),
    /// More values than an event may carry.
    #[error("an event carries at most {} values", foretrace_event::Value::MOST)]
    TooManyValues,
    /// A number that is none, or too large.
    #[error("`{0}` is not a number in the valid range")]
    BadNumber(String),
    /// Declared twice, or after its first use.
    #[error("`{0}` is already declared or used; declare it once, before its first use")]
    Redeclared(String),
    /// The history is impossible.
    #[error("this cannot happen here: {0}")]
    Illegal(#[from] crate::Illegal),
}

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct TextError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What.
    pub kind: TextErrorKind,
}

/// Everything wrong with a text, in the order of its lines; at most [`TextErrors::MOST`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextErrors(pub Vec<TextError>);

impl TextErrors {
    /// After this many, reading stops.
    pub const MOST: usize = 20;
}

impl fmt::Display for TextErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let end = if index + 1 == self.0.len() { "" } else { "\n" };
            write!(f, "{error}{end}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TextErrors {}
