//! Formatted input: what the conversions of a format store is found by reading the format along with the arguments.

use crate::interpose::stdio::acquires;
use crate::op::access::{counts, writes};
use crate::op::text::{reads_text, strlen};
use crate::thread::tls::caller;
use core::ffi::{c_char, c_int, c_void};
use libc::FILE;

type Format = *const c_char;
/// A pointer to a `va_list`, which is how one is passed.
type Arguments = *mut c_void;

/// A `va_list`, as the ABI lays it out.
#[derive(Clone, Copy)]
#[repr(C)]
struct List {
    general: u32,
    floating: u32,
    overflow: *const usize,
    saved: *const u8,
}

impl List {
    /// The next pointer.
    unsafe fn pointer(&mut self) -> usize {
        // SAFETY: the program has passed one: registers first, the rest on the stack.
        unsafe {
            if self.general < 48 {
                self.general += 8;
                return self.saved.add(self.general as usize - 8).cast::<usize>().read();
            }
            self.overflow = self.overflow.add(1);
            self.overflow.sub(1).read()
        }
    }
}

/// What a conversion stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stored {
    Bytes(usize),
    /// A string, as long as it came out.
    Text,
    Nothing,
}

/// A conversion of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Conversion {
    stored: Stored,
    /// It counts as an item: all do but `%n`.
    counted: bool,
}

/// The conversions of a format, in order. Ends early at what it does not know (`%m…`, `%1$…`, wide characters).
struct Conversions<'a>(&'a [u8]);

impl Iterator for Conversions<'_> {
    type Item = Conversion;

    fn next(&mut self) -> Option<Conversion> {
        loop {
            let start = self.0.iter().position(|byte| *byte == b'%')?;
            self.0 = &self.0[start + 1..];
            if self.skip(b"%") {
                continue;
            }
            return self.conversion();
        }
    }
}

impl Conversions<'_> {
    fn skip(&mut self, prefix: &[u8]) -> bool {
        let rest = self.0.strip_prefix(prefix);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn conversion(&mut self) -> Option<Conversion> {
        let ignored = self.skip(b"*");
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let width = self.0[..digits]
            .iter()
            .fold(0usize, |width, digit| width.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        self.0 = &self.0[digits..];
        let size = self.size();
        let (kind, rest) = self.0.split_first()?;
        self.0 = rest;
        let stored = match kind {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => Stored::Bytes(size.unwrap_or(4)),
            b'p' => Stored::Bytes(8),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Stored::Bytes(size.unwrap_or(4)),
            b'c' if size.is_none() => Stored::Bytes(width.max(1)),
            b's' if size.is_none() => Stored::Text,
            b'[' if size.is_none() => {
                self.skip_set();
                Stored::Text
            }
            _ => return None,
        };
        Some(Conversion { stored: if ignored { Stored::Nothing } else { stored }, counted: *kind != b'n' && !ignored })
    }

    /// The size that a length modifier asks for.
    fn size(&mut self) -> Option<usize> {
        const SIZES: [(&[u8], usize); 8] =
            [(b"hh", 1), (b"h", 2), (b"ll", 8), (b"l", 8), (b"j", 8), (b"z", 8), (b"t", 8), (b"L", 16)];
        SIZES.into_iter().find(|(modifier, _)| self.skip(modifier)).map(|(_, size)| size)
    }

    /// A set ends at the first bracket that is not its first character.
    fn skip_set(&mut self) {
        self.skip(b"^");
        let end = self.0.iter().skip(1).position(|byte| *byte == b']').map_or(self.0.len(), |end| end + 2);
        self.0 = &self.0[end.min(self.0.len())..];
    }
}

/// `items` conversions have stored what they read.
unsafe fn stored(format: Format, list: *const List, items: c_int, pc: usize) {
    // SAFETY: the program passes a format and arguments that fit it; the copy leaves the list alone.
    unsafe {
        let (format, mut list) = (core::slice::from_raw_parts(format.cast(), strlen(format)), list.read());
        let mut left = items;
        for conversion in Conversions(format) {
            left -= c_int::from(conversion.counted);
            if left < 0 {
                return;
            }
            match conversion.stored {
                Stored::Nothing => {}
                Stored::Bytes(size) => writes(pc, list.pointer() as *const u8, size),
                Stored::Text => {
                    let text = list.pointer() as *const c_char;
                    writes(pc, text, strlen(text) + 1);
                }
            }
        }
    }
}

/// Scans with `real`, and records what was stored.
unsafe fn scan(format: Format, arguments: Arguments, pc: usize, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: a `va_list` is passed as a pointer to its first element.
    let list = unsafe { arguments.cast::<List>().read() };
    let items = real();
    if items > 0 && counts(pc) {
        // SAFETY: as the caller says; the list is the one from before the call.
        unsafe { stored(format, &list, items, pc) };
    }
    items
}

/// Each function with a list of arguments, and its twin with the arguments themselves.
macro_rules! scanners {
    ($(
        fn $list:ident / $variadic:ident [$fixed:literal $next:literal] ($([$arg:ident: $ty:ty])? format)
        |$pc:ident| $($after:expr)?;
    )*) => {$(
        const _: () = {
            real_function!(fn $list($($arg: $ty,)? format: Format, arguments: Arguments) -> c_int);

            unsafe extern "C-unwind" fn function($($arg: $ty,)? format: Format, arguments: Arguments) -> c_int {
                let $pc = caller();
                // SAFETY: the program's own arguments.
                unsafe {
                    let items = scan(format, arguments, $pc, || $list($($arg,)? format, arguments));
                    $($after;)?
                    items
                }
            }

            const _: () = {
                trampoline!($list, function);
            };
            variadic!($variadic, $fixed, $next, function);
        };
    )*};
}

scanners! {
    fn vsscanf / sscanf [2 "rdx"] ([text: *const c_char] format) |pc| reads_text(pc, text);
    fn __isoc99_vsscanf / __isoc99_sscanf [2 "rdx"] ([text: *const c_char] format) |pc| reads_text(pc, text);
    fn vfscanf / fscanf [2 "rdx"] ([stream: *mut FILE] format) |pc| acquires(stream, pc);
    fn __isoc99_vfscanf / __isoc99_fscanf [2 "rdx"] ([stream: *mut FILE] format) |pc| acquires(stream, pc);
    fn vscanf / scanf [1 "rsi"] (format) |pc|;
    fn __isoc99_vscanf / __isoc99_scanf [1 "rsi"] (format) |pc|;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(format: &str) -> Vec<Stored> {
        Conversions(format.as_bytes()).map(|conversion| conversion.stored).collect()
    }

    #[test]
    fn conversions_are_found_with_their_sizes() {
        use Stored::{Bytes, Nothing, Text};
        assert_eq!(stored("%d,%hhd %5hu%%%lld %lf"), [Bytes(4), Bytes(1), Bytes(2), Bytes(8), Bytes(8)]);
        assert_eq!(stored("%*d %s %10c %c"), [Nothing, Text, Bytes(10), Bytes(1)]);
        assert_eq!(stored("%[^]] %[]a-z] %n"), [Text, Text, Bytes(4)]);
        assert_eq!(stored("%d %ms %d"), [Bytes(4)]);
        assert_eq!(stored("%"), []);
        assert_eq!(stored("%["), [Text]);
    }
}
