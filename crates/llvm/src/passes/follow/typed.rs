//! A value with its type, as instructions and calls name it.

use crate::text::kind;

/// A value with its type, as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed<'a> {
    /// The type.
    pub kind: &'a str,
    /// A name with `%` or `@`, a number, or a constant expression.
    pub value: &'a str,
}

/// Words that begin a constant expression.
const CONSTANTS: [&str; 9] =
    ["getelementptr", "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "trunc", "add", "sub", "xor"];

/// `i32 %4`, `ptr noundef @x`, `ptr getelementptr (…)`.
pub fn typed(part: &str) -> Option<Typed<'_>> {
    let (kind, rest) = kind(part.trim())?;
    Some(Typed { kind, value: value(rest.trim())? })
}

/// What follows the attributes.
fn value(text: &str) -> Option<&str> {
    if text.ends_with(')') {
        let begins = |word: &&str| text.starts_with(*word) || text.contains(&format!(" {word} "));
        let word = CONSTANTS.into_iter().find(begins)?;
        return text.find(word).map(|at| &text[at..]);
    }
    let name = text.find(['%', '@']).filter(|at| text[*at..].contains('"'));
    let at = name.or_else(|| text.rfind(' ').map(|at| at + 1)).unwrap_or(0);
    Some(&text[at..]).filter(|value| !value.is_empty())
}
