//! The values of custom events as words: numbers, and texts between quotes.
//!
//! Words are separated by blanks, so a text has `\s` for a blank; `\\`, `\"`, `\n` and `\u{HEX}` stand for what cannot be
//! written otherwise.

use std::io::{self, Write};

use foretrace_event::{ArgsId, Value};

use super::words::{Word, split};
use super::{TextError, TextErrorKind};
use crate::TraceBuilder;
use crate::trace::Trace;

/// The word again, if all its parts are values.
pub(super) fn checked(words: Word<'_>) -> Result<Word<'_>, TextError> {
    for (index, word) in split(words).enumerate() {
        if index == Value::MOST {
            return Err(word.error(TextErrorKind::TooManyValues));
        }
        literal(word)?;
    }
    Ok(words)
}

/// The values of words that were [`checked`].
pub(super) fn read(builder: &mut TraceBuilder, words: Word<'_>) -> ArgsId {
    let values: Vec<Value> = split(words)
        .map(|word| match literal(word).expect("values that were checked") {
            Literal::Number(number) => Value::Number(number),
            Literal::Text(text) => Value::Text(builder.text(&text)),
        })
        .collect();
    builder.values(&values)
}

enum Literal {
    Number(i64),
    Text(String),
}

fn literal(word: Word<'_>) -> Result<Literal, TextError> {
    if word.text.starts_with('"') {
        let text = unquoted(word.text).ok_or_else(|| word.error(TextErrorKind::BadText(word.text.to_owned())))?;
        return Ok(Literal::Text(text));
    }
    if word.text.starts_with('-') {
        let bad = |_| word.error(TextErrorKind::BadNumber(word.text.to_owned()));
        return word.text.parse().map(Literal::Number).map_err(bad);
    }
    word.number().map(|number| Literal::Number(number.cast_signed()))
}

fn unquoted(word: &str) -> Option<String> {
    let mut inner = word.strip_prefix('"')?.strip_suffix('"').filter(|_| word.len() > 1)?.chars();
    let mut text = String::new();
    while let Some(c) = inner.next() {
        text.push(match c {
            '"' => return None,
            '\\' => escaped(&mut inner)?,
            other => other,
        });
    }
    Some(text)
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        's' => ' ',
        'n' => '\n',
        'u' => {
            let digits = rest.as_str().strip_prefix('{')?.split_once('}')?.0;
            rest.nth(digits.len() + 1)?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
        }
        c @ ('\\' | '"') => c,
        _ => return None,
    })
}

/// Writes values, each after a blank.
pub(super) fn print(trace: &Trace, values: ArgsId, out: &mut dyn Write) -> io::Result<()> {
    for value in trace.values(values) {
        match *value {
            Value::Number(number) => write!(out, " {number}")?,
            Value::Text(text) => write!(out, " {}", quoted(trace.value_text(text)))?,
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    let mut word = String::from("\"");
    for c in text.chars() {
        match c {
            ' ' => word.push_str("\\s"),
            '\n' => word.push_str("\\n"),
            '\\' | '"' => word.extend(['\\', c]),
            c if c.is_whitespace() || c.is_control() => word.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => word.push(c),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_survives_its_word() {
        for text in ["", " ", "a b", "\"", "\\", "\\s", "x\ny", "\u{a0}\u{7}", "# @ ü", "\\u{41}"] {
            let word = quoted(text);
            assert!(!word.contains(char::is_whitespace), "{word}");
            assert_eq!(unquoted(&word).as_deref(), Some(text), "{word}");
        }
    }

    #[test]
    fn what_is_not_a_text_is_refused() {
        for word in ["\"", "\"a", "\"a\"b\"", r#""\"#, r#""\x""#, r#""\u{}""#, r#""\u{110000}""#, r#""\u41""#] {
            assert_eq!(unquoted(word), None, "{word}");
        }
    }
}
