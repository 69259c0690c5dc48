//! Mappings: memory of our own, and files that are shared with the tool.

use super::{Result, own_call};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Where our next mapping goes; zero: wherever the kernel likes.
static APART: AtomicUsize = AtomicUsize::new(0);

/// From now on our mappings are far from the program's, which are then the same whatever we record and watch.
pub fn map_apart() {
    APART.store(0x2000_0000_0000, Ordering::Relaxed);
}

/// A hint for the next mapping.
fn place_for(size: usize) -> usize {
    const GAP: usize = 1 << 21;
    match APART.load(Ordering::Relaxed) {
        0 => 0,
        _ => APART.fetch_add(size.next_multiple_of(GAP) + GAP, Ordering::Relaxed),
    }
}

/// Memory that was mapped ahead: its end, and where it begins that is not in use. Zero: there is none.
static AHEAD: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Maps so much memory ahead: what is mapped from now on comes from it.
pub fn keep_mapped(size: usize) -> bool {
    let Ok(at) = map_memory(size) else { return false };
    AHEAD[1].store(at as usize, Ordering::Relaxed);
    AHEAD[0].store(at as usize + size, Ordering::Relaxed);
    true
}

/// Memory that was mapped ahead.
fn take_ahead(size: usize) -> Option<*mut u8> {
    const PAGE: usize = 4096;
    let [end, at] = [0, 1].map(|index: usize| AHEAD[index].load(Ordering::Relaxed));
    let next = at.checked_add(size.next_multiple_of(PAGE)).filter(|next| *next <= end)?;
    AHEAD[1].store(next, Ordering::Relaxed);
    Some(at as *mut u8)
}

/// Maps anonymous memory, zeroed.
pub fn map_memory(size: usize) -> Result<*mut u8> {
    if let Some(at) = take_ahead(size) {
        return Ok(at);
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    call!(SYS_mmap, place_for(size), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1i64, 0).map(|at| at as *mut u8)
}

/// Maps anonymous memory at an address where nothing is.
pub fn map_memory_at(at: usize, size: usize) -> Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    call!(SYS_mmap, at, size, libc::PROT_READ | libc::PROT_WRITE, flags, -1i64, 0).map(drop)
}

/// Maps anonymous memory that processes share which are forked from now on.
pub fn map_shared(size: usize) -> Result<*mut u8> {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    call!(SYS_mmap, place_for(size), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1i64, 0).map(|at| at as *mut u8)
}

/// Where the heap ends.
pub fn heap_end() -> usize {
    call!(SYS_brk, 0).unwrap_or(0) as usize
}

/// Maps a file from its beginning, shared.
pub fn map_file(fd: i32, size: usize) -> Result<*mut u8> {
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    call!(SYS_mmap, place_for(size), size, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0).map(|at| at as *mut u8)
}
