//! Source texts, positions in them, and the messages that point into them.
use std::fmt;
use std::rc::Rc;

use foretrace_file::excerpt;

/// A range of bytes in one of the texts of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    pub file: u16,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One text: a specification, an included file, or a part of the library.
#[derive(Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Rc<str>,
}

/// Every text that took part in a compilation.
#[derive(Debug, Default)]
pub struct SourceMap {
    pub files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: &str, text: &str) -> u16 {
        self.files.push(SourceFile { name: name.to_owned(), text: text.into() });
        u16::try_from(self.files.len() - 1).expect("fewer than 65536 source files")
    }

    /// Line and column, both from 1, of the start of a range.
    pub fn line_col(&self, span: Span) -> (usize, usize) {
        let text = &self.files[span.file as usize].text;
        let before = &text[..floor_boundary(text, span.start as usize)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// `file:line:column` of a range.
    pub fn position(&self, span: Span) -> String {
        let (line, column) = self.line_col(span);
        format!("{}:{line}:{column}", self.files[span.file as usize].name)
    }

    /// The message with its place, the line it is in, a mark under the range, and the hint.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        self.render_as("error", diagnostic)
    }

    /// The same for what is only a warning.
    pub fn render_warning(&self, diagnostic: &Diagnostic) -> String {
        self.render_as("warning", diagnostic)
    }

    fn render_as(&self, level: &str, diagnostic: &Diagnostic) -> String {
        let Some(span) = diagnostic.span else { return format!("{level}: {diagnostic}") };
        let (line, column) = self.line_col(span);
        let text = &self.files[span.file as usize].text;
        let shown = text.lines().nth(line - 1).unwrap_or("");
        let room = shown.chars().count().saturating_sub(column - 1).max(1);
        let width = (span.end.saturating_sub(span.start) as usize).clamp(1, room);
        let (shown, indent, width) = excerpt(shown, column - 1, width);
        let numbered = format!("{line} | {shown}");
        let gutter = line.to_string().len();
        let mut out = format!("{level}: {}\n", diagnostic.message);
        out += &format!("{:gutter$}--> {}\n{:gutter$} |\n", "", self.position(span), "");
        out += &format!("{}\n{:gutter$} | {:indent$}{:^<width$}", numbered.trim_end(), "", "", "");
        for note in diagnostic.notes() {
            out += &format!("\n{:gutter$} = {note}", "");
        }
        out
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What is wrong with a specification, where, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub message: String,
    pub span: Option<Span>,
    pub hint: Option<String>,
    /// Calls that led here, innermost first.
    pub trail: Vec<String>,
}

impl Diagnostic {
    pub fn new(message: impl Into<String>, span: Span) -> Self {
        Diagnostic { message: message.into(), span: Some(span), hint: None, trail: Vec::new() }
    }

    /// An error that only follows from another, which has been reported.
    pub fn follow_up() -> Self {
        Diagnostic { message: String::new(), span: None, hint: None, trail: Vec::new() }
    }

    pub fn is_follow_up(&self) -> bool {
        self.message.is_empty()
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let hint = self.hint.iter().map(|hint| format!("help: {hint}"));
        hint.chain(self.trail.iter().map(|call| format!("in {call}")))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

pub type Result<T> = std::result::Result<T, Diagnostic>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_round_the_place() {
        let mut sources = SourceMap::default();
        let text = "x".repeat(1 << 20);
        let file = sources.add("long", &text);
        let shown = sources.render(&Diagnostic::new("too long", Span { file, start: 1000, end: 1001 }));
        assert!(shown.len() < 600, "{} bytes", shown.len());
        assert!(shown.contains("--> long:1:1001"), "{shown}");
    }
}
