//! The lexical level of LLVM's textual form: brackets, quotes, names, types.

/// Splits at commas outside brackets and quotes; `None` if brackets or quotes do not match.
pub fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut depth, mut start, mut quoted) = (Vec::new(), 0_i32, 0, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    (depth == 0 && !quoted).then_some(parts)
}

/// Splits after the round bracket that closes a list whose opening bracket has been read.
pub fn close(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quoted) = (0, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A name at the start of a text, without its quotes, and the text after it. (Quotes inside are written `\22`.)
pub fn name(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.strip_prefix('"') {
        return rest.split_once('"');
    }
    let end = text.find(|c| !is_name_character(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// May the character be in a name without quotes?
pub fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-$._".contains(character)
}

/// The type at the start of a text, and the text after it.
pub fn kind(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quoted) = (0_i32, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' | '<' | '(' => depth += 1,
            ']' | '}' | '>' | ')' if depth > 0 => depth -= 1,
            ' ' | ',' | ')' if depth == 0 => return (at > 0).then(|| text.split_at(at)),
            _ => {}
        }
    }
    (depth == 0 && !quoted && !text.is_empty()).then_some((text, ""))
}

/// The type at the end of a text, after words such as linkage and attributes.
pub fn last_kind(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, character) in text.char_indices().rev() {
        match character {
            ']' | '}' | '>' => depth += 1,
            '[' | '{' | '<' => depth -= 1,
            ' ' if depth == 0 => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    (depth == 0 && !text.is_empty()).then_some(text)
}
