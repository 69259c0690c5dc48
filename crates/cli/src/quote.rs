//! Command lines as text, on one line and without loss: what a shell reads is what was meant, byte for byte.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// A word as a shell reads it. Bytes that are no text, or would end the line, are written as bash's `$'\x0a'`.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%^".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.chars().any(char::is_control) => single_quoted(text),
        _ => escaped(word.as_bytes()),
    }
}

/// Words as a shell reads them.
pub fn quoted_all<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::from("$'");
    for byte in bytes {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => write!(text, "\\x{byte:02x}").expect("a string takes all that is written to it"),
        }
    }
    text + "'"
}

/// The words of a line that [`quoted_all`] made; none if it did not.
pub fn unquoted(line: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut rest = line.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = if *first == b' ' { after } else { take_word(rest, &mut words)? };
    }
    Some(words)
}

/// Reads a word, which may have parts that are quoted in different ways; what comes after it.
fn take_word<'a>(mut rest: &'a [u8], words: &mut Vec<OsString>) -> Option<&'a [u8]> {
    let mut word = Vec::new();
    loop {
        rest = match rest {
            [] | [b' ', ..] => break,
            [b'$', b'\'', after @ ..] => take_escaped(after, &mut word)?,
            [b'\'', after @ ..] => {
                let end = after.iter().position(|byte| *byte == b'\'')?;
                word.extend_from_slice(&after[..end]);
                &after[end + 1..]
            }
            [b'\\', byte, after @ ..] | [byte, after @ ..] => {
                word.push(*byte);
                after
            }
        }
    }
    words.push(OsString::from_vec(word));
    Some(rest)
}

/// Reads up to the quote that ends a `$'…'`.
fn take_escaped<'a>(mut rest: &'a [u8], word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let byte;
        (byte, rest) = match rest {
            [] => return None,
            [b'\'', after @ ..] => return Some(after),
            [b'\\', b'x', high, low, after @ ..] => (hexadecimal(*high)? << 4 | hexadecimal(*low)?, after),
            [b'\\', byte @ (b'\'' | b'\\'), after @ ..] => (*byte, after),
            [b'\\', ..] => return None,
            [byte, after @ ..] => (*byte, after),
        };
        word.push(byte);
    }
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_testkit::Random;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        let words = ["a.c", "", "a b", "it's", "two\nlines"];
        let line = "a.c '' 'a b' 'it'\\''s' $'two\\x0alines'";
        assert_eq!(quoted_all(words), line);
        assert_eq!(unquoted(line), Some(words.map(OsString::from).to_vec()));
        assert_eq!(quoted(OsStr::from_bytes(b"caf\xe9's")), r"$'caf\xe9\'s'");
    }

    #[test]
    fn any_words_come_back() {
        let mut random = Random::new(7);
        let some = b"a /'\"\\$x0\n\t\xc3\xa9\xff =";
        for _ in 0..5_000 {
            let mut word = || {
                let bytes = (0..random.below(6)).map(|_| *random.choose(some)).collect();
                OsString::from_vec(bytes)
            };
            let words: Vec<OsString> = (0..3).map(|_| word()).collect();
            let line = quoted_all(&words);
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(unquoted(&line), Some(words), "{line}");
        }
    }

    #[test]
    fn a_shell_reads_the_same() {
        let words: Vec<OsString> =
            [&b"a\nb"[..], b"\xff'\\x41", b"$HOME", b"x'y z"].map(|word| OsStr::from_bytes(word).to_owned()).to_vec();
        let script = format!("printf '%s\\0' {}", quoted_all(&words));
        let said = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash runs").stdout;
        let read: Vec<_> = said.split(|byte| *byte == 0).map(|word| OsStr::from_bytes(word).to_owned()).collect();
        assert_eq!(read[..words.len()], words);
    }

    #[test]
    fn what_nobody_quoted_is_refused() {
        for line in ["'open", "$'open", r"$'\x4'", r"$'\n'", r"$'\xzz'"] {
            assert_eq!(unquoted(line), None, "{line}");
        }
    }
}
