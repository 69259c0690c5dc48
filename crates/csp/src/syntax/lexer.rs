//! Text to tokens. Newlines are kept as a mark on the token that follows; the parser decides where they matter, and
//! whether `<` and `>` are brackets or comparisons, because only it knows which is open.

use super::symbol::Symbols;
use super::token::{Keyword, OPERATORS, Tok, Token};
use crate::budget::Meter;
use crate::diagnostic::{Diagnostic, Stage};
use crate::source::Span;

/// A file another file asks for with `include "name"`, and where it asks.
#[derive(Debug, Clone)]
pub struct Include {
    pub name: String,
    pub span: Span,
    /// How many tokens came before it.
    pub at: usize,
}

pub struct Lexed {
    pub tokens: Vec<Token>,
    pub includes: Vec<Include>,
    pub errors: Vec<Diagnostic>,
}

struct Lexer<'a> {
    text: &'a str,
    base: u32,
    at: usize,
    newline: bool,
    symbols: &'a mut Symbols,
    out: Lexed,
}

/// Lexes one file whose first byte is at `base` of the whole.
pub fn lex(text: &str, base: u32, symbols: &mut Symbols, meter: &Meter) -> Lexed {
    let out = Lexed { tokens: Vec::new(), includes: Vec::new(), errors: Vec::new() };
    let mut lexer = Lexer { text, base, at: 0, newline: true, symbols, out };
    let mut pace = meter.pace();
    while lexer.at < text.len() {
        if let Err(limit) = pace.step() {
            lexer.error(lexer.at, limit.to_string());
            break;
        }
        lexer.next();
    }
    lexer.out
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, from: usize) -> Span {
        Span { lo: self.base + from as u32, hi: self.base + self.at as u32 }
    }

    fn error(&mut self, from: usize, message: impl Into<String>) -> &mut Diagnostic {
        let span = self.span(from);
        self.out.errors.push(Diagnostic::new(Stage::Syntax, span, message));
        self.out.errors.last_mut().expect("just pushed")
    }

    fn push(&mut self, from: usize, tok: Tok) {
        let span = self.span(from);
        let glued = self.out.tokens.last().is_some_and(|t| t.span.hi == span.lo);
        self.out.tokens.push(Token { tok, span, newline: self.newline, glued });
        self.newline = false;
    }

    fn next(&mut self) {
        let from = self.at;
        let Some(c) = self.peek() else { return };
        match c {
            '\n' => {
                self.newline = true;
                self.at += 1;
            }
            c if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
            '-' if self.rest().starts_with("--") => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            '{' if self.rest().starts_with("{-") => self.block_comment(),
            '"' => self.string(),
            '\'' => self.character(),
            c if c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || (c == '_' && self.word_follows()) => self.word(from),
            _ => self.operator(from),
        }
    }

    fn word_follows(&self) -> bool {
        self.rest().chars().nth(1).is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    fn block_comment(&mut self) {
        let (from, mut depth) = (self.at, 0);
        loop {
            let rest = self.rest();
            if rest.starts_with("{-") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("-}") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else if let Some(c) = rest.chars().next() {
                self.newline |= c == '\n';
                self.at += c.len_utf8();
            } else {
                self.at = from + 2;
                self.error(from, "this comment is never closed").hint = Some("close it with -}".into());
                self.at = self.text.len();
                return;
            }
        }
    }

    /// One character of a string or character literal, with its escapes.
    fn literal_char(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c != '\\' {
            return Some(c);
        }
        let from = self.at - 1;
        let escaped = self.peek()?;
        self.at += escaped.len_utf8();
        Some(match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' | '\'' | '\\' => escaped,
            other => {
                self.error(from, format!("unknown escape \\{other}")).hint =
                    Some("the escapes are \\n \\r \\t \\\" \\' \\\\".into());
                other
            }
        })
    }

    fn string(&mut self) {
        let from = self.at;
        self.at += 1;
        let mut value = String::new();
        loop {
            match self.peek() {
                Some('"') => break self.at += 1,
                None | Some('\n') => {
                    self.error(from, "this string is never closed").hint = Some("close it with \"".into());
                    break;
                }
                _ => value.extend(self.literal_char()),
            }
        }
        self.push(from, Tok::Str(value));
    }

    fn character(&mut self) {
        let from = self.at;
        self.at += 1;
        let value = self.literal_char();
        if self.peek() == Some('\'')
            && let Some(c) = value
        {
            self.at += 1;
            self.push(from, Tok::Char(c));
        } else {
            self.error(from, "this is not a character literal").hint = Some("write one character, as in 'c'".into());
        }
    }

    fn number(&mut self) {
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        match self.text[from..self.at].parse() {
            Ok(n) => self.push(from, Tok::Int(n)),
            Err(_) => {
                self.error(from, "this number does not fit 64 bits");
            }
        }
    }

    fn word(&mut self, from: usize) {
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += self.peek().map_or(0, char::len_utf8);
        }
        while self.peek() == Some('\'') {
            self.at += 1;
        }
        let word = &self.text[from..self.at];
        if word == "include" && self.newline {
            return self.include(from);
        }
        let tok = match Keyword::ALL.iter().find(|(name, _)| *name == word) {
            Some(&(_, key)) => Tok::Key(key),
            None => Tok::Ident(self.symbols.intern(word)),
        };
        self.push(from, tok);
    }

    fn include(&mut self, from: usize) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        if self.peek() != Some('"') {
            self.error(from, "include needs a file name").hint = Some("write include \"file.csp\"".into());
            return;
        }
        self.string();
        if let Some(Token { tok: Tok::Str(name), span, .. }) = self.out.tokens.pop() {
            let at = self.out.tokens.len();
            self.out.includes.push(Include { name, span, at });
            self.newline = true;
        }
    }

    fn operator(&mut self, from: usize) {
        if let Some(model) = refinement(self.rest()).map(str::to_owned) {
            self.at += model.len() + 2;
            return self.push(from, Tok::Refines(model));
        }
        // `>==` is the end of a sequence and an equality: `>=` followed by `=` means nothing.
        let op = if self.rest().starts_with(">==") {
            ">"
        } else if self.map_opens() {
            "(|"
        } else {
            OPERATORS.iter().find(|op| self.rest().starts_with(**op)).copied().unwrap_or("")
        };
        if op.is_empty() {
            self.at += self.peek().map_or(1, char::len_utf8);
            self.error(from, format!("unexpected character {:?}", &self.text[from..self.at]));
            return;
        }
        self.at += op.len();
        self.push(from, Tok::Op(op));
    }

    /// `(|` opens a map only before a space or its own end; otherwise it is a bracket before an operator.
    fn map_opens(&self) -> bool {
        let rest = self.rest();
        rest.strip_prefix("(|").is_some_and(|r| r.starts_with(char::is_whitespace) || r.starts_with("|)"))
    }
}

/// The model of a refinement symbol such as `[FD=` at the start of `text`.
fn refinement(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find(|c: char| !c.is_ascii_uppercase())?;
    (end > 0 && inner[end..].starts_with('=')).then(|| &inner[..end])
}
