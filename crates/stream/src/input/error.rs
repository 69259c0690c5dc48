//! What is wrong with an input, and where.
use crate::engine::RunError;
use foretrace_file::LONGEST_LINE;

/// The streams that a binary trace may have.
pub(super) const MAX_STREAMS: u128 = 1 << 16;
/// The bytes that all strings of a binary trace may take: each may be named again at any time, so all are remembered.
pub(super) const MAX_STRINGS: usize = 1 << 28;

/// A problem with its position.
#[derive(Debug, thiserror::Error)]
#[error("{name}:{line}:{column}: {problem}")]
pub struct InputError {
    pub name: String,
    pub line: u64,
    pub column: usize,
    pub problem: Box<Problem>,
}

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("expected `timestamp: stream = value`, found `{0}`")]
    NotAnEvent(String),
    #[error("`{0}` is not a timestamp; timestamps are whole numbers below 2^128")]
    BadTime(String),
    #[error("the specification has no input `{0}`")]
    Undeclared(String),
    #[error("`{found}` is not a value of type {wanted}, which input `{stream}` has")]
    BadValue { stream: String, wanted: String, found: String },
    #[error("the header must begin with a column of timestamps, as in `ts,x,y`")]
    BadHeader,
    #[error("the row has {found} columns, the header {wanted}")]
    BadRow { wanted: usize, found: usize },
    #[error("the row is not UTF-8")]
    NotText,
    #[error("{0}")]
    Run(#[from] RunError),
    #[error("the file is not a binary trace of this version")]
    NotBinary,
    #[error("input `{stream}` has values of type {wanted}, the trace's are of type {found}")]
    BadType { stream: String, wanted: String, found: String },
    #[error("the binary trace ends in the middle of an event")]
    CutOff,
    #[error("the binary trace has no stream number {0}")]
    NoStream(u128),
    #[error("the binary trace has no string number {0} yet")]
    NoString(u128),
    #[error("the binary trace has more than {MAX_STREAMS} streams")]
    TooManyStreams,
    #[error("the binary trace has a string of more than {LONGEST_LINE} bytes")]
    LongString,
    #[error("the strings of the binary trace take more than {MAX_STRINGS} bytes")]
    TooManyStrings,
    #[error("a timestamp exceeds 2^128")]
    TimeTooLarge,
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
}

/// The most characters of an input that an error shows.
const LONGEST_SHOWN: usize = 60;

/// As much of a text as an error shows.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
