//! Characters to tokens. Newlines are kept as a flag on the token after them.
use crate::source::{Diagnostic, Result, Span};
use num_bigint::BigInt;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(Rc<str>),
    /// An integer, with the unit written behind it.
    Int(BigInt, Option<Rc<str>>),
    Float(f64),
    Str(Vec<StrToken>),
    /// Punctuation and operators.
    Sym(&'static str),
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StrToken {
    Text(String),
    /// The range of an interpolated expression and its format.
    Expr(Span, Option<String>),
}

#[derive(Clone, Debug)]
pub struct Lexeme {
    pub token: Token,
    pub span: Span,
    pub after_newline: bool,
}

/// Longest first, so that the first match is the right one.
const SYMBOLS: [&str; 49] = [
    "<=.", ">=.", ":=", "=>", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+.", "-.", "*.", "/.", "<.", ">.",
    "@@", "..", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&",
    "|", "^", ".", "@", "?", "\\", "'", "$",
];

pub struct Lexer<'a> {
    text: &'a str,
    file: u16,
    at: usize,
    end: usize,
}

impl<'a> Lexer<'a> {
    /// Reads the part of `text` that `range` names.
    pub fn new(text: &'a str, range: Span) -> Self {
        Lexer { text, file: range.file, at: range.start as usize, end: range.end as usize }
    }

    /// All tokens, the last of them [`Token::End`].
    pub fn run(mut self) -> Result<Vec<Lexeme>> {
        let mut out = Vec::new();
        loop {
            let after_newline = self.skip_blank();
            let start = self.at;
            let token = self.token()?;
            let done = token == Token::End;
            out.push(Lexeme { token, span: self.span(start), after_newline });
            if done {
                return Ok(out);
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn error<T>(&self, start: usize, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(message, self.span(start)))
    }

    /// Skips blanks and comments; says whether a newline was among them.
    fn skip_blank(&mut self) -> bool {
        let mut newline = self.at == 0;
        while let Some(c) = self.peek() {
            if self.rest().starts_with("--") || c == '#' {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if let Some(rest) =
                self.rest().strip_prefix('\\').filter(|rest| rest.trim_start_matches('\r').starts_with('\n'))
            {
                // A line that ends in a backslash goes on in the next.
                self.at = self.end - rest.trim_start_matches('\r').len() + 1;
            } else if c.is_whitespace() {
                newline |= c == '\n';
                self.at += c.len_utf8();
            } else {
                break;
            }
        }
        newline
    }

    fn token(&mut self) -> Result<Token> {
        let Some(c) = self.peek() else { return Ok(Token::End) };
        if c.is_ascii_digit() {
            return self.number();
        }
        if c == '"' {
            self.at += 1;
            return self.string(false);
        }
        if self.rest().starts_with("f\"") {
            self.at += 2;
            return self.string(true);
        }
        if is_name_start(c) {
            return Ok(Token::Name(self.word().into()));
        }
        match SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Token::Sym(symbol))
            }
            None => {
                let start = self.at;
                self.at += c.len_utf8();
                self.error(start, format!("unexpected character `{c}`"))
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn number(&mut self) -> Result<Token> {
        let start = self.at;
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            self.at += 2;
            return self.hex(start);
        }
        self.digits();
        let fraction = self.rest().strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
        if fraction {
            self.at += 1;
            self.digits();
        }
        let exponent = self.exponent();
        let text = &self.text[start..self.at];
        if fraction || exponent {
            return Ok(Token::Float(text.parse().expect("digits make a number")));
        }
        let value = text.parse().expect("digits make a number");
        let unit = self.peek().filter(|c| is_name_start(*c)).map(|_| self.word().into());
        Ok(Token::Int(value, unit))
    }

    fn digits(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    }

    fn exponent(&mut self) -> bool {
        let rest = self.rest();
        let Some(tail) = rest.strip_prefix(['e', 'E']) else { return false };
        let sign = usize::from(tail.starts_with(['+', '-']));
        if !tail[sign..].starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        self.at += 1 + sign;
        self.digits();
        true
    }

    fn hex(&mut self, start: usize) -> Result<Token> {
        let digits = self.word();
        match BigInt::parse_bytes(digits.as_bytes(), 16) {
            Some(value) if !digits.contains('_') => Ok(Token::Int(value, None)),
            _ => self.error(start, "not a hexadecimal number"),
        }
    }

    fn string(&mut self, formatted: bool) -> Result<Token> {
        let start = self.at - 1;
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else { return self.error(start, "the string is not closed") };
            self.at += c.len_utf8();
            match c {
                '"' => break,
                '\n' => return self.error(start, "the string is not closed on its line"),
                '\\' => text.push(self.escape()?),
                '$' if self.interpolates() => {
                    flush(&mut parts, &mut text);
                    let range = self.interpolation()?;
                    let format = if formatted { self.format_spec() } else { None };
                    parts.push(StrToken::Expr(range, format));
                }
                _ => text.push(c),
            }
        }
        flush(&mut parts, &mut text);
        Ok(Token::Str(parts))
    }

    fn interpolates(&self) -> bool {
        self.peek().is_some_and(|c| c == '{' || is_name_start(c))
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at - 1;
        let c = self.peek().unwrap_or('\n');
        self.at += c.len_utf8().min(self.end - self.at);
        match c {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            'a' => Ok('\u{7}'),
            '"' | '\\' | '$' => Ok(c),
            _ => self.error(start, format!("unknown escape `\\{c}`")),
        }
    }

    /// After a `$`: the range of the expression, and the reader behind it.
    fn interpolation(&mut self) -> Result<Span> {
        let start = self.at;
        if self.peek() != Some('{') {
            self.word();
            return Ok(self.span(start));
        }
        let mut depth = 0;
        let mut quoted = false;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inner = Span { file: self.file, start: start as u32 + 1, end: self.at as u32 - 1 };
                return Ok(inner);
            }
        }
        self.error(start, "the interpolated expression is not closed")
    }

    /// A `printf`-like format behind an interpolated expression.
    fn format_spec(&mut self) -> Option<String> {
        let rest = self.rest().strip_prefix('%')?;
        let flags = rest
            .find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | ' ' | ',' | '#' | '('))
            .unwrap_or(rest.len());
        let kind = rest[flags..].chars().next().filter(char::is_ascii_alphabetic)?;
        self.at += 1 + flags + kind.len_utf8();
        Some(format!("%{}{kind}", &rest[..flags]))
    }
}

fn flush(parts: &mut Vec<StrToken>, text: &mut String) {
    if !text.is_empty() {
        parts.push(StrToken::Text(std::mem::take(text)));
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || is_pictograph(c)
}

/// Emoji, what joins them, and marks that combine with the letter before them.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{2300}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_pictograph(c)
}
