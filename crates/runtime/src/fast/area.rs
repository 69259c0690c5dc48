//! Memory that keeps its content from one execution to the next: the pages as they were, the driver's stack, and a page that
//! the fork server shares.

use crate::sys;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// The most pages that executions write to: to copy back more takes longer than to fork.
pub const MOST_PAGES: usize = 4096;
/// The most ranges of memory.
pub const MOST_RANGES: usize = 512;
/// Bytes of the driver's stack, and of that of its signal handlers.
const STACK: usize = 128 << 10;

/// What fork server and executions share.
#[repr(C)]
pub struct Shared {
    /// One while an execution runs.
    pub busy: AtomicU32,
    /// Why executions have to be forked: one more than the number of a system call, or a [`Reason`]. Zero: they need not.
    pub unsuited: AtomicU32,
    /// Why this execution has to be the last of its process: as above.
    pub last: AtomicU32,
    /// So many threads are needed.
    pub threads: AtomicU32,
}

/// Why executions have to be forked, if that is no system call.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Reason {
    /// Too much memory changes.
    Memory = 1 << 16,
    /// The program chooses the stack of a thread itself.
    Stack,
    /// This system, or something that the program has done before its first thread.
    Other,
    /// The program cancels a thread.
    Cancel,
}

/// A part of the address space.
#[derive(Clone, Copy)]
pub struct Range {
    /// The first address.
    pub start: usize,
    /// The address behind it.
    pub end: usize,
}

/// See the module.
#[repr(C)]
pub struct Area {
    /// The driver's stack pointer while an execution runs.
    pub driver: Cell<usize>,
    /// The main thread's where executions begin.
    pub main: Cell<usize>,
    /// The main thread's thread pointer.
    pub main_pointer: Cell<usize>,
    /// The status that the execution has ended with.
    pub status: Cell<i32>,
    /// The execution has left traces: the process ends with it.
    pub is_last: Cell<bool>,
    /// The end of the heap where executions begin.
    pub heap_end: Cell<usize>,
    /// This execution has moved it.
    pub heap_moved: Cell<bool>,
    /// The pipes to the tool.
    pub pipes: Cell<[i32; 2]>,
    /// How many ranges there are.
    pub ranges: Cell<usize>,
    /// Memory that is put back.
    pub range: [Cell<Range>; MOST_RANGES],
    /// How many pages are copied back.
    pub pages: Cell<usize>,
    /// Their addresses.
    pub page: [Cell<usize>; MOST_PAGES],
    /// The driver's stack.
    pub stack: UnsafeCell<[u8; STACK]>,
    /// The stack of signal handlers.
    pub handlers: UnsafeCell<[u8; STACK]>,
    /// The pages as they were.
    pub copies: UnsafeCell<[[u8; PAGE]; MOST_PAGES]>,
}

static AREA: AtomicPtr<Area> = AtomicPtr::new(core::ptr::null_mut());
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(core::ptr::null_mut());

/// Makes the page that the server shares with executions; none if there is no memory.
pub fn share() -> Option<&'static Shared> {
    let page = sys::map_shared(PAGE).ok()?;
    SHARED.store(page.cast(), Ordering::Relaxed);
    shared().busy.store(1, Ordering::Relaxed);
    Some(shared())
}

/// That page.
pub fn shared() -> &'static Shared {
    // SAFETY: the server has made the page before it forks; zeros are valid.
    unsafe { &*SHARED.load(Ordering::Relaxed) }
}

/// Makes the area; false if there is no memory.
pub fn make() -> bool {
    let Ok(area) = sys::map_memory(size_of::<Area>()) else { return false };
    AREA.store(area.cast(), Ordering::Relaxed);
    true
}

/// The area, once it has been made.
pub fn area() -> &'static Area {
    // SAFETY: it has been made, is never unmapped, and zeros are valid. The process has one thread that runs.
    unsafe { &*AREA.load(Ordering::Relaxed) }
}

/// The bounds of the area.
pub fn bounds() -> Range {
    let start = AREA.load(Ordering::Relaxed) as usize;
    Range { start, end: start + size_of::<Area>() }
}
