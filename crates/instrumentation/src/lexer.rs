//! Reads a line of a specification from left to right.

use crate::error::Error;

/// What is left of a line.
#[derive(Clone)]
pub struct Line<'a> {
    /// The number of the line, from 1.
    pub number: u32,
    whole: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    /// A line without its comment, which begins with `//`, or with `#` at the start of the line.
    pub fn new(number: u32, text: &'a str) -> Self {
        let is_comment = text.trim_start().starts_with('#');
        let end = if is_comment { 0 } else { text.find("//").unwrap_or(text.len()) };
        Self { number, whole: text[..end].trim_end(), at: 0 }
    }

    /// What is left, after spaces.
    pub fn rest(&mut self) -> &'a str {
        let rest = &self.whole[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Takes this text, if it comes next.
    pub fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Takes this word, if it comes next as a whole.
    pub fn take_word(&mut self, word: &str) -> bool {
        let ends = |rest: &str| !rest[word.len()..].starts_with(is_word);
        let is_next = Some(self.rest()).filter(|rest| rest.starts_with(word)).is_some_and(ends);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Takes the characters of a kind; empty if there are none.
    pub fn take_while(&mut self, of_kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !of_kind(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes so many bytes.
    pub fn take_bytes(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        self.at += bytes;
        &rest[..bytes]
    }

    /// The position of what comes next.
    pub fn position(&mut self) -> usize {
        self.rest();
        self.at
    }

    /// The place (line, column, length) of what has been read since a position.
    pub fn place(&self, from: usize) -> (u32, u32, u32) {
        let count = |text: &str| text.chars().count() as u32;
        (self.number, 1 + count(&self.whole[..from]), count(&self.whole[from..self.at]).max(1))
    }

    /// An error about what has been read since a position.
    pub fn error_since(&self, from: usize, message: impl Into<String>) -> Error {
        let (line, column, length) = self.place(from);
        Error { line, column, length, message: message.into() }
    }

    /// An error about the word that comes next.
    pub fn error(&mut self, message: impl Into<String>) -> Error {
        let from = self.position();
        let rest = self.rest();
        self.at += rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.error_since(from, message)
    }
}

/// May the character be in a word?
pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
