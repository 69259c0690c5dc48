//! The words of TSDL, the language of a trace's metadata.
use super::CtfProblem;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Word(Rc<str>),
    Number(i128),
    Text(Rc<str>),
    /// Brackets, separators, `:=`, `...`, `->`.
    Sign(&'static str),
}

/// The longer ones first.
const SIGNS: [&str; 17] = [":=", "...", "->", "{", "}", "[", "]", "(", ")", "<", ">", ";", ",", "=", ".", ":", "*"];

/// Tokens, each with its line.
pub fn tokens(text: &str) -> Result<Vec<(Token, usize)>, CtfProblem> {
    let (mut found, mut rest, mut line) = (Vec::new(), text, 1);
    loop {
        let skipped = skip(rest).ok_or(CtfProblem::Metadata { line, what: "a comment has no end".to_owned() })?;
        line += rest[..skipped].matches('\n').count();
        rest = &rest[skipped..];
        if rest.is_empty() {
            return Ok(found);
        }
        let (token, length) = token(rest).ok_or_else(|| {
            let what = format!("`{}` is not a word of TSDL", rest.chars().take(10).collect::<String>());
            CtfProblem::Metadata { line, what }
        })?;
        found.push((token, line));
        rest = &rest[length..];
    }
}

/// How much of the text is blank or a comment; `None` if a comment has no end.
fn skip(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = &comment[comment.find("*/")? + 2..];
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else {
            return Some(text.len() - rest.len());
        }
    }
}

fn token(text: &str) -> Option<(Token, usize)> {
    let first = text.chars().next()?;
    if first.is_ascii_digit() || (first == '-' && !text.starts_with("->")) {
        return number(text);
    }
    if first.is_alphabetic() || first == '_' {
        let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        return Some((Token::Word(text[..length].into()), length));
    }
    if first == '"' {
        return quoted(text);
    }
    let sign = SIGNS.into_iter().find(|sign| text.starts_with(sign))?;
    Some((Token::Sign(sign), sign.len()))
}

fn number(text: &str) -> Option<(Token, usize)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let length = digits.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(digits.len());
    let plain = digits[..length].trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match plain.strip_prefix("0x").or(plain.strip_prefix("0X")) {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None if plain.len() > 1 && plain.starts_with('0') => i128::from(u64::from_str_radix(plain, 8).ok()?),
        None => i128::from(plain.parse::<u64>().ok()?),
    };
    let sign = text.len() - digits.len();
    Some((Token::Number(if sign > 0 { -value } else { value }), length + sign))
}

/// A text in quotes, with C's escapes.
fn quoted(text: &str) -> Option<(Token, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Token::Text(out.into()), at + 1)),
            '\\' => out.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                other => other,
            }),
            c => out.push(c),
        }
    }
    None
}
