//! Functions on strings: `str*`, and the checking variants that headers turn calls into.
//!
//! What a function reads is what the standard lets it look at: a whole string with its end, both strings up to where
//! they differ, the characters up to the one that was found.

use crate::op::access::{counts, reads, writes};
use crate::op::text::{bounded, reads_text, strlen, strnlen, whole};
use core::ffi::{c_char, c_int};

type Text = *const c_char;
type Buffer = *mut c_char;

unsafe fn reads_bounded(pc: usize, text: Text, most: usize) {
    if counts(pc) {
        // SAFETY: the caller passes a string, or `most` bytes.
        reads(pc, text, unsafe { bounded(text, most) });
    }
}

/// Both strings have been compared, up to where `same` first does not hold or the strings end.
unsafe fn reads_common(pc: usize, left: Text, right: Text, most: usize, same: fn(u8, u8) -> bool) {
    if !counts(pc) {
        return;
    }
    let mut length = 0;
    // SAFETY: both are strings, or have `most` bytes, and the loop ends at the end of either.
    unsafe {
        while length < most {
            let (left, right) = (*left.add(length) as u8, *right.add(length) as u8);
            length += 1;
            if left == 0 || !same(left, right) {
                break;
            }
        }
    }
    reads(pc, left, length);
    reads(pc, right, length);
}

fn equal(left: u8, right: u8) -> bool {
    left == right
}

fn equal_letters(left: u8, right: u8) -> bool {
    left.eq_ignore_ascii_case(&right)
}

/// A string has been read up to what was found in it, or to its end.
unsafe fn reads_until(pc: usize, text: Text, found: Text) {
    if counts(pc) {
        let found = (found as usize).checked_sub(text as usize);
        // SAFETY: the caller passes a string.
        reads(pc, text, unsafe { found.map_or_else(|| whole(text), |length| length + 1) });
    }
}

/// A string has been copied with its end.
unsafe fn copies(pc: usize, to: Buffer, from: Text) {
    if counts(pc) {
        // SAFETY: the caller passes a string.
        let bytes = unsafe { whole(from) };
        reads(pc, from, bytes);
        writes(pc, to, bytes);
    }
}

/// A string has been copied behind another.
unsafe fn appends(pc: usize, to: Buffer, from: Text, most: usize) {
    if counts(pc) {
        // SAFETY: the caller passes two strings, the second perhaps bounded.
        unsafe {
            let (start, added) = (strlen(to), strnlen(from, most));
            reads(pc, to, start + 1);
            reads(pc, from, bounded(from, most));
            writes(pc, to.add(start), added + 1);
        }
    }
}

interpose! {
    fn strlen(text: Text) -> usize as ft_interposed_strlen |pc| {
        // SAFETY: the program's own arguments.
        let length = unsafe { real(text) };
        reads(pc, text, length + 1);
        length
    }

    fn strnlen(text: Text, most: usize) -> usize |pc| {
        // SAFETY: the program's own arguments.
        let length = unsafe { real(text, most) };
        reads(pc, text, (length + 1).min(most));
        length
    }

    fn strcpy(to: Buffer, from: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            copies(pc, to, from);
            real(to, from)
        }
    }

    fn stpcpy(to: Buffer, from: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            copies(pc, to, from);
            real(to, from)
        }
    }

    fn strncpy(to: Buffer, from: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_bounded(pc, from, most);
            writes(pc, to, most);
            real(to, from, most)
        }
    }

    fn stpncpy(to: Buffer, from: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_bounded(pc, from, most);
            writes(pc, to, most);
            real(to, from, most)
        }
    }

    fn strcat(to: Buffer, from: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, usize::MAX);
            real(to, from)
        }
    }

    fn strncat(to: Buffer, from: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, most);
            real(to, from, most)
        }
    }

    fn strcmp(left: Text, right: Text) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, usize::MAX, equal);
            real(left, right)
        }
    }

    fn strncmp(left: Text, right: Text, most: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, most, equal);
            real(left, right, most)
        }
    }

    fn strcasecmp(left: Text, right: Text) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, usize::MAX, equal_letters);
            real(left, right)
        }
    }

    fn strncasecmp(left: Text, right: Text, most: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, most, equal_letters);
            real(left, right, most)
        }
    }

    fn strcoll(left: Text, right: Text) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, left);
            reads_text(pc, right);
            real(left, right)
        }
    }

    fn strchr(text: Text, byte: c_int) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let found = real(text, byte);
            reads_until(pc, text, found);
            found
        }
    }

    fn strchrnul(text: Text, byte: c_int) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let found = real(text, byte);
            reads_until(pc, text, found);
            found
        }
    }

    fn strrchr(text: Text, byte: c_int) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text, byte)
        }
    }

    fn strstr(text: Text, wanted: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            reads_text(pc, wanted);
            real(text, wanted)
        }
    }

    fn strcasestr(text: Text, wanted: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            reads_text(pc, wanted);
            real(text, wanted)
        }
    }

    fn strspn(text: Text, set: Text) -> usize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let length = real(text, set);
            reads(pc, text, length + 1);
            reads_text(pc, set);
            length
        }
    }

    fn strcspn(text: Text, set: Text) -> usize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let length = real(text, set);
            reads(pc, text, length + 1);
            reads_text(pc, set);
            length
        }
    }

    fn strpbrk(text: Text, set: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let found = real(text, set);
            reads_until(pc, text, found);
            reads_text(pc, set);
            found
        }
    }

    fn strdup(text: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text)
        }
    }

    fn __strdup(text: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text)
        }
    }

    fn strndup(text: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_bounded(pc, text, most);
            real(text, most)
        }
    }

    fn __strndup(text: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_bounded(pc, text, most);
            real(text, most)
        }
    }

    fn strxfrm(to: Buffer, from: Text, room: usize) -> usize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, from);
            let length = real(to, from, room);
            writes(pc, to, (length + 1).min(room));
            length
        }
    }

    fn __strcpy_chk(to: Buffer, from: Text, room: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            copies(pc, to, from);
            real(to, from, room)
        }
    }

    fn __stpcpy_chk(to: Buffer, from: Text, room: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            copies(pc, to, from);
            real(to, from, room)
        }
    }

    fn __strncpy_chk(to: Buffer, from: Text, most: usize, room: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_bounded(pc, from, most);
            writes(pc, to, most);
            real(to, from, most, room)
        }
    }

    fn __strcat_chk(to: Buffer, from: Text, room: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, usize::MAX);
            real(to, from, room)
        }
    }

    fn __strncat_chk(to: Buffer, from: Text, most: usize, room: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, most);
            real(to, from, most, room)
        }
    }
}
