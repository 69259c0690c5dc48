//! Text that does nothing to a terminal but appear on it.

use unicode_width::UnicodeWidthChar;

/// A tab is shown as so many blanks.
const TAB: &str = "    ";

/// The text, with blanks for tabs and a picture for each character that is none, as rustc shows them.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown += TAB,
            c => shown.push(picture(c)),
        }
    }
    shown
}

fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        // The second row of controls, and what turns the direction of the text around it.
        0x80..0xa0 | 0x202a..=0x202e | 0x2066..=0x2069 => char::REPLACEMENT_CHARACTER,
        _ if c.width().is_none() => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn controls_have_pictures() {
        assert_eq!(visible("\u{1b}[31mRED\u{7}\r\u{7f}\u{9b}\u{202e}"), "␛[31mRED␇␍␡��");
        assert_eq!(visible("a\tb zähler 日本"), "a    b zähler 日本");
    }
}
