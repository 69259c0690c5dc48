//! Memory of our own, straight from the kernel and never given back: tables that grow with the program's threads and
//! objects, and what a program asks of `malloc` where no allocator can be found.

use crate::memory::spin::Spin;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};

/// How much is asked of the kernel at a time.
const BLOCK: usize = 1 << 20;

struct Block {
    at: usize,
    left: usize,
}

static BLOCK_IN_USE: Spin<Block> = Spin::new(Block { at: 0, left: 0 });
static EARLY: Spin<[usize; 2]> = Spin::new([0, 0]);
/// Where the early arena begins; zero if there is none. Every `free` looks here.
static EARLY_START: AtomicUsize = AtomicUsize::new(0);

/// Zeroed memory aligned to 64 bytes; none if the kernel has none.
pub fn allocate(size: usize) -> Option<*mut u8> {
    let size = size.checked_add(63)? & !63;
    if size > BLOCK / 4 {
        return sys::map_memory(size).ok();
    }
    let mut block = BLOCK_IN_USE.lock();
    if block.left < size {
        *block = Block { at: sys::map_memory(BLOCK).ok()? as usize, left: BLOCK };
    }
    let at = block.at;
    block.at += size;
    block.left -= size;
    Some(at as *mut u8)
}

/// Takes memory that the program is about to become unable to ask for. What is not used of it costs nothing.
pub fn keep_room() {
    const KEPT: usize = 16 * BLOCK;
    if let Ok(at) = sys::map_memory(KEPT) {
        *BLOCK_IN_USE.lock() = Block { at: at as usize, left: KEPT };
    }
}

/// Memory for callers that will hand it to `free`: see [`owns`].
pub fn allocate_early(size: usize) -> Option<*mut u8> {
    let mut early = EARLY.lock();
    if early[0] == 0 {
        let at = sys::map_memory(BLOCK).ok()? as usize;
        *early = [at, at];
        EARLY_START.store(at, Ordering::Relaxed);
    }
    let size = size.checked_add(63)? & !63;
    if early[1] + size > early[0] + BLOCK {
        return None;
    }
    let at = early[1];
    early[1] += size;
    Some(at as *mut u8)
}

/// Did [`allocate_early`] give this out?
#[inline]
pub fn owns(at: usize) -> bool {
    let start = EARLY_START.load(Ordering::Relaxed);
    start != 0 && at.wrapping_sub(start) < BLOCK
}

/// How many bytes the early arena has from here on.
pub fn bytes_from(at: usize) -> usize {
    (EARLY_START.load(Ordering::Relaxed) + BLOCK).saturating_sub(at)
}

/// In a forked child.
fn reset_locks() {
    BLOCK_IN_USE.reset();
    EARLY.reset();
}
at_fork!(reset_locks);
