//! Expressions as they are written, before their widths are known.

use super::line::{Token, Word};

/// Deeper expressions are written with `let`.
const DEEPEST: usize = 200;

#[derive(Clone, Debug)]
pub enum Tree<'a> {
    Number { column: usize, value: u64, width: Option<u8> },
    Name { column: usize, name: &'a str },
    Apply { column: usize, name: &'a str, operands: Vec<Tree<'a>> },
}

impl Tree<'_> {
    pub fn column(&self) -> usize {
        match self {
            Self::Number { column, .. } | Self::Name { column, .. } | Self::Apply { column, .. } => *column,
        }
    }
}

/// Reads one expression from the front of the words.
pub fn tree<'a>(tokens: &mut &[Token<'a>], depth: usize) -> Result<Tree<'a>, (usize, String)> {
    let Some((first, rest)) = tokens.split_first() else {
        return Err((0, "an expression is missing".to_owned()));
    };
    *tokens = rest;
    match first.word {
        Word::Name(name) => leaf(first.column, name),
        Word::Open if depth >= DEEPEST => {
            Err((first.column, format!("more than {DEEPEST} parentheses in each other: name a part with `let`")))
        }
        Word::Open => apply(tokens, first.column, depth),
        _ => Err((first.column, "an expression should begin here".to_owned())),
    }
}

fn apply<'a>(tokens: &mut &[Token<'a>], column: usize, depth: usize) -> Result<Tree<'a>, (usize, String)> {
    let Some((Token { word: Word::Name(name), .. }, rest)) = tokens.split_first() else {
        return Err((column, "the name of an operation should follow".to_owned()));
    };
    *tokens = rest;
    let mut operands = Vec::new();
    loop {
        match tokens.split_first() {
            Some((Token { word: Word::Close, .. }, rest)) => {
                *tokens = rest;
                return Ok(Tree::Apply { column, name, operands });
            }
            Some(_) if operands.len() < 3 => operands.push(tree(tokens, depth + 1)?),
            Some((token, _)) => return Err((token.column, "no operation has more than three operands".to_owned())),
            None => return Err((column, "this parenthesis is not closed".to_owned())),
        }
    }
}

fn leaf(column: usize, name: &str) -> Result<Tree<'_>, (usize, String)> {
    if !name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return Ok(Tree::Name { column, name });
    }
    let (digits, width) = match name.split_once(':') {
        Some((digits, width)) => (digits, Some(width)),
        None => (name, None),
    };
    let width = width.map(|width| width.parse::<u8>().map_err(|_| (column, format!("not a width: `{width}`"))));
    let value = number(digits).ok_or_else(|| (column, format!("not a number: `{digits}`")))?;
    Ok(Tree::Number { column, value, width: width.transpose()? })
}

/// A number as people write it: `12`, `-1`, `0xff`.
pub fn number(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    text.parse::<u64>().ok().or_else(|| text.parse::<i64>().ok().map(|number| number as u64))
}
