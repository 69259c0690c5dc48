//! Freed blocks are kept from reuse for a while in replays, as AddressSanitizer does it: a block that is used after it was freed
//! would otherwise often be another one by then, and the use would look like one of that.
//!
//! The quarantine is bounded: the oldest blocks are given back when there are too many, or when they take too much memory.

use crate::axes;
use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::thread::tls::Section;
use core::ffi::c_void;

/// Blocks that are kept, at most; a power of two.
const MOST: usize = 1 << 14;
/// Bytes of all of them together.
const MOST_BYTES: usize = 64 << 20;
/// Larger blocks are given back at once: the allocator unmaps them, and a later use is a fault.
const LARGEST: usize = 1 << 20;

#[derive(Clone, Copy)]
struct Quarantined {
    at: usize,
    size: usize,
}

struct Quarantine {
    /// A ring of [`MOST`] places; null until the first block comes.
    ring: *mut Quarantined,
    first: usize,
    count: usize,
    bytes: usize,
}

// SAFETY: the ring is memory of our own that no one else points to.
unsafe impl Send for Quarantine {}

static QUARANTINE: Spin<Quarantine> =
    Spin::new(Quarantine { ring: core::ptr::null_mut(), first: 0, count: 0, bytes: 0 });

impl Quarantine {
    /// Is there room for blocks, and memory to note them?
    fn is_ready(&mut self) -> bool {
        if self.ring.is_null()
            && let Some(ring) = arena::allocate(MOST * size_of::<Quarantined>())
        {
            self.ring = ring.cast();
        }
        !self.ring.is_null()
    }

    fn place(&self, index: usize) -> *mut Quarantined {
        // SAFETY: the ring has that many places.
        unsafe { self.ring.add((self.first + index) % MOST) }
    }

    fn push(&mut self, block: Quarantined) {
        // SAFETY: the caller has seen to it that there is room.
        unsafe { self.place(self.count).write(block) };
        self.count += 1;
        self.bytes += block.size;
    }

    fn has(&self, at: usize) -> bool {
        // SAFETY: these places were filled.
        (0..self.count).any(|index| unsafe { (*self.place(index)).at } == at)
    }

    /// The oldest block, if a new one of that size needs its room.
    fn make_room(&mut self, size: usize) -> Option<usize> {
        if self.count == 0 || self.count < MOST && self.bytes + size <= MOST_BYTES {
            return None;
        }
        // SAFETY: the first of those that were pushed.
        let oldest = unsafe { self.place(0).read() };
        self.first = (self.first + 1) % MOST;
        self.count -= 1;
        self.bytes -= oldest.size;
        Some(oldest.at)
    }
}

/// The second word of a kept block says that it is kept, as glibc's own lists of free blocks do it. Where a block that is
/// freed says so, the ring is searched: the program may have written the same word.
struct Marked(*mut usize);

impl Marked {
    /// The mark of a block of that size, if it has room for one.
    fn of(at: *mut c_void, size: usize) -> Option<Self> {
        (size >= 2 * size_of::<usize>()).then(|| Self(at.cast::<usize>().wrapping_add(1)))
    }

    fn word(&self) -> usize {
        self.0 as usize ^ 0x5afe_0f0e_7ace_d0c5
    }

    fn is_set(&self) -> bool {
        // SAFETY: a word of the program's own block, which is aligned.
        unsafe { self.0.read() == self.word() }
    }

    fn set(&self) {
        // SAFETY: a word of a block that the program has freed.
        unsafe { self.0.write(self.word()) };
    }
}

/// Keeps a block of that size instead of freeing it, and frees what has been kept for long enough; false: it is not kept.
pub fn keep(at: *mut c_void, size: usize, free: impl Fn(*mut c_void)) -> bool {
    if !axes::is_replaying() || size > LARGEST {
        return false;
    }
    let _section = Section::nest();
    let mark = Marked::of(at, size);
    if mark.as_ref().is_some_and(Marked::is_set) && QUARANTINE.lock().has(at as usize) {
        // The program frees it twice: the allocator sees both, and says so.
        free(at);
        return false;
    }
    loop {
        let mut quarantine = QUARANTINE.lock();
        if !quarantine.is_ready() {
            return false;
        }
        let Some(oldest) = quarantine.make_room(size) else {
            quarantine.push(Quarantined { at: at as usize, size });
            if let Some(mark) = mark {
                mark.set();
            }
            return true;
        };
        drop(quarantine);
        free(oldest as *mut c_void);
    }
}

/// In a forked child.
fn reset_locks() {
    QUARANTINE.reset();
}
at_fork!(reset_locks);
