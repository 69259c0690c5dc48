//! Where the objects of threads come from and go to, with their parts of the recording.

use super::world::{NEWEST, WORLD};
use super::{Thread, handle};
use crate::axes;
use crate::memory::spin::Spin;
use crate::sink::lines::SMALL;
use crate::sink::recording::{self, Chunk};
use crate::sink::stamp::Stamps;
use crate::sink::stream::Stream;
use core::sync::atomic::Ordering;
use foretrace_event::layout::ChunkKind;
use foretrace_event::table::ENTRY_SIZE;

struct Pool(*mut Thread);

// SAFETY: those in the pool belong to no thread.
unsafe impl Send for Pool {}

/// Objects of threads that have ended and took no part in the gate or the watch, for others to use.
static POOL: Spin<Pool> = Spin::new(Pool(core::ptr::null_mut()));

/// Parts of the recording that threads have left which took part in the gate or the watch.
static SPARE: Spin<[Option<(Chunk, Chunk)>; 64]> = Spin::new([None; 64]);

/// An object for a thread of this number that is recorded, and takes part in nothing else.
pub fn prepare(index: u32, stack: (usize, usize)) -> Option<&'static Thread> {
    let free = {
        let mut pool = POOL.lock();
        // SAFETY: the pool's objects are valid and no one's.
        unsafe { pool.0.as_mut() }.inspect(|thread| pool.0 = thread.next_free.get())
    };
    let Some(thread) = free.or_else(Thread::empty) else {
        recording::lost(1);
        return None;
    };
    (thread.shared.index, thread.shared.stack) = (index, (stack.0, stack.0 + stack.1));
    thread.rounds.get().end();
    thread.begin_recording().then_some(&*thread)
}

/// What the kernel and libc know of a thread.
#[derive(Clone, Copy)]
pub struct Body {
    /// Its stack: lowest address and size.
    pub stack: (usize, usize),
    /// Its number in the kernel.
    pub tid: u32,
}

impl Body {
    /// Of the thread that calls.
    pub fn of_caller() -> Self {
        Self { stack: handle::stack(), tid: crate::sys::tid() }
    }
}

/// Makes an object for the current thread, which takes part in the gate or in the watch.
pub fn join(index: u32, body: Body, records: bool) -> Option<&'static Thread> {
    let mut count = WORLD.lock();
    let new = Thread::new(index, *count)?;
    new.shared.stack = (body.stack.0, body.stack.0 + body.stack.1);
    (new.shared.tid, new.shared.pointer) = (body.tid, handle::handle() as usize);
    if records {
        new.begin_recording();
    }
    new.shared.next.store(NEWEST.load(Ordering::Relaxed), Ordering::Relaxed);
    NEWEST.store(&raw mut new.shared, Ordering::Release);
    *count += 1;
    Some(new)
}

impl Thread {
    /// Gives the thread its part of the recording; false if there is no room for it.
    fn begin_recording(&mut self) -> bool {
        let ready = match (self.stream.get(), self.table.get()) {
            (Some(stream), Some(table)) => Some((stream.chunk(), table)),
            _ => self.take_chunks(),
        };
        let Some((records, table)) = ready else {
            recording::lost(1);
            return false;
        };
        table.hand_to(self.shared.index);
        *self.stream.get() = Some(Stream::new(records, self.shared.index));
        *self.stamps.get() = Stamps::default();
        true
    }

    fn take_chunks(&mut self) -> Option<(Chunk, Chunk)> {
        let spare = SPARE.lock().iter_mut().find_map(Option::take);
        let new = || Some((Stream::take()?, Chunk::take(ChunkKind::Table, SMALL * ENTRY_SIZE)?));
        let (records, table) = spare.or_else(new)?;
        self.table.set(Some(table));
        self.lines.get().init(table.content(), SMALL, axes::keeps_places()).then_some((records, table))
    }

    /// The thread has ended, and all it did is written.
    pub fn release(&'static self, takes_part: bool) {
        if let Some(stream) = self.stream.get() {
            stream.spill();
        }
        if takes_part {
            return self.leave_chunks();
        }
        let mut pool = POOL.lock();
        self.next_free.set(pool.0);
        pool.0 = self.this.get();
    }

    /// Others may use the thread's part of the recording, if its table is a small one.
    fn leave_chunks(&self) {
        if let (Some(stream), Some(table)) = (self.stream.get().take(), self.table.take())
            && self.lines.get().is_small()
            && let Some(free) = SPARE.lock().iter_mut().find(|spare| spare.is_none())
        {
            *free = Some((stream.chunk(), table));
        }
    }
}

/// In a forked child.
fn reset_locks() {
    POOL.reset();
    POOL.lock().0 = core::ptr::null_mut();
    SPARE.reset();
    *SPARE.lock() = [None; 64];
}
at_fork!(reset_locks);
