//! What is wrong with a file of properties, and where.

use std::fmt;

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Place {
    pub(crate) fn error(self, what: impl Into<String>) -> PropertyError {
        PropertyError { place: self, what: what.into() }
    }
}

/// An error in a file of properties.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct PropertyError {
    /// Where.
    pub place: Place,
    /// What, and what to write instead.
    pub what: String,
}
