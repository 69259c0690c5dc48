//! Is this the process whose recording it is, or a copy of it that nobody has announced?
//!
//! A process that is forked past libc (by a system call of its own) has the parent's memory, the recording's mapping
//! included, and would go on writing in the parent's name. The kernel empties a page of ours in every forked child; whoever
//! is about to write looks there first.
//!
//! *What it misses*: until such a child comes to an operation, or to a line that is not in its table, its accesses count as
//! the parent's. A child that shares the parent's memory (`CLONE_VM` without a thread's own storage) is not told apart.

use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

static ALWAYS: AtomicU8 = AtomicU8::new(1);
/// One in the process that made the recording, zero in its children. Where the kernel cannot do that, always one.
static OWN: AtomicPtr<AtomicU8> = AtomicPtr::new((&raw const ALWAYS).cast_mut());

/// This process has begun a recording.
pub fn settle() {
    const SIZE: usize = 4096;
    if core::ptr::eq(OWN.load(Ordering::Relaxed), &raw const ALWAYS)
        && let Ok(page) = sys::map_memory(SIZE)
        && sys::empty_in_children(page, SIZE).is_ok()
    {
        OWN.store(page.cast(), Ordering::Relaxed);
    }
    own().store(1, Ordering::Relaxed);
}

/// Is this still that process?
#[inline]
pub fn is_own() -> bool {
    own().load(Ordering::Relaxed) != 0
}

#[inline]
fn own() -> &'static AtomicU8 {
    // SAFETY: it points to a static or to a page that is never unmapped.
    unsafe { &*OWN.load(Ordering::Relaxed) }
}
