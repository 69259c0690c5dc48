//! Text that does nothing to a terminal but appear on it.

use std::io::{self, Write};
use unicode_width::UnicodeWidthChar;

/// A tab is shown as so many blanks.
const TAB: &str = "    ";

/// The text, with blanks for tabs and a picture for each character that is none, as rustc shows them.
pub fn visible(text: &str) -> String {
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

/// A writer for everything that a person sees: lines and tabs pass, every other control character becomes a picture, and
/// bytes that are not UTF-8 become replacement characters. The name of a thread is an attacker's string.
#[derive(Debug)]
pub struct Visible<W> {
    out: W,
    /// The beginning of a character whose rest has not been written yet.
    begun: Vec<u8>,
}

impl<W: Write> Visible<W> {
    /// Before this writer.
    pub const fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }

    /// Writes whole characters, and keeps the beginning of one that is cut off.
    fn characters(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.utf8_chunks() {
            let shown: String = chunk.valid().chars().map(shown).collect();
            self.out.write_all(shown.as_bytes())?;
            match chunk.invalid() {
                [] => {}
                invalid if is_cut_off(invalid) && bytes.ends_with(invalid) => self.begun = invalid.to_vec(),
                _ => self.out.write_all("\u{fffd}".as_bytes())?,
            }
        }
        Ok(())
    }
}

fn shown(c: char) -> char {
    if matches!(c, '\n' | '\t') { c } else { picture(c) }
}

/// Could more bytes make a character of these?
fn is_cut_off(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.begun.is_empty() && bytes.iter().all(plain) {
            self.out.write_all(bytes)?;
        } else {
            let mut all = std::mem::take(&mut self.begun);
            all.extend_from_slice(bytes);
            self.characters(&all)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::{Visible, visible};
    use std::io::Write;

    #[test]
    fn controls_have_pictures() {
        assert_eq!(visible("\u{1b}[31mRED\u{7}\r\u{7f}\u{9b}\u{202e}"), "␛[31mRED␇␍␡��");
        assert_eq!(visible("a\tb zähler 日本"), "a    b zähler 日本");
    }

    #[test]
    fn what_is_written_in_pieces_is_shown_as_a_whole() {
        let text = "t1 \u{1b}]0;owned\u{7}\tz\u{e4}hler\u{9b}31m \u{1f980}\n".as_bytes();
        for cut in 0..=text.len() {
            let mut out = Visible::new(Vec::new());
            out.write_all(&text[..cut]).expect("memory takes all writes");
            out.write_all(&text[cut..]).expect("memory takes all writes");
            let shown = String::from_utf8(out.out).expect("it is text");
            assert_eq!(shown, "t1 \u{241b}]0;owned\u{2407}\tz\u{e4}hler\u{fffd}31m \u{1f980}\n", "cut at {cut}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_not_reach_the_terminal() {
        let mut out = Visible::new(Vec::new());
        out.write_all(b"a\x9b2Jb\xffc\xc3").expect("memory takes all writes");
        out.write_all(b"(d").expect("memory takes all writes");
        assert_eq!(String::from_utf8(out.out).expect("it is text"), "a\u{fffd}2Jb\u{fffd}c\u{fffd}(d");
    }
}
