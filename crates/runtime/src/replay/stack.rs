//! Call stacks: walked by frame pointers, kept once each.
//!
//! A thread remembers the stacks it saw last. To see that one of them is the present one it is walked again, but neither
//! hashed nor looked for among all, and nobody is met.

use super::Player;
use crate::arena;
use crate::spin::Spin;
use core::cell::Cell;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Frames that are kept of a stack.
const DEPTH: usize = 24;
/// Stacks that are kept; more are all the same to us.
const STACKS: usize = 1 << 18;

/// A stack's number; zero is the empty one.
pub type StackId = u32;

/// Added to the number of a stack at which a block was freed: that is a write of another name.
pub const FREE: StackId = 1 << 31;

#[derive(Clone, Copy)]
struct Stack {
    frames: [usize; DEPTH],
    depth: usize,
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

static DEPOT: Spin<Depot> = Spin::new(Depot { stacks: core::ptr::null_mut(), slots: core::ptr::null_mut(), count: 0 });

/// By number, as in the depot: what a number stands for never changes.
static STACKS_BY_NUMBER: AtomicPtr<Stack> = AtomicPtr::new(core::ptr::null_mut());

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

/// The stack of the current thread from `pc` outwards, beginning with the frame whose pointer is `frame`.
pub fn capture(player: &Player, pc: usize, frame: usize) -> StackId {
    let slot = player.stacks.slot(pc, frame);
    let known = slot.get();
    if known != 0 && is_now(player, pc, frame, known) {
        return known;
    }
    let id = capture_new(player, pc, frame);
    slot.set(id);
    id
}

/// Is the stack of that number the present one?
fn is_now(player: &Player, pc: usize, frame: usize, id: StackId) -> bool {
    // SAFETY: the thread has been given the number, so the stack has been written, and is not changed any more.
    let known = unsafe { &*STACKS_BY_NUMBER.load(Ordering::Relaxed).add(id as usize) };
    let mut depth = 0;
    let mut same = true;
    walk(player, pc, frame, |back| {
        same = known.frames[depth] == back;
        depth += 1;
        same && depth < DEPTH
    });
    same && depth == known.depth
}

/// Calls `take` with `pc` and the return addresses outwards, until it has seen enough. One that is like the last is left out.
#[inline]
fn walk(player: &Player, pc: usize, mut frame: usize, mut take: impl FnMut(usize) -> bool) {
    let mut last = pc;
    let mut goes_on = take(pc);
    while goes_on && is_frame(player, frame) {
        // SAFETY: two aligned words inside the thread's own stack.
        let [outer, back] = unsafe { (frame as *const [usize; 2]).read_volatile() };
        if back < 4096 || outer <= frame {
            return;
        }
        if back != last {
            goes_on = take(back);
            last = back;
        }
        frame = outer;
    }
}

fn capture_new(player: &Player, pc: usize, frame: usize) -> StackId {
    let mut stack = Stack { frames: [0; DEPTH], depth: 0 };
    walk(player, pc, frame, |back| {
        stack.frames[stack.depth] = back;
        stack.depth += 1;
        stack.depth < DEPTH
    });
    DEPOT.lock().put(&stack)
}

fn is_frame(player: &Player, frame: usize) -> bool {
    frame.is_multiple_of(8) && frame >= player.stack.0 && frame.saturating_add(16) <= player.stack.1
}

impl Depot {
    fn ready(&mut self) -> Option<()> {
        if self.stacks.is_null() {
            self.slots = arena::allocate(2 * STACKS * size_of::<u32>())?.cast();
            self.stacks = arena::allocate(STACKS * size_of::<Stack>())?.cast();
            self.count = 1;
            STACKS_BY_NUMBER.store(self.stacks, Ordering::Relaxed);
        }
        Some(())
    }

    fn put(&mut self, stack: &Stack) -> StackId {
        if self.ready().is_none() {
            return 0;
        }
        let hash = stack
            .frames
            .iter()
            .fold(0u64, |hash, frame| (hash ^ *frame as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let mut at = hash as usize % (2 * STACKS);
        loop {
            // SAFETY: `at` is below the table's size, and so are the numbers in it.
            let (slot, known) = unsafe {
                let slot = self.slots.add(at);
                (slot, &*self.stacks.add(*slot as usize))
            };
            if known.frames == stack.frames {
                // SAFETY: as above.
                return unsafe { *slot };
            }
            // SAFETY: as above.
            if unsafe { *slot } == 0 {
                return self.add(slot, stack);
            }
            at = (at + 1) % (2 * STACKS);
        }
    }

    fn add(&mut self, slot: *mut u32, stack: &Stack) -> StackId {
        if self.count as usize == STACKS {
            return 0;
        }
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

/// The return addresses of a stack, from the innermost.
pub fn frames(id: StackId) -> impl Iterator<Item = usize> {
    let mut depot = DEPOT.lock();
    let stack = match depot.ready() {
        // SAFETY: numbers are given out for stacks that have been written; number zero is zeroed.
        Some(()) => unsafe { *self::at(&depot, id & !FREE) },
        None => Stack { frames: [0; DEPTH], depth: 0 },
    };
    drop(depot);
    stack.frames.into_iter().take(stack.depth)
}

unsafe fn at(depot: &Depot, id: StackId) -> *const Stack {
    // SAFETY: as the caller says.
    unsafe { depot.stacks.add(id as usize) }
}
