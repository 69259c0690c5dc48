//! Functions on wide characters: `wcs*` and `wmem*`.

use crate::op::access::{counts, reads, writes};
use core::ffi::c_int;
use libc::wchar_t;

type Text = *const wchar_t;
type Buffer = *mut wchar_t;

const WIDTH: usize = size_of::<wchar_t>();

real_function!(fn wcslen(text: Text) -> usize);
real_function!(fn wcsnlen(text: Text, most: usize) -> usize);

/// Bytes of a string with its end.
unsafe fn whole(text: Text) -> usize {
    // SAFETY: the caller passes a string.
    unsafe { (wcslen(text) + 1) * WIDTH }
}

unsafe fn reads_text(pc: usize, text: Text) {
    if counts(pc) {
        // SAFETY: the caller passes a string.
        reads(pc, text, unsafe { whole(text) });
    }
}

unsafe fn copies(pc: usize, to: Buffer, from: Text) {
    if counts(pc) {
        // SAFETY: the caller passes a string.
        let bytes = unsafe { whole(from) };
        reads(pc, from, bytes);
        writes(pc, to, bytes);
    }
}

unsafe fn appends(pc: usize, to: Buffer, from: Text, most: usize) {
    if counts(pc) {
        // SAFETY: the caller passes two strings, the second perhaps bounded.
        unsafe {
            let (start, added) = (wcslen(to), wcsnlen(from, most));
            reads(pc, to, (start + 1) * WIDTH);
            reads(pc, from, (added + 1).min(most) * WIDTH);
            writes(pc, to.add(start), (added + 1) * WIDTH);
        }
    }
}

unsafe fn reads_common(pc: usize, left: Text, right: Text, most: usize) {
    if !counts(pc) {
        return;
    }
    let mut length = 0;
    // SAFETY: both are strings, or have `most` characters, and the loop ends at the end of either.
    unsafe {
        while length < most {
            let (left, right) = (*left.add(length), *right.add(length));
            length += 1;
            if left == 0 || left != right {
                break;
            }
        }
    }
    reads(pc, left, length * WIDTH);
    reads(pc, right, length * WIDTH);
}

interpose! {
    fn wcslen(text: Text) -> usize |pc| {
        // SAFETY: the program's own arguments.
        let length = unsafe { real(text) };
        reads(pc, text, (length + 1) * WIDTH);
        length
    }

    fn wcsnlen(text: Text, most: usize) -> usize |pc| {
        // SAFETY: the program's own arguments.
        let length = unsafe { real(text, most) };
        reads(pc, text, (length + 1).min(most) * WIDTH);
        length
    }

    fn wcscpy(to: Buffer, from: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            copies(pc, to, from);
            real(to, from)
        }
    }

    fn wcsncpy(to: Buffer, from: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            if counts(pc) {
                reads(pc, from, (wcsnlen(from, most) + 1).min(most) * WIDTH);
            }
            writes(pc, to, most * WIDTH);
            real(to, from, most)
        }
    }

    fn wcscat(to: Buffer, from: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, usize::MAX / WIDTH);
            real(to, from)
        }
    }

    fn wcsncat(to: Buffer, from: Text, most: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            appends(pc, to, from, most);
            real(to, from, most)
        }
    }

    fn wcscmp(left: Text, right: Text) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, usize::MAX);
            real(left, right)
        }
    }

    fn wcsncmp(left: Text, right: Text, most: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_common(pc, left, right, most);
            real(left, right, most)
        }
    }

    fn wcschr(text: Text, wide: wchar_t) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let found = real(text, wide);
            match (found as usize).checked_sub(text as usize) {
                Some(bytes) => reads(pc, text, bytes + WIDTH),
                None => reads_text(pc, text),
            }
            found
        }
    }

    fn wcsrchr(text: Text, wide: wchar_t) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text, wide)
        }
    }

    fn wcsdup(text: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text)
        }
    }

    fn wmemcpy(to: Buffer, from: Text, count: usize) -> Buffer |pc| {
        reads(pc, from, count * WIDTH);
        writes(pc, to, count * WIDTH);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, count) }
    }

    fn wmemmove(to: Buffer, from: Text, count: usize) -> Buffer |pc| {
        reads(pc, from, count * WIDTH);
        writes(pc, to, count * WIDTH);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, count) }
    }

    fn wmemset(to: Buffer, wide: wchar_t, count: usize) -> Buffer |pc| {
        writes(pc, to, count * WIDTH);
        // SAFETY: the program's own arguments.
        unsafe { real(to, wide, count) }
    }

    fn wmemcmp(left: Text, right: Text, count: usize) -> c_int |pc| {
        reads(pc, left, count * WIDTH);
        reads(pc, right, count * WIDTH);
        // SAFETY: the program's own arguments.
        unsafe { real(left, right, count) }
    }

    fn wmemchr(text: Text, wide: wchar_t, count: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        let found = unsafe { real(text, wide, count) };
        let bytes = (found as usize).checked_sub(text as usize).map_or(count * WIDTH, |bytes| bytes + WIDTH);
        reads(pc, text, bytes);
        found
    }
}
