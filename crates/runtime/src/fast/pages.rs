//! Memory that is put back after each execution.
//!
//! All writable memory is protected at first. The first write to a page, of all executions, is a fault: the page is copied,
//! and is writable from then on. After each execution all pages that were ever written are copied back. To copy some
//! hundred pages takes less time than to find out which of them have changed.
//!
//! The kernel does not write to protected memory but fails; so system calls that write are seen first (`calls`), which
//! write to the memory themselves ([`touch`]).

use super::area::{Area, MOST_PAGES, MOST_RANGES, PAGE, Range, area, bounds};
use super::switch::call;
use crate::memory::lasting;
use crate::sys;

/// Our own mappings begin here, and end below the program's.
const OURS: (usize, usize) = (0x2000_0000_0000, 0x5000_0000_0000);
/// So far a stack may grow.
const STACK: usize = 8 << 20;

/// Lists all writable memory; false if there is too much of it, or memory that is shared with others.
pub fn list(area: &Area) -> bool {
    let Ok(maps) = sys::open(b"/proc/self/maps\0", libc::O_RDONLY, 0) else { return false };
    let (mut text, mut held, mut sound) = ([0u8; 4096], 0, true);
    loop {
        let read = sys::read(maps, &mut text[held..]);
        if read == 0 {
            break;
        }
        held += read;
        let mut begin = 0;
        while let Some(length) = text[begin..held].iter().position(|byte| *byte == b'\n') {
            sound &= add(area, &text[begin..begin + length]);
            begin += length + 1;
        }
        text.copy_within(begin..held, 0);
        held -= begin;
    }
    sys::close(maps);
    sound && held == 0
}

/// A line such as `7ffff7f9c000-7ffff7f9e000 rw-p 00000000 00:00 0`.
fn add(area: &Area, line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let Some((bounds, rights)) = words.next().zip(words.next()) else { return false };
    let Some(range) = parse(bounds) else { return false };
    if rights.get(1) != Some(&b'w') || is_own(range) {
        return true;
    }
    if rights.get(3) != Some(&b'p') {
        return range.start >= OURS.0 && range.end <= OURS.1;
    }
    add_without_kept(area, range)
}

/// Lists a range, but for what keeps its content.
fn add_without_kept(area: &Area, mut range: Range) -> bool {
    let kept =
        |range: Range| lasting::kept().filter(move |(start, end)| *start < range.end && range.start < *end).min();
    while let Some((start, end)) = kept(range) {
        if !put(area, Range { end: start, ..range }) {
            return false;
        }
        range.start = end;
    }
    put(area, range)
}

fn put(area: &Area, range: Range) -> bool {
    let count = area.ranges.get();
    let room = count < MOST_RANGES;
    if room && range.start < range.end {
        area.range[count].set(range);
        area.ranges.set(count + 1);
    }
    room
}

fn is_own(range: Range) -> bool {
    let own = bounds();
    range.start < own.end && own.start < range.end
}

fn parse(bounds: &[u8]) -> Option<Range> {
    let mut ends = bounds.split(|byte| *byte == b'-');
    let mut end = || usize::from_str_radix(core::str::from_utf8(ends.next()?).ok()?, 16).ok();
    Some(Range { start: end()?, end: end()? })
}

/// Protects all that is listed, but for the pages of the thread pointer, which the kernel writes to when it likes.
pub fn protect(area: &Area) {
    let own = area.main_pointer.get() & !(PAGE - 1);
    for range in ranges(area) {
        allow(range.start, range.end - range.start, libc::PROT_READ);
    }
    for page in [own - PAGE, own, own + PAGE] {
        save(area, page);
    }
}

/// Nothing is protected any more, and nothing will be put back.
pub fn unprotect(area: &Area) {
    for range in ranges(area) {
        allow(range.start, range.end - range.start, libc::PROT_READ | libc::PROT_WRITE);
    }
}

fn ranges(area: &Area) -> impl Iterator<Item = Range> {
    area.range[..area.ranges.get()].iter().map(core::cell::Cell::get)
}

fn allow(at: usize, size: usize, protection: i32) -> bool {
    // SAFETY: the program's own memory, which stays readable.
    unsafe { call(libc::SYS_mprotect, [at as u64, size as u64, protection as u64, 0, 0, 0]) == 0 }
}

/// Is the page protected by us, unless it has been written to before? Below the main thread's stack that may grow.
fn is_protected(area: &Area, page: usize) -> bool {
    let stack = area.main.get();
    let grows = |range: Range| range.start <= stack && stack < range.end && page < range.start;
    ranges(area).any(|range| range.start <= page && page < range.end || grows(range) && range.start - page <= STACK)
}

/// The page is about to be written to for the first time. False: it is none of the protected ones, or there are too many.
pub fn save(area: &Area, page: usize) -> bool {
    let count = area.pages.get();
    if count == MOST_PAGES || !is_protected(area, page) {
        return false;
    }
    // SAFETY: the page is readable, and the copy is ours.
    unsafe {
        let copy = area.copies.get().cast::<u8>().add(count * PAGE);
        copy.copy_from_nonoverlapping(page as *const u8, PAGE);
    }
    if !allow(page, PAGE, libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    area.page[count].set(page);
    area.pages.set(count + 1);
    true
}

/// Puts back what was written.
pub fn restore(area: &Area) {
    for (index, page) in area.page[..area.pages.get()].iter().enumerate() {
        // SAFETY: the page is writable, and nothing else refers to it now: the driver runs on a stack of its own.
        unsafe {
            let copy = area.copies.get().cast::<u8>().add(index * PAGE);
            (page.get() as *mut u8).copy_from_nonoverlapping(copy, PAGE);
        }
    }
    if area.heap_moved.replace(false) {
        // SAFETY: what was allocated since is not used any more.
        unsafe { call(libc::SYS_brk, [area.heap_end.get() as u64, 0, 0, 0, 0, 0]) };
    }
}

/// The kernel is about to write here.
pub fn touch(at: usize, size: usize) {
    let area = area();
    let mut page = at & !(PAGE - 1);
    while at != 0 && page < at.saturating_add(size) {
        let known = area.page[..area.pages.get()].iter().any(|known| known.get() == page);
        if !known {
            save(area, page);
        }
        page += PAGE;
    }
}
