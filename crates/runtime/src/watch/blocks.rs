//! What memory is: part of a block that was allocated or mapped, of a thread's stack, or of its own storage.
//!
//! Blocks are noted from the program's beginning, before there is anything to replay, and are not forgotten when they end:
//! memory that is used after its end was that block. Of several that had the same memory, the last one counts.

use crate::gate::answer::Answer;
use crate::memory::arena;
use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::sys::elf;
use crate::thread::stack::{self, Place, StackId};
use crate::thread::{self, taking_part, threads};

/// How a block came to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Allocated,
    Mapped,
}

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    size: usize,
    stack: StackId,
    thread: u32,
    origin: Origin,
    /// The larger, the later.
    age: u64,
}

/// Blocks by the address they begin at.
struct Blocks {
    /// Each one's number and one.
    numbers: Map,
    at: *mut Block,
    capacity: usize,
    count: usize,
    age: u64,
    /// The bounds of the main thread's stack, before it is a player.
    main: (usize, usize),
}

// SAFETY: the memory is ours and reached through the lock alone.
unsafe impl Send for Blocks {}

static BLOCKS: Spin<Blocks> =
    Spin::new(Blocks { numbers: Map::new(), at: core::ptr::null_mut(), capacity: 0, count: 0, age: 0, main: (0, 0) });

impl Blocks {
    fn all(&self) -> &[Block] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the first `count` have been written.
        unsafe { core::slice::from_raw_parts(self.at, self.count) }
    }

    fn put(&mut self, mut block: Block) {
        self.age += 1;
        block.age = self.age;
        if self.count == self.capacity && !self.grow() {
            return;
        }
        let (at, count) = (self.at, &mut self.count);
        let Some(number) = self.numbers.entry(block.start as u64) else { return };
        if *number == 0 {
            *count += 1;
            *number = *count as u64;
        }
        // SAFETY: numbers are at most the count, which is at most the capacity.
        unsafe { at.add(*number as usize - 1).write(block) };
    }

    fn grow(&mut self) -> bool {
        let capacity = (self.capacity * 2).max(256);
        let Some(at) = arena::allocate(capacity * size_of::<Block>()) else { return false };
        let at: *mut Block = at.cast();
        // SAFETY: the new memory is larger than the old.
        unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count) };
        (self.at, self.capacity) = (at, capacity);
        true
    }
}

/// Notes where a block was allocated, and how many bytes were asked for. The caller is in a section.
pub fn note(start: usize, size: usize, origin: Origin, pc: usize) {
    let place = Place::of_call(pc);
    let (bounds, index) = match taking_part() {
        Some(player) => (player.stack, player.index),
        None => (main_stack(), crate::gate::schedule::MAIN),
    };
    let stack = stack::capture_within(bounds, place);
    BLOCKS.lock().put(Block { start, size, stack, thread: index, origin, age: 0 });
}

fn main_stack() -> (usize, usize) {
    let known = BLOCKS.lock().main;
    if known.1 != 0 {
        return known;
    }
    let (start, size) = thread::handle::stack();
    let bounds = (start, (start + size).max(1));
    BLOCKS.lock().main = bounds;
    bounds
}

/// Says what the memory at an address is, if that is known. The caller is in a section, and holds nobody still.
pub fn tell(answer: &mut Answer, address: usize) {
    // A stack may be a block, too: its memory was mapped, by libc or by the program.
    if tell_thread(answer, address) {
        return;
    }
    let blocks = BLOCKS.lock();
    let holds = |block: &&Block| address.wrapping_sub(block.start) < block.size;
    let Some(block) = blocks.all().iter().filter(holds).max_by_key(|block| block.age).copied() else { return };
    drop(blocks);
    let line = answer.line("block").hex("address", block.start).decimal("size", block.size as i64);
    let line = line.decimal("mapped", i64::from(block.origin == Origin::Mapped)).decimal("thread", block.thread.into());
    line.list("stack", stack::frames(block.stack));
}

fn tell_thread(answer: &mut Answer, address: usize) -> bool {
    let mut local = 0;
    elf::modules(|module| local += module.thread_local_bytes());
    let is_local = |pointer: usize| pointer.wrapping_sub(address).wrapping_sub(1) < local;
    if let Some(owner) = threads().find(|player| is_local(player.pointer)) {
        let line = answer.line("local").decimal("thread", owner.index.into());
        line.hex("below", owner.pointer - address);
        return true;
    }
    let Some(owner) = threads().find(|player| (player.stack.0..player.stack.1).contains(&address)) else {
        return false;
    };
    answer.line("stack").decimal("thread", owner.index.into());
    true
}
