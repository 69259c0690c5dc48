//! Messages about a script: what is wrong, where, and how to mend it.

use std::fmt::Write;

use foretrace_file::excerpt;

use crate::source::{Position, Sources, Span};

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
