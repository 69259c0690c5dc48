//! Call stacks: walked by frame pointers, kept once each. With the stack of an access its size is kept, and what locks the
//! thread held.
//!
//! Libraries have no frame pointers. Of a call that one of them makes on behalf of the program, the program's own call is
//! looked for on the stack ([`caller_of_library`]), or it would be missing: frame pointers tell of its callers alone.
//!
//! A thread remembers the stacks it saw last. To see that one of them is the present one it is walked again, but neither
//! hashed nor looked for among all, and nobody is met.

use crate::memory::lasting::{self, Apart};
use crate::memory::spin::Spin;
use crate::sys;
use crate::thread::{Shared, Thread, callers};
use core::cell::Cell;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Frames that are kept of a stack.
const DEPTH: usize = 24;
/// Stacks and sets of locks that are kept, at most. As they become too many, less is kept of each, but always where an access
/// was made.
const STACKS: usize = 1 << 18;
/// From so many on, no sets of locks are added.
const WITH_LOCKS: usize = STACKS / 2;
/// From so many on, only the innermost frame of a stack is kept.
const WHOLE: usize = STACKS / 8 * 7;

/// A stack's number; zero is the empty one.
pub type StackId = u32;

/// Added to the number of a stack at which a block was freed: that is a write of another name.
pub const FREE: StackId = 1 << 31;

#[derive(Clone, Copy)]
struct Stack {
    frames: [usize; DEPTH],
    depth: usize,
    circumstances: Circumstances,
}

/// What is known of an access besides its stack. Zero: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Circumstances {
    /// How many bytes.
    pub size: u32,
    /// The locks held, as [`put_locks`] numbers them.
    pub locks: StackId,
}

/// Where a call was made.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The return address.
    pub pc: usize,
    /// If that is in a library, the program's call of it; zero: unknown.
    pub caller: usize,
    /// The frame pointer there.
    pub frame: usize,
}

impl Place {
    /// Of the interposed function that runs, which was called at `pc`.
    pub fn of_call(pc: usize) -> Self {
        let frame = crate::thread::tls::tls().frame.get();
        let caller = if callers::is_instrumented(pc) { 0 } else { caller_of_library(pc, frame) };
        Self { pc, caller, frame }
    }
}

struct Depot {
    /// By number.
    stacks: *mut Stack,
    /// Numbers by hash.
    slots: *mut u32,
    count: u32,
}

// SAFETY: the tables are memory of our own, reached through the lock alone.
unsafe impl Send for Depot {}

static DEPOT: Apart<Spin<Depot>> =
    Apart(Spin::new(Depot { stacks: core::ptr::null_mut(), slots: core::ptr::null_mut(), count: 0 }));

/// By number, as in the depot: what a number stands for never changes.
static STACKS_BY_NUMBER: AtomicPtr<Stack> = AtomicPtr::new(core::ptr::null_mut());

/// Bytes of the tables.
const SLOTS_SIZE: usize = 2 * STACKS * size_of::<u32>();
const STACKS_SIZE: usize = (STACKS * size_of::<Stack>()).next_multiple_of(4096);

/// What is known of stacks stays from one execution to the next: a number stands for the same stack in all of them.
pub fn keep() -> bool {
    let mut depot = DEPOT.0.lock();
    depot.ready().is_some()
        && lasting::keep((&raw const DEPOT).addr(), size_of_val(&DEPOT))
        && lasting::keep(depot.slots.addr(), SLOTS_SIZE)
        && lasting::keep(depot.stacks.addr(), STACKS_SIZE)
}

const REMEMBERED: usize = 256;

/// The numbers of the stacks a thread saw last; its own alone. All zero: none.
pub struct Seen([Cell<StackId>; REMEMBERED]);

impl Seen {
    /// Where the stack is remembered that begins so.
    fn slot(&self, pc: usize, frame: usize) -> &Cell<StackId> {
        let hash = (pc as u64 ^ (frame as u64) << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(hash >> 56) as usize % REMEMBERED]
    }
}

/// The stack of a thread that does not move, from a place outwards.
pub fn capture(player: &Shared, place: Place) -> StackId {
    capture_within(player.stack, place)
}

/// The same within these bounds of the stack.
pub fn capture_within(bounds: (usize, usize), place: Place) -> StackId {
    capture_new(bounds, place, Circumstances::default())
}

/// The stack of an access of the current thread.
pub fn capture_access(player: &Thread, pc: usize, frame: usize, circumstances: Circumstances) -> StackId {
    capture_own(player, Place { pc, caller: 0, frame }, circumstances)
}

/// The stack of the current thread, as it is now.
pub fn capture_own(player: &Thread, place: Place, circumstances: Circumstances) -> StackId {
    let slot = player.stacks.slot(place.pc, place.frame);
    let known = slot.get();
    if known != 0 && is_now(player, place, circumstances, known) {
        return known;
    }
    let id = capture_new(player.stack, place, circumstances);
    slot.set(id);
    id
}

/// Is the stack of that number the present one?
fn is_now(player: &Shared, place: Place, circumstances: Circumstances, id: StackId) -> bool {
    // SAFETY: the thread has been given the number, so the stack has been written, and is not changed any more.
    let known = unsafe { &*STACKS_BY_NUMBER.load(Ordering::Relaxed).add(id as usize) };
    let mut depth = 0;
    let mut same = true;
    walk(player.stack, place, |back, _| {
        same = known.frames[depth] == back;
        depth += 1;
        same && depth < DEPTH
    });
    same && depth == known.depth && known.circumstances == circumstances
}

/// The frame pointers of the functions on a stack of the current thread, one for each of its return addresses; zero: unknown.
pub fn frame_pointers(player: &Shared, place: Place) -> impl Iterator<Item = usize> {
    let (mut pointers, mut depth) = ([0; DEPTH], 0);
    walk(player.stack, place, |_, pointer| {
        pointers[depth] = pointer;
        depth += 1;
        depth < DEPTH
    });
    pointers.into_iter().take(depth)
}

/// Calls `take` with the return addresses from a place outwards, and the frame pointer of the function each is in, until it
/// has seen enough. One that is like the last is left out.
#[inline]
fn walk(bounds: (usize, usize), place: Place, mut take: impl FnMut(usize, usize) -> bool) {
    let Place { pc, caller, mut frame } = place;
    let mut last = pc;
    let mut goes_on = take(pc, if caller == 0 { frame } else { 0 });
    if goes_on && caller != 0 {
        goes_on = take(caller, frame);
        last = caller;
    }
    while goes_on && is_frame(bounds, frame) {
        // SAFETY: two aligned words inside the thread's own stack.
        let [outer, back] = unsafe { (frame as *const [usize; 2]).read_volatile() };
        if back < 4096 || outer <= frame {
            return;
        }
        if back != last {
            goes_on = take(back, outer);
            last = back;
        }
        frame = outer;
    }
}

fn capture_new(bounds: (usize, usize), place: Place, circumstances: Circumstances) -> StackId {
    let mut stack = Stack { frames: [0; DEPTH], depth: 0, circumstances };
    walk(bounds, place, |back, _| {
        stack.frames[stack.depth] = back;
        stack.depth += 1;
        stack.depth < DEPTH
    });
    DEPOT.0.lock().put_as_fits(&mut stack)
}

fn is_frame(bounds: (usize, usize), frame: usize) -> bool {
    frame.is_multiple_of(8) && frame >= bounds.0 && frame.saturating_add(16) <= bounds.1
}

/// So far a library's own frames are looked through.
const LIBRARY_FRAMES: usize = 4096;

/// The program's call of the library that called us and goes on at `pc`: the first return address into the program's own
/// code above the one that leads back to the library, and below the program's frame. Zero if there is none.
#[inline(never)]
fn caller_of_library(pc: usize, frame: usize) -> usize {
    let here = &raw const frame as usize & !7;
    if frame <= here || frame - here > 2 * LIBRARY_FRAMES {
        return 0;
    }
    // SAFETY: the words between two places of the thread's own stack, the upper of which is a frame of a caller.
    let word = |at: usize| unsafe { (at as *const usize).read_volatile() };
    let words = || (here..frame).step_by(8);
    // Copies of it are further down, in frames of our own.
    let Some(back) = words().rfind(|at| word(*at) == pc) else { return 0 };
    words().filter(|at| *at > back).map(word).find(|address| is_return_to_program(*address)).unwrap_or(0)
}

/// Is this an address of the program's own code that follows a call?
pub fn is_return_to_program(address: usize) -> bool {
    callers::is_instrumented(address) && follows_call(address)
}

/// Is the instruction before this address of the program's code a call?
fn follows_call(address: usize) -> bool {
    let mut bytes = [0; 5];
    if !callers::is_instrumented(address - 5) {
        return false;
    }
    // SAFETY: five bytes of the program's code.
    unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping((address - 5) as *const u8, 5) };
    let indirect = |at: usize| bytes[at] == 0xff && bytes[at + 1] & 0x38 == 0x10;
    bytes[0] == 0xe8 || indirect(3) || indirect(2)
}

/// A set of locks, told by two words each, under a number of its own. It may be the one that the thread held before.
pub fn put_locks(words: impl Iterator<Item = usize> + Clone, before: StackId) -> StackId {
    if before != 0 {
        // SAFETY: the thread has been given the number, so the set has been written, and is not changed any more.
        let known = unsafe { &*STACKS_BY_NUMBER.load(Ordering::Relaxed).add(before as usize) };
        if known.frames[..known.depth].iter().copied().eq(words.clone().take(DEPTH)) {
            return before;
        }
    }
    let mut stack = Stack { frames: [0; DEPTH], depth: 0, circumstances: Circumstances::default() };
    for (to, word) in stack.frames.iter_mut().zip(words) {
        *to = word;
        stack.depth += 1;
    }
    if stack.depth == 0 { 0 } else { DEPOT.0.lock().put(&stack, WITH_LOCKS) }
}

impl Depot {
    fn ready(&mut self) -> Option<()> {
        if self.stacks.is_null() {
            self.slots = sys::map_memory(SLOTS_SIZE).ok()?.cast();
            self.stacks = sys::map_memory(STACKS_SIZE).ok()?.cast();
            self.count = 1;
            STACKS_BY_NUMBER.store(self.stacks, Ordering::Relaxed);
        }
        Some(())
    }

    /// Finds a number for a stack, or for less and less of it.
    fn put_as_fits(&mut self, stack: &mut Stack) -> StackId {
        if stack.circumstances.locks != 0 {
            let id = self.put(stack, WITH_LOCKS);
            if id != 0 {
                return id;
            }
            stack.circumstances.locks = 0;
        }
        let id = self.put(stack, WHOLE);
        if id != 0 {
            return id;
        }
        stack.frames[1..].fill(0);
        stack.depth = 1;
        self.put(stack, STACKS)
    }

    /// The number of a stack; a new one if there are fewer than `most`, else none.
    fn put(&mut self, stack: &Stack, most: usize) -> StackId {
        if self.ready().is_none() {
            return 0;
        }
        let Circumstances { size, locks } = stack.circumstances;
        let first = u64::from(size) << 32 | u64::from(locks);
        let hash = stack
            .frames
            .iter()
            .fold(first, |hash, frame| (hash ^ *frame as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let mut at = hash as usize % (2 * STACKS);
        loop {
            // SAFETY: `at` is below the table's size, and so are the numbers in it.
            let (slot, known) = unsafe {
                let slot = self.slots.add(at);
                (slot, &*self.stacks.add(*slot as usize))
            };
            if known.frames == stack.frames && known.circumstances == stack.circumstances {
                // SAFETY: as above.
                return unsafe { *slot };
            }
            // SAFETY: as above.
            if unsafe { *slot } == 0 {
                return if (self.count as usize) < most { self.add(slot, stack) } else { 0 };
            }
            at = (at + 1) % (2 * STACKS);
        }
    }

    fn add(&mut self, slot: *mut u32, stack: &Stack) -> StackId {
        let id = self.count;
        self.count += 1;
        // SAFETY: the slot is one of the table's, the number below the number of stacks.
        unsafe {
            *slot = id;
            *self.stacks.add(id as usize) = *stack;
        }
        id
    }
}

fn get(id: StackId) -> Stack {
    let mut depot = DEPOT.0.lock();
    match depot.ready() {
        // SAFETY: numbers are given out for stacks that have been written; number zero is zeroed.
        Some(()) => unsafe { *self::at(&depot, id & !FREE) },
        None => Stack { frames: [0; DEPTH], depth: 0, circumstances: Circumstances::default() },
    }
}

/// The return addresses of a stack, from the innermost; of a set of locks, its words.
pub fn frames(id: StackId) -> impl Iterator<Item = usize> {
    let stack = get(id);
    stack.frames.into_iter().take(stack.depth)
}

/// What is known of the access besides.
pub fn circumstances(id: StackId) -> Circumstances {
    get(id).circumstances
}

unsafe fn at(depot: &Depot, id: StackId) -> *const Stack {
    // SAFETY: as the caller says.
    unsafe { depot.stacks.add(id as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(number: usize, circumstances: Circumstances) -> Stack {
        let mut frames = [0; DEPTH];
        frames[..2].copy_from_slice(&[0x1000 + number % 100, number]);
        Stack { frames, depth: 2, circumstances }
    }

    /// Fills a depot with so many stacks in which the circumstances are as given, and returns the last one as it was kept.
    fn last(depot: &mut Depot, count: usize, circumstances: Circumstances) -> Stack {
        let mut id = 0;
        for number in 0..count {
            id = depot.put_as_fits(&mut stack(number, circumstances));
            assert_ne!(id, 0, "stack {number}");
        }
        // SAFETY: the number has just been given out.
        unsafe { *at(depot, id) }
    }

    #[test]
    fn of_too_many_stacks_less_is_kept_but_always_the_place() {
        let mut depot = Depot { stacks: core::ptr::null_mut(), slots: core::ptr::null_mut(), count: 0 };
        let with_locks = last(&mut depot, WITH_LOCKS / 2, Circumstances { size: 4, locks: 7 });
        assert_eq!((with_locks.depth, with_locks.circumstances.locks), (2, 7));
        let without = last(&mut depot, WITH_LOCKS + 1, Circumstances { size: 8, locks: 7 });
        assert_eq!((without.depth, without.circumstances), (2, Circumstances { size: 8, locks: 0 }));
        let alone = last(&mut depot, STACKS, Circumstances { size: 1, locks: 7 });
        assert_eq!((alone.depth, alone.circumstances), (1, Circumstances { size: 1, locks: 0 }));
        assert_eq!(alone.frames[0], 0x1000 + (STACKS - 1) % 100);
    }
}
