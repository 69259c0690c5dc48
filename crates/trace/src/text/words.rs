//! Splits lines into words with their columns.

use super::{TextError, TextErrorKind};

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Word<'_> {
    pub(super) fn error(&self, kind: TextErrorKind) -> TextError {
        TextError { line: self.line, column: self.column, kind }
    }

    pub(super) fn unexpected(&self) -> TextError {
        self.error(TextErrorKind::Unexpected(self.text.to_owned()))
    }

    /// As a number, decimal or hexadecimal.
    pub(super) fn number(&self) -> Result<u64, TextError> {
        let number = match self.text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => self.text.parse(),
        };
        number.map_err(|_| self.error(TextErrorKind::BadNumber(self.text.to_owned())))
    }
}

/// The words of a line, and the place after its `@`.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    words: Vec<Word<'a>>,
    next: usize,
    text: &'a str,
    pub(super) place: Option<Word<'a>>,
    end: (usize, usize),
}

impl<'a> Line<'a> {
    pub(super) fn new(number: usize, text: &'a str) -> Self {
        let text = without_comment(text);
        let (text, place) = split_place(text, number);
        let end = (number, text.trim_end().chars().count() + 1);
        Self { words: words(text, number).collect(), next: 0, text, place, end }
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        let word = self.words.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }

    /// The next word if it is this one.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.words.get(self.next).is_some_and(|word| word.text == text);
        self.next += usize::from(found);
        found
    }

    /// The next word, which must be there.
    pub(super) fn expect(&mut self, what: &'static str) -> Result<Word<'a>, TextError> {
        let (line, column) = self.end;
        self.next().ok_or(TextError { line, column, kind: TextErrorKind::Expected(what) })
    }

    /// All words that are left, as one.
    pub(super) fn rest(&mut self) -> Word<'a> {
        let (line, column) = self.end;
        let Some(first) = self.next() else { return Word { text: "", line, column } };
        self.next = self.words.len();
        let start = first.text.as_ptr() as usize - self.text.as_ptr() as usize;
        Word { text: self.text[start..].trim_end(), ..first }
    }

    /// Nothing may be left.
    pub(super) fn finish(&mut self) -> Result<(), TextError> {
        self.next().map_or(Ok(()), |word| Err(word.unexpected()))
    }
}

/// A `#` begins a comment where a word could begin.
fn without_comment(text: &str) -> &str {
    let is_start = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = text.match_indices('#').map(|(at, _)| at).find(is_start);
    comment.map_or(text, |at| &text[..at])
}

fn split_place(text: &str, line: usize) -> (&str, Option<Word<'_>>) {
    let Some(at) = text.find(" @ ") else { return (text, None) };
    let place = text[at + 3..].trim();
    let start = place.as_ptr() as usize - text.as_ptr() as usize;
    let column = text[..start].chars().count() + 1;
    (&text[..at], Some(Word { text: place, line, column }))
}

/// The words of a text whose first character is in this column.
pub(super) fn split<'a>(of: Word<'a>) -> impl Iterator<Item = Word<'a>> {
    words(of.text, of.line).map(move |word| Word { column: word.column + of.column - 1, ..word })
}

fn words(text: &str, line: usize) -> impl Iterator<Item = Word<'_>> {
    let mut column = 1;
    let mut rest = text;
    std::iter::from_fn(move || {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count();
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let word = Word { text: &trimmed[..length], line, column };
        column += word.text.chars().count();
        rest = &trimmed[length..];
        (length > 0).then_some(word)
    })
}
