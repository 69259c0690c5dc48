//! Messages about a script: what is wrong, where, and how to mend it.

use crate::source::{Position, Sources, Span};
use std::fmt::Write;

/// Which pass found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Syntax,
    Types,
    Evaluation,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Syntax => "syntax",
            Stage::Types => "type",
            Stage::Evaluation => "evaluation",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub stage: Stage,
    pub span: Span,
    pub message: String,
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn new(stage: Stage, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { stage, span, message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn position(&self, sources: &Sources) -> Position {
        sources.position(self.span)
    }

    /// The message with its line and a row of carets under the span.
    pub fn render(&self, sources: &Sources) -> String {
        let at = self.position(sources);
        let mut out = format!("{at}: {} error: {}\n", self.stage.name(), self.message);
        if let Some((line, width)) = sources.line(self.span) {
            let (line, before, width) = excerpt(line, at.column - 1, width);
            let number = at.line.to_string();
            let pad: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(out, " {number} | {line}");
            let _ = writeln!(out, " {} | {pad}{}", " ".repeat(number.len()), "^".repeat(width));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "   hint: {hint}");
        }
        out
    }
}

/// Characters of a line that are shown, and how many of them before the place in question.
const SHOWN: usize = 160;
const BEFORE: usize = 60;

/// A line, or the part of a long line around the place in question, with the column and the width of that place in it.
fn excerpt(line: &str, at: usize, width: usize) -> (String, usize, usize) {
    let length = line.chars().count();
    if length <= SHOWN {
        return (line.to_owned(), at, width);
    }
    let from = at.saturating_sub(BEFORE).min(length - SHOWN);
    let (left, right) = (if from > 0 { "..." } else { "" }, if from + SHOWN < length { "..." } else { "" });
    let middle: String = line.chars().skip(from).take(SHOWN).collect();
    let before = at - from + left.len();
    (format!("{left}{middle}{right}"), before, width.min(from + SHOWN - at).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_round_the_place() {
        let line: String = (0..1000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
        assert_eq!(excerpt("short", 2, 3), ("short".to_owned(), 2, 3));
        for at in [0, 59, 60, 500, 999] {
            let (shown, before, width) = excerpt(&line, at, 4000);
            assert!(shown.len() <= SHOWN + 6);
            assert_eq!(shown.as_bytes()[before], line.as_bytes()[at], "{at}");
            assert!(width >= 1 && before + width <= shown.len());
        }
    }
}
