//! Lines of untrusted files as messages show them.

/// Characters of a line that are shown, and how many of them before the place in question.
const SHOWN: usize = 160;
const BEFORE: usize = 60;

/// A line, or the part of a long line around the place in question, with the column and the width of that place in it.
pub fn excerpt(line: &str, at: usize, width: usize) -> (String, usize, usize) {
    let length = line.chars().count();
    if length <= SHOWN {
        return (line.to_owned(), at, width);
    }
    let from = at.saturating_sub(BEFORE).min(length - SHOWN);
    let (left, right) = (if from > 0 { "..." } else { "" }, if from + SHOWN < length { "..." } else { "" });
    let middle: String = line.chars().skip(from).take(SHOWN).collect();
    let before = at - from + left.len();
    (format!("{left}{middle}{right}"), before, width.min(from + SHOWN - at).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_round_the_place() {
        let line: String = (0..1000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
        assert_eq!(excerpt("short", 2, 3), ("short".to_owned(), 2, 3));
        for at in [0, 59, 60, 500, 999] {
            let (shown, before, width) = excerpt(&line, at, 4000);
            assert!(shown.len() <= SHOWN + 6);
            assert_eq!(shown.as_bytes()[before], line.as_bytes()[at], "{at}");
            assert!(width >= 1 && before + width <= shown.len());
        }
    }
}
