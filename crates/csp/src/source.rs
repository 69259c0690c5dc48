//! The text of a script and of everything it includes, laid end to end so that a span is two numbers.

use std::fmt;
use std::path::{Path, PathBuf};

/// A stretch of source, in bytes of the concatenated text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    pub fn to(self, other: Span) -> Span {
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// One file of the script, at its place in the whole.
#[derive(Clone, Debug)]
struct File {
    name: String,
    start: u32,
    text: String,
}

#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<File>,
}

/// Where a span begins, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Sources {
    /// Adds a file and returns where it starts. One byte is left free so that end-of-file spans stay inside.
    pub fn add(&mut self, name: &str, text: &str) -> u32 {
        let start = self.files.last().map_or(0, |f| f.start + f.text.len() as u32 + 1);
        self.files.push(File { name: name.to_owned(), start, text: text.to_owned() });
        start
    }

    /// Where each file begins.
    pub fn starts(&self) -> Vec<u32> {
        self.files.iter().map(|f| f.start).collect()
    }

    fn file_of(&self, at: u32) -> Option<&File> {
        self.files.iter().rev().find(|f| f.start <= at)
    }

    pub fn position(&self, span: Span) -> Position {
        let Some(file) = self.file_of(span.lo) else {
            return Position { file: "<script>".into(), line: 1, column: 1 };
        };
        let before = &file.text[..(span.lo - file.start).min(file.text.len() as u32) as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        Position { file: file.name.clone(), line, column }
    }

    /// The line a span begins on and how many of its characters the span covers.
    pub fn line(&self, span: Span) -> Option<(&str, usize)> {
        let file = self.file_of(span.lo)?;
        let at = (span.lo - file.start).min(file.text.len() as u32) as usize;
        let from = file.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let to = file.text[at..].find('\n').map_or(file.text.len(), |i| at + i);
        let end = ((span.hi.max(span.lo) - file.start) as usize).clamp(at, to);
        let width = file.text.get(at..end).map_or(1, |s| s.chars().count()).max(1);
        Some((file.text[from..to].trim_end_matches('\r'), width))
    }

    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.file_of(span.lo) else { return "" };
        file.text.get((span.lo - file.start) as usize..(span.hi - file.start) as usize).unwrap_or("")
    }
}

/// Reads a file as UTF-8 or, failing that, as Windows-1252, the two encodings scripts are found in.
pub fn read(path: &Path) -> std::io::Result<String> {
    Ok(decode(foretrace_file::read(path, foretrace_file::LONGEST_TEXT)?))
}

/// The text of some bytes, in either of the two encodings.
pub fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => bad.into_bytes().iter().map(|&b| b as char).collect(),
    }
}

/// The path of an included file, relative to the file that includes it.
pub fn include_path(from: &str, name: &str) -> PathBuf {
    Path::new(from).parent().map_or_else(|| PathBuf::from(name), |dir| dir.join(name))
}
