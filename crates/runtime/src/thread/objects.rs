//! What is known of the things threads synchronise with: their clocks, and their states.
//!
//! Each has a lock of its own, so that threads that have nothing to do with each other do not meet. None is ever freed:
//! a thread remembers where those are that it used last.

use crate::memory::arena;
use crate::memory::map::Map;
use crate::memory::spin::{Brief, Spin};
use crate::thread::clock::{Clock, ROOM};
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// A thing that threads synchronise with: a line of the cache, and one for the first entries of its clock.
#[repr(C, align(64))]
pub struct Object {
    lock: Brief,
    /// Threads that hold it, if it is a lock.
    pub holders: AtomicU32,
    /// What `stuck` makes of it.
    pub state: AtomicU64,
    clocks: UnsafeCell<Clocks>,
    room: Room,
}

/// Where `Clocks::clock` is, as long as there are few threads.
#[repr(align(64))]
struct Room(UnsafeCell<[u32; ROOM]>);

/// What those know who acquire it.
pub struct Clocks {
    /// From those who changed it.
    pub clock: Clock,
    /// From those who held it for reading; of a thread, from its end; of a barrier, from those who entered odd phases.
    pub readers: Clock,
    /// Who is in it, if it is a barrier.
    pub barrier: Barrier,
}

/// Who is in a barrier. All zero: nobody, and nothing is known of its phases.
#[derive(Clone, Copy)]
pub struct Barrier {
    /// How many threads make a phase; zero: phases are not told apart.
    pub count: u32,
    /// How many threads have entered the current even phase and the odd one after it.
    pub entered: u32,
    /// How many have entered even and odd phases and not left.
    pub inside: [u32; 2],
}

const _: () = assert!(size_of::<Object>() == 128);

// SAFETY: the clocks are used under the lock alone.
unsafe impl Sync for Object {}

impl Object {
    /// Works with its clocks. The caller is in a section.
    #[inline]
    pub fn with_clocks<R>(&self, work: impl FnOnce(&mut Clocks) -> R) -> R {
        self.lock.lock();
        // SAFETY: the lock is held.
        let result = work(unsafe { &mut *self.clocks.get() });
        self.lock.unlock();
        result
    }
}

#[repr(align(64))]
struct Shard(Spin<Map>);

const SHARDS: usize = 64;
static ALL: [Shard; SHARDS] = [const { Shard(Spin::new(Map::new())) }; SHARDS];

const fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// An object of which nothing is known.
fn new() -> Option<*const Object> {
    let object: *mut Object = arena::allocate(size_of::<Object>())?.cast();
    // SAFETY: the memory is zeroed, which is valid for all fields, and nobody else knows of it yet; it is never freed.
    unsafe {
        let Object { clocks, room, .. } = &mut *object;
        clocks.get_mut().clock = Clock::with_room(room.0.get());
    }
    Some(object)
}

/// The object with that key, which is its address or one of [`thread`]; none if there is no memory. The caller is in a
/// section.
pub fn find(key: u64) -> Option<&'static Object> {
    let mut shard = ALL[(hash(key) >> 58) as usize % SHARDS].0.lock();
    let slot = shard.entry(key)?;
    if *slot == 0 {
        *slot = new()? as u64;
    }
    // SAFETY: the slot holds a zeroed object of our own, which is never freed.
    unsafe { (*slot as *const Object).as_ref() }
}

/// The key of a thread.
pub const fn thread(index: u64) -> u64 {
    1 << 63 | index
}

/// The key of something that one thread releases into and another acquires from.
pub const fn channel(object: u64) -> u64 {
    1 << 62 | object
}

/// The line of the cache will be written soon. A hint.
#[inline]
pub fn prefetch(at: *const u8) {
    use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: a hint, which touches nothing.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(at.cast()) };
}

const REMEMBERED: usize = 256;

/// Where a thread found its last objects. All zero: nowhere.
pub struct Remembered([Cell<(u64, Option<&'static Object>)>; REMEMBERED]);

impl Remembered {
    /// The object will be used soon. A hint.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        if let (known, Some(object)) = self.slot(key).get()
            && known == key
        {
            prefetch(core::ptr::from_ref(object).cast());
            prefetch((&raw const object.room).cast());
        }
    }

    #[inline]
    fn slot(&self, key: u64) -> &Cell<(u64, Option<&'static Object>)> {
        &self.0[(hash(key) >> 56) as usize % REMEMBERED]
    }

    /// As [`find`].
    #[inline]
    pub fn find(&self, key: u64) -> Option<&'static Object> {
        let slot = self.slot(key);
        match slot.get() {
            (known, object) if known == key => object,
            _ => {
                let object = find(key);
                slot.set((key, object));
                object
            }
        }
    }
}
