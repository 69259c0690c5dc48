//! The functions of libc that compiled Rust code calls by itself. The build gives our own references these names,
//! because the plain names are the interposed functions (exported as `ft_interposed_…` and renamed), whose calls are the
//! program's.
//!
//! Short rather than fast: what is copied here is small. None may contain a loop that the compiler would turn into a
//! call of itself.

use core::arch::asm;
use core::ffi::{c_char, c_int};

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's blocks have this many bytes; the direction flag is clear, as the ABI has it.
    unsafe {
        asm!("rep movsb", inout("rcx") bytes => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= bytes {
        // SAFETY: going forwards, no byte is written before it is read.
        return unsafe { ft_internal_memcpy(to, from, bytes) };
    }
    // SAFETY: the blocks overlap, so they are not empty; going backwards, no byte is written before it is read. The
    // direction flag is clear again at the end.
    unsafe {
        asm!("std", "rep movsb", "cld",
            inout("rcx") bytes => _, inout("rdi") to.add(bytes - 1) => _, inout("rsi") from.add(bytes - 1) => _,
            options(nostack));
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_memset(to: *mut u8, value: c_int, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's block has this many bytes; the direction flag is clear.
    unsafe {
        asm!("rep stosb", inout("rcx") bytes => _, inout("rdi") to => _, in("al") value as u8,
            options(nostack, preserves_flags));
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_memcmp(left: *const u8, right: *const u8, bytes: usize) -> c_int {
    for index in 0..bytes {
        // SAFETY: the caller's blocks have this many bytes; volatile, so that this stays a loop.
        let (left, right) = unsafe { (left.add(index).read_volatile(), right.add(index).read_volatile()) };
        if left != right {
            return c_int::from(left) - c_int::from(right);
        }
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_bcmp(left: *const u8, right: *const u8, bytes: usize) -> c_int {
    // SAFETY: the caller's blocks have this many bytes.
    unsafe { ft_internal_memcmp(left, right, bytes) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ft_internal_strlen(text: *const c_char) -> usize {
    let mut length = 0;
    // SAFETY: the caller's text ends with zero; volatile, so that this stays a loop.
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn moves_within_a_block_in_both_directions() {
        for (to, from) in [(0, 3), (3, 0), (2, 2), (0, 8), (8, 0)] {
            let mut ours: Vec<u8> = (0..20).collect();
            let mut theirs = ours.clone();
            theirs.copy_within(from..from + 8, to);
            // SAFETY: both blocks lie in the vector.
            unsafe { ft_internal_memmove(ours.as_mut_ptr().add(to), ours.as_ptr().add(from), 8) };
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "inline assembly")]
    fn compares_fills_and_measures() {
        let mut block = [7u8; 9];
        // SAFETY: the lengths are those of the arrays.
        unsafe {
            ft_internal_memset(block.as_mut_ptr().add(1), 0x1ff, 7);
            assert_eq!(block, [7, 255, 255, 255, 255, 255, 255, 255, 7]);
            assert!(ft_internal_memcmp(block.as_ptr(), [7, 254].as_ptr(), 2) > 0);
            assert_eq!(ft_internal_bcmp(block.as_ptr(), [7, 254].as_ptr(), 1), 0);
            assert_eq!(ft_internal_strlen(c"four".as_ptr()), 4);
        }
    }
}
