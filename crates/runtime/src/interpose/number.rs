//! Functions that read numbers from strings: they look at the characters up to the one they stop at.

use crate::op::access::{counts, fills, reads};
use core::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong};

/// The characters a conversion looked at, and the pointer it left to the caller.
unsafe fn converted(pc: usize, text: *const c_char, stop: *const c_char, end: *mut *mut c_char) {
    if counts(pc) {
        reads(pc, text, (stop as usize).wrapping_sub(text as usize) + 1);
        fills(pc, end);
    }
}

/// A conversion: `end`, if not null, takes the place where it stopped.
macro_rules! conversions {
    ($(fn $name:ident($($base:ident)?) -> $ret:ty;)*) => {
        interpose! {$(
            fn $name(text: *const c_char, end: *mut *mut c_char $(, $base: c_int)?) -> $ret |pc| {
                let mut stop = core::ptr::null_mut();
                // SAFETY: the program's own arguments; where it passes no place for the end, we do.
                unsafe {
                    let number = real(text, &mut stop $(, $base)?);
                    converted(pc, text, stop, end);
                    if !end.is_null() {
                        end.write(stop);
                    }
                    number
                }
            }
        )*}
    };
}

conversions! {
    fn strtol(base) -> c_long;
    fn strtoul(base) -> c_ulong;
    fn strtoll(base) -> c_longlong;
    fn strtoull(base) -> c_ulonglong;
    fn strtoimax(base) -> i64;
    fn strtoumax(base) -> u64;
    fn strtod() -> f64;
    fn strtof() -> f32;
}
