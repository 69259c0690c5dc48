//! Strings that functions read or write for their callers.

use crate::op::access::{counts, reads, writes};
use core::ffi::c_char;

real_function!(pub fn strlen(text: *const c_char) -> usize);
real_function!(pub fn strnlen(text: *const c_char, most: usize) -> usize);

/// Bytes of a string with its end.
pub unsafe fn whole(text: *const c_char) -> usize {
    // SAFETY: the caller passes a string.
    unsafe { strlen(text) + 1 }
}

/// Bytes looked at of a string of at most this many.
pub unsafe fn bounded(text: *const c_char, most: usize) -> usize {
    // SAFETY: the caller passes a string, or `most` bytes.
    unsafe { (strnlen(text, most) + 1).min(most) }
}

/// The caller at `pc` has had a string read to its end. Null is no string.
pub unsafe fn reads_text(pc: usize, text: *const c_char) {
    if counts(pc) && !text.is_null() {
        // SAFETY: the caller passes a string.
        reads(pc, text, unsafe { whole(text) });
    }
}

/// The caller at `pc` has been given a string.
pub unsafe fn writes_text(pc: usize, text: *const c_char) {
    if counts(pc) && !text.is_null() {
        // SAFETY: the caller passes a string.
        writes(pc, text, unsafe { whole(text) });
    }
}
