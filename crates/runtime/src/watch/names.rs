//! Names that belong to a recording: of threads and of the user's own events. They go to side files, a line each.

use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::sys::decimal::Decimal;
use crate::thread::tls::Section;
use crate::{axes, sys};
use core::ffi::{CStr, c_char};

/// Longest line: names are cut there.
const LINE: usize = 512;

/// A line under construction.
struct Line {
    bytes: [u8; LINE],
    length: usize,
}

impl Line {
    const fn new() -> Self {
        Self { bytes: [0; LINE], length: 0 }
    }

    /// Adds what fits before the line's end. A name has no line ends.
    fn put(&mut self, part: &[u8]) {
        for byte in part.iter().take(LINE - 1 - self.length) {
            self.bytes[self.length] = if *byte == b'\n' { b' ' } else { *byte };
            self.length += 1;
        }
    }

    /// Adds what fits of a text in which line ends and backslashes count.
    fn put_escaped(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                b'\n' => self.put(b"\\n"),
                b'\\' => self.put(b"\\\\"),
                other => self.put(&[*other]),
            }
        }
    }

    fn put_hex(&mut self, number: u64) {
        for shift in (0..16).rev().map(|digit| digit * 4).skip_while(|shift| number >> shift == 0 && *shift != 0) {
            self.put(&[b"0123456789abcdef"[(number >> shift & 15) as usize]]);
        }
    }

    fn append_to(mut self, file: &[u8]) {
        self.bytes[self.length] = b'\n';
        if let Some(fd) = axes::side_file(file) {
            sys::write(fd, &self.bytes[..=self.length]);
            sys::close(fd);
        }
    }
}

/// The bytes of a name; none for null.
unsafe fn text<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return b"";
    }
    // SAFETY: the caller passes a string.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

/// Races on these bytes are harmless.
pub fn note_benign(start: usize, end: usize) {
    if axes::is_recording() {
        let mut line = Line::new();
        line.put_hex(start as u64);
        line.put(b" ");
        line.put_hex(end as u64);
        line.append_to(b"benign");
    }
}

/// Gives a thread of the recording a name.
pub unsafe fn name_thread(id: Option<u32>, name: *const c_char) {
    let Some(id) = id.filter(|_| axes::is_recording()) else { return };
    let _section = Section::nest();
    let mut line = Line::new();
    line.put(Decimal::new(u64::from(id)).bytes());
    line.put(b" ");
    // SAFETY: the caller passes a string.
    line.put(unsafe { text(name) });
    line.append_to(b"threads");
}

/// Names of events that have been written, by address.
static CUSTOMS: Spin<Map> = Spin::new(Map::new());

/// Writes the name of a kind of event, once for each address it is passed at.
pub unsafe fn name_custom(name: *const c_char) {
    if name.is_null() || !axes::is_recording() {
        return;
    }
    let _section = Section::nest();
    let mut customs = CUSTOMS.lock();
    let Some(seen) = customs.entry(name as u64) else { return };
    if core::mem::replace(seen, 1) == 1 {
        return;
    }
    let mut line = Line::new();
    line.put_hex(name as u64);
    line.put(b" ");
    // SAFETY: the caller passes a string.
    line.put(unsafe { text(name) });
    line.append_to(b"customs");
}

/// Texts that have been written, by number.
static TEXTS: Spin<Map> = Spin::new(Map::new());

/// Writes a text that events carry, once; the number it goes by, which is a hash of it.
pub fn note_text(text: &[u8]) -> u64 {
    const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);
    let number = text.iter().fold(FNV.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV.1)).max(1);
    if !axes::is_recording() {
        return number;
    }
    let _section = Section::nest();
    let mut texts = TEXTS.lock();
    let Some(seen) = texts.entry(number) else { return number };
    if core::mem::replace(seen, 1) == 0 {
        let mut line = Line::new();
        line.put_hex(number);
        line.put(b" ");
        line.put_escaped(text);
        line.append_to(b"strings");
    }
    number
}

/// In a forked child.
fn reset_locks() {
    CUSTOMS.reset();
    TEXTS.reset();
}
at_fork!(reset_locks);

#[cfg(test)]
mod tests {
    use super::{LINE, Line};

    #[test]
    fn lines_hold_numbers_and_what_fits_of_a_name() {
        let mut line = Line::new();
        line.put_hex(0);
        line.put_hex(0xdead_0001);
        line.put(b" a\nb");
        assert_eq!(&line.bytes[..line.length], b"0dead0001 a b");
        line.put(&[b'x'; 1000]);
        assert_eq!(line.length, LINE - 1);
        let mut line = Line::new();
        line.put_escaped(b"a\nb\\c");
        assert_eq!(&line.bytes[..line.length], b"a\\nb\\\\c");
    }
}
