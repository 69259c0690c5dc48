//! Functions on blocks of bytes: `mem*`, the BSD ones, and the checking variants that headers turn calls into.
//!
//! Accesses belong to the segment they are in, so they are noted after the call, when it is known how far it went.

use crate::op::access::{reads, writes};
use core::ffi::{c_int, c_void};

/// How far a search went: up to what it found, or to the end.
fn searched(from: *const c_void, found: *const c_void, most: usize) -> usize {
    if found.is_null() { most } else { (found as usize).wrapping_sub(from as usize) + 1 }
}

interpose! {
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void as ft_interposed_memcpy |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes) }
    }

    fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void as ft_interposed_memmove |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes) }
    }

    fn memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void as ft_interposed_memset |pc| {
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, value, bytes) }
    }

    fn memcmp(left: *const c_void, right: *const c_void, bytes: usize) -> c_int as ft_interposed_memcmp |pc| {
        reads(pc, left, bytes);
        reads(pc, right, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(left, right, bytes) }
    }

    fn bcmp(left: *const c_void, right: *const c_void, bytes: usize) -> c_int as ft_interposed_bcmp |pc| {
        reads(pc, left, bytes);
        reads(pc, right, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(left, right, bytes) }
    }

    fn mempcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes) }
    }

    fn memccpy(to: *mut c_void, from: *const c_void, stop: c_int, bytes: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        let after = unsafe { real(to, from, stop, bytes) };
        let copied = if after.is_null() { bytes } else { (after as usize).wrapping_sub(to as usize) };
        reads(pc, from, copied);
        writes(pc, to, copied);
        after
    }

    fn memchr(from: *const c_void, byte: c_int, bytes: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        let found = unsafe { real(from, byte, bytes) };
        reads(pc, from, searched(from, found, bytes));
        found
    }

    fn memrchr(from: *const c_void, byte: c_int, bytes: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        let found = unsafe { real(from, byte, bytes) };
        let start = if found.is_null() { from } else { found };
        reads(pc, start, bytes.wrapping_sub((start as usize).wrapping_sub(from as usize)));
        found
    }

    fn memmem(hay: *const c_void, bytes: usize, needle: *const c_void, length: usize) -> *mut c_void |pc| {
        reads(pc, hay, bytes);
        reads(pc, needle, length);
        // SAFETY: the program's own arguments.
        unsafe { real(hay, bytes, needle, length) }
    }

    fn bcopy(from: *const c_void, to: *mut c_void, bytes: usize) |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(from, to, bytes) }
    }

    fn bzero(to: *mut c_void, bytes: usize) |pc| {
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, bytes) }
    }

    fn explicit_bzero(to: *mut c_void, bytes: usize) |pc| {
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, bytes) }
    }

    fn __memcpy_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes, room) }
    }

    fn __memmove_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes, room) }
    }

    fn __mempcpy_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void |pc| {
        reads(pc, from, bytes);
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, from, bytes, room) }
    }

    fn __memset_chk(to: *mut c_void, value: c_int, bytes: usize, room: usize) -> *mut c_void |pc| {
        writes(pc, to, bytes);
        // SAFETY: the program's own arguments.
        unsafe { real(to, value, bytes, room) }
    }
}
