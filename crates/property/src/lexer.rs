//! The words of a file of properties, with their places.

use crate::error::{Place, PropertyError};

/// What a word is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number.
    Number(i64),
    /// A text between quotes.
    Text(String),
    /// One of the signs of the language.
    Sign(&'static str),
    /// The end of a line outside of parentheses and braces.
    Line,
    /// The end of the file.
    End,
}

impl Token {
    /// As it is shown in messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            Self::Number(number) => format!("`{number}`"),
            Self::Text(text) => format!("{text:?}"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::Line => "the end of the line".to_owned(),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) place: Place,
    /// The bytes of the text that it takes.
    pub(crate) bytes: (usize, usize),
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 14] = ["...", "->", "..", "…", "→", "(", ")", "{", "}", ",", ";", ":", "@", "!"];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// Where the line begins.
    start: usize,
    tokens: Vec<Spanned>,
}

/// The tokens of a text; the last one is its end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Spanned>, PropertyError> {
    let mut lexer = Lexer { text, at: 0, line: 1, start: 0, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.next()?;
    }
    lexer.push(Token::Line, 0);
    lexer.push(Token::End, 0);
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn place(&self) -> Place {
        Place { line: self.line, column: self.text[self.start..self.at].chars().count() + 1 }
    }

    fn push(&mut self, token: Token, length: usize) {
        let place = self.place();
        self.tokens.push(Spanned { token, place, bytes: (self.at, self.at + length) });
        self.at += length;
    }

    fn next(&mut self) -> Result<(), PropertyError> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().expect("there is more text");
        if first == '\n' {
            self.push(Token::Line, 1);
            (self.line, self.start) = (self.line + 1, self.at);
        } else if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if first == '#' {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(Token::Sign(sign), sign.len());
        } else if first == '"' {
            self.quoted(rest)?;
        } else if first == '-' || first.is_ascii_digit() {
            self.number(rest)?;
        } else if is_name(first) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            self.push(Token::Word(rest[..length].to_owned()), length);
        } else {
            return Err(self.place().error(format!("`{first}` has no meaning here")));
        }
        Ok(())
    }

    fn number(&mut self, rest: &str) -> Result<(), PropertyError> {
        let end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let length = 1 + rest[1..].find(end).unwrap_or(rest.len() - 1);
        let word = &rest[..length];
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).map(u64::cast_signed),
            None => word.parse(),
        };
        let bad = |_| self.place().error(format!("`{word}` is not a number of 64 bits; write 12, -1 or 0x1f"));
        self.push(Token::Number(number.map_err(bad)?), length);
        Ok(())
    }

    fn quoted(&mut self, rest: &str) -> Result<(), PropertyError> {
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                '\n' => break,
                c if std::mem::take(&mut escaped) => text.push(if c == 'n' { '\n' } else { c }),
                '\\' => escaped = true,
                '"' => {
                    self.push(Token::Text(text), at + 1);
                    return Ok(());
                }
                c => text.push(c),
            }
        }
        Err(self.place().error("this text has no end: add a quotation mark".to_owned()))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
