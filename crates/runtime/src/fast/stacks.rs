//! Stacks of threads at addresses that follow from the thread's number, so that what lies on them has the same address in
//! each execution, whoever runs it.

use crate::sys;
use core::ffi::{c_int, c_void};
use libc::pthread_attr_t;

real_function!(fn pthread_attr_getstack(attributes: *const pthread_attr_t, at: *mut *mut c_void, size: *mut usize) -> c_int);
real_function!(fn pthread_attr_setstack(attributes: *mut pthread_attr_t, at: *mut c_void, size: usize) -> c_int);

/// Where they begin: far from everything else.
const START: usize = 0x1000_0000_0000;
/// From one to the next: what is between is a guard.
const APART: usize = 16 << 20;
/// Bytes of a stack.
const SIZE: usize = 8 << 20;

/// The bounds of a thread's stack.
pub const fn bounds(number: u32) -> (usize, usize) {
    let end = START + (number as usize + 1) * APART;
    (end - SIZE, SIZE)
}

/// Does the program leave the stack to libc, and is ours large enough?
pub fn suits(attributes: *const pthread_attr_t) -> bool {
    if attributes.is_null() {
        return true;
    }
    let (mut at, mut size) = (core::ptr::null_mut(), 0);
    // SAFETY: the program's attributes, and locals. libc says an address below all others if none has been chosen.
    unsafe { pthread_attr_getstack(attributes, &mut at, &mut size) == 0 && (at as isize) <= 0 && size <= SIZE }
}

/// Sets the stack of the thread of that number in attributes.
pub fn give(attributes: &mut pthread_attr_t, number: u32) -> bool {
    let (at, size) = bounds(number);
    // SAFETY: the memory is mapped for this, and no one else's.
    sys::map_memory_at(at, size).is_ok() && unsafe { pthread_attr_setstack(attributes, at as *mut c_void, size) } == 0
}
