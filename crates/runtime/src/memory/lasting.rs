//! Memory that stays where it is from one execution to the next, although all other memory is put back (`fast`).
//!
//! *Tables* of where things lie keep their content. *Contents* are put back, but whoever has taken memory for something
//! finds it in the same place in the next execution. Otherwise the place would depend on the order in which things are used
//! first, and more and more memory would have to be put back.

use crate::memory::arena;
use crate::sys;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A value that shares its pages with no other.
#[repr(C, align(4096))]
pub struct Apart<T>(pub T);

/// Bytes of all tables, and of all contents. What is not used costs nothing.
const TABLES: usize = 64 << 20;
const CONTENTS: usize = 256 << 20;
/// The most ranges that keep their content.
const MOST: usize = 64;

/// Memory that is handed out from its beginning.
struct Room {
    at: AtomicUsize,
    end: AtomicUsize,
}

impl Room {
    const fn new() -> Self {
        Self { at: AtomicUsize::new(0), end: AtomicUsize::new(0) }
    }

    fn open(&self, size: usize) -> Option<usize> {
        let at = sys::map_memory(size).ok()? as usize;
        self.end.store(at + size, Ordering::Relaxed);
        self.at.store(at, Ordering::Relaxed);
        Some(at)
    }

    fn take(&self, size: usize) -> Option<*mut u8> {
        let at = self.at.load(Ordering::Relaxed);
        let next = at.checked_add(size.next_multiple_of(64)).filter(|next| *next <= self.end.load(Ordering::Relaxed));
        match next {
            Some(next) => self.at.store(next, Ordering::Relaxed),
            None => IN_USE.0.is_exhausted.store(true, Ordering::Relaxed),
        }
        next.map(|_| at as *mut u8)
    }
}

struct InUse {
    tables: Room,
    contents: Room,
    is_exhausted: AtomicBool,
    /// Ranges that keep their content: where they begin, and where they end.
    kept: [[AtomicUsize; 2]; MOST],
    count: AtomicUsize,
}

static IN_USE: Apart<InUse> = Apart(InUse {
    tables: Room::new(),
    contents: Room::new(),
    is_exhausted: AtomicBool::new(false),
    kept: [const { [const { AtomicUsize::new(0) }; 2] }; MOST],
    count: AtomicUsize::new(0),
});

/// From now on tables and contents last; false if there is no memory for them. The process has one thread that runs.
pub fn open() -> bool {
    keep((&raw const IN_USE).addr(), size_of_val(&IN_USE));
    let tables = IN_USE.0.tables.open(TABLES);
    tables.is_some_and(|at| keep(at, TABLES)) && IN_USE.0.contents.open(CONTENTS).is_some()
}

fn is_open() -> bool {
    IN_USE.0.contents.end.load(Ordering::Relaxed) != 0
}

/// These whole pages keep their content; false if there are too many ranges.
pub fn keep(start: usize, size: usize) -> bool {
    let count = IN_USE.0.count.load(Ordering::Relaxed);
    let Some([first, end]) = IN_USE.0.kept.get(count) else {
        IN_USE.0.is_exhausted.store(true, Ordering::Relaxed);
        return false;
    };
    first.store(start, Ordering::Relaxed);
    end.store(start + size, Ordering::Relaxed);
    IN_USE.0.count.store(count + 1, Ordering::Relaxed);
    true
}

/// What keeps its content: where each range begins, and where it ends.
pub fn kept() -> impl Iterator<Item = (usize, usize)> {
    let all = &IN_USE.0.kept[..IN_USE.0.count.load(Ordering::Relaxed)];
    all.iter().map(|[first, end]| (first.load(Ordering::Relaxed), end.load(Ordering::Relaxed)))
}

/// Was more asked for than there is?
pub fn is_exhausted() -> bool {
    IN_USE.0.is_exhausted.load(Ordering::Relaxed)
}

/// Zeroed memory for a table.
pub fn table(size: usize) -> Option<*mut u8> {
    if is_open() {
        return IN_USE.0.tables.take(size);
    }
    let table = sys::map_memory(size).ok()?;
    keep(table.addr(), size);
    Some(table)
}

/// Zeroed memory that a table refers to.
pub fn content(size: usize) -> Option<*mut u8> {
    if is_open() { IN_USE.0.contents.take(size) } else { arena::allocate(size) }
}
