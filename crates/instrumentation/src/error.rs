//! Errors in specifications.

use std::fmt::Write;

/// What is wrong in a specification, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Error {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The number of characters that are wrong.
    pub length: u32,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl Error {
    /// The message with the file's name, the line, and carets below what is wrong.
    pub fn show(&self, file: &str, text: &str) -> String {
        let Self { line, column, length, message } = self;
        let mut shown = format!("{file}:{line}:{column}: {message}");
        if let Some(source) = text.lines().nth(*line as usize - 1) {
            let source = source.replace('\t', " ");
            let (source, at, width) = foretrace_file::excerpt(&source, *column as usize - 1, *length as usize);
            let _ = write!(shown, "\n  {source}\n  {}{}", " ".repeat(at), "^".repeat(width.max(1)));
        }
        shown
    }
}
