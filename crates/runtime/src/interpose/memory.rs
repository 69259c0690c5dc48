//! Memory that comes and goes: a block that is used again is not the block it was.
//!
//! A block's end is recorded before it is given back and its beginning after it was obtained, so that the order of the
//! stamps is the order of its lives.
//!
//! To free a block is to write it, as far as it concerns other threads, if code of the program's own does it: the record
//! has a place then. A library that nobody instrumented may order its threads in ways that nobody sees.

use crate::axes;
use crate::interpose::quarantine;
use crate::memory::arena;
use crate::op::{self, access};
use crate::sink::lines;
use crate::watch::blocks::Origin;
use core::ffi::{c_int, c_void};

real_function!(fn malloc_usable_size(at: *mut c_void) -> usize);
real_function!(fn malloc(size: usize) -> *mut c_void);
real_function!(fn realloc(at: *mut c_void, size: usize) -> *mut c_void);
real_function!(fn free(at: *mut c_void));

/// Is memory of interest? In a program without instrumented code it is not.
#[inline]
fn is_watched() -> bool {
    (axes::is_recording() || axes::is_replaying()) && axes::is_instrumented()
}

/// Does it matter that memory comes into being? In a replay to come it does, already before the first thread.
#[inline]
fn is_noted() -> bool {
    is_watched() || axes::will_watch_accesses() && axes::is_instrumented()
}

/// Records that a block has begun, of which the program has asked for so much. It ends no segment: nobody can have touched
/// the block in this one.
fn begun(at: *mut c_void, size: usize, asked: usize, origin: Origin, pc: usize) {
    if at.is_null() || !is_noted() {
        return;
    }
    op::begin_block(at as usize, size, asked, origin, pc);
}

/// Records that a block is about to end. What this thread did to it in the current segment is written first.
fn ending(at: *mut c_void, size: usize, pc: usize) {
    let writes = access::counts(pc) && access::heeded(lines::WRITE) != 0;
    op::end_block(at as usize, size, pc, writes.then_some(pc));
}

unsafe fn block_begun(at: *mut c_void, asked: usize, pc: usize) -> *mut c_void {
    if !at.is_null() && is_noted() {
        // SAFETY: the block has just been allocated.
        begun(at, unsafe { malloc_usable_size(at) }, asked, Origin::Allocated, pc);
    }
    at
}

unsafe fn block_ending(at: *mut c_void, pc: usize) {
    if !at.is_null() && is_watched() {
        // SAFETY: the program frees a block that it has allocated.
        ending(at, unsafe { malloc_usable_size(at) }, pc);
    }
}

/// Changes a block's size by calling `real`.
unsafe fn resized(at: *mut c_void, size: usize, pc: usize, real: impl FnOnce() -> *mut c_void) -> *mut c_void {
    // SAFETY: the program's own block, and then the new one.
    unsafe {
        block_ending(at, pc);
        let new = moved(at, size).unwrap_or_else(real);
        // A block that could not be moved is still there.
        match new.is_null() && size != 0 {
            true => block_begun(at, if at.is_null() { 0 } else { malloc_usable_size(at) }, pc),
            false => block_begun(new, size, pc),
        };
        new
    }
}

/// In a replay a block whose size changes always moves, and the old one is kept from reuse; none if it is not kept.
unsafe fn moved(at: *mut c_void, size: usize) -> Option<*mut c_void> {
    if at.is_null() || size == 0 || !axes::is_replaying() || !is_watched() {
        return None;
    }
    // SAFETY: the program's own block; the new one is at least as large as what is copied.
    unsafe {
        let old = malloc_usable_size(at);
        let new = malloc(size);
        if new.is_null() {
            return None;
        }
        new.cast::<u8>().copy_from_nonoverlapping(at.cast::<u8>(), old.min(size));
        if !quarantine::keep(at, old, |oldest| free(oldest)) {
            free(at);
        }
        Some(new)
    }
}

/// Where no allocator can be found: memory of ours, which is never given back.
fn early(size: usize) -> *mut c_void {
    arena::allocate_early(size).map_or(core::ptr::null_mut(), <*mut u8>::cast)
}

/// Moves a block of the early arena to the allocator.
unsafe fn leave_arena(at: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the arena's blocks are followed by more of the arena, so `size` bytes can be read or the arena's end cuts.
    unsafe {
        let new = malloc(size);
        if !new.is_null() {
            let size = size.min(arena::bytes_from(at as usize));
            new.cast::<u8>().copy_from_nonoverlapping(at.cast::<u8>(), size);
        }
        new
    }
}

interpose! {
    fn malloc(size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            match REAL.find() {
                Some(real) => block_begun(real(size), size, pc),
                None => early(size),
            }
        }
    }

    fn calloc(count: usize, size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            match REAL.find() {
                Some(real) => block_begun(real(count, size), count.saturating_mul(size), pc),
                None => early(count.saturating_mul(size)),
            }
        }
    }

    fn realloc(at: *mut c_void, size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            if arena::owns(at as usize) {
                return leave_arena(at, size);
            }
            resized(at, size, pc, || real(at, size))
        }
    }

    fn reallocarray(at: *mut c_void, count: usize, size: usize) -> *mut c_void |pc| {
        let Some(bytes) = count.checked_mul(size) else {
            // SAFETY: always valid.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            return core::ptr::null_mut();
        };
        // The real one calls `realloc` by its public name, which would record the block again.
        // SAFETY: the program's own arguments.
        unsafe { resized(at, bytes, pc, || realloc(at, bytes)) }
    }

    fn free(at: *mut c_void) |pc| {
        if arena::owns(at as usize) {
            return;
        }
        // SAFETY: the program's own arguments.
        unsafe {
            block_ending(at, pc);
            let is_kept = !at.is_null()
                && is_watched()
                && quarantine::keep(at, malloc_usable_size(at), |oldest| real(oldest));
            if !is_kept {
                real(at)
            }
        }
    }

    fn memalign(alignment: usize, size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { block_begun(real(alignment, size), size, pc) }
    }

    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { block_begun(real(alignment, size), size, pc) }
    }

    fn valloc(size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { block_begun(real(size), size, pc) }
    }

    fn pvalloc(size: usize) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { block_begun(real(size), size, pc) }
    }

    fn posix_memalign(at: *mut *mut c_void, alignment: usize, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(at, alignment, size);
            if result == 0 {
                block_begun(*at, size, pc);
            }
            result
        }
    }

    fn mmap(at: *mut c_void, size: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { mapped(real(at, size, protection, flags, fd, offset), size, pc) }
    }

    fn mmap64(at: *mut c_void, size: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void |pc| {
        // SAFETY: the program's own arguments.
        unsafe { mapped(real(at, size, protection, flags, fd, offset), size, pc) }
    }

    fn munmap(at: *mut c_void, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let unmap = || unsafe { real(at, size) };
        if !is_watched() || !is_mappable(at, size) {
            return unmap();
        }
        ending(at, size, pc);
        crate::interpose::undo_if_failed(pc, unmap())
    }
}

/// Could there be a mapping? What the kernel refuses is no end of anything.
fn is_mappable(at: *mut c_void, size: usize) -> bool {
    const PAGE: usize = 4096;
    (at as usize).is_multiple_of(PAGE) && size > 0
}

fn mapped(at: *mut c_void, size: usize, pc: usize) -> *mut c_void {
    if at != libc::MAP_FAILED {
        begun(at, size, size, Origin::Mapped, pc);
    }
    at
}
