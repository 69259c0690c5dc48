//! The words of a line.

/// A word, with the column where it begins, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    pub column: usize,
    pub word: Word<'a>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word<'a> {
    Open,
    Close,
    Name(&'a str),
    Quoted(&'a str),
}

/// The words of a line, without its comment; an error is the column of a quote that is not closed.
pub fn tokens(line: &str) -> Result<Vec<Token<'_>>, usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let (word, length) = match first {
            '#' => break,
            blank if blank.is_whitespace() => (None, blank.len_utf8()),
            '(' => (Some(Word::Open), 1),
            ')' => (Some(Word::Close), 1),
            '"' => {
                let end = line[at + 1..].find('"').ok_or(at + 1)?;
                (Some(Word::Quoted(&line[at + 1..at + 1 + end])), end + 2)
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '#');
                let length = line[at..].find(ends).unwrap_or(line.len() - at);
                (Some(Word::Name(&line[at..at + length])), length)
            }
        };
        found.extend(word.map(|word| Token { column: at + 1, word }));
        at += length;
    }
    Ok(found)
}
