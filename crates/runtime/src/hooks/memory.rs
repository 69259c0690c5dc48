//! Copies and fills that clang emits for instrumented code: accesses and the operation itself.

use crate::op::access::access;
use crate::sink::lines::{READ, WRITE};
use core::ffi::{c_int, c_void};

real_function!(fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void);
real_function!(fn memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void);

exported! {
    /// `memcpy` by instrumented code.
    fn __tsan_memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void |pc| {
        access(from as usize, bytes, READ, pc);
        access(to as usize, bytes, WRITE, pc);
        // SAFETY: the program's own arguments. Compilers copy a block onto itself this way, so it is a move.
        unsafe { memmove(to, from, bytes) }
    }

    /// `memmove` by instrumented code.
    fn __tsan_memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void |pc| {
        access(from as usize, bytes, READ, pc);
        access(to as usize, bytes, WRITE, pc);
        // SAFETY: the program's own arguments.
        unsafe { memmove(to, from, bytes) }
    }

    /// `memset` by instrumented code.
    fn __tsan_memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void |pc| {
        access(to as usize, bytes, WRITE, pc);
        // SAFETY: the program's own arguments.
        unsafe { memset(to, value, bytes) }
    }
}
