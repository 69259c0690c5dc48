//! The threads of the program and their recorders.

use crate::interpose::signal::{self, Slots};
use crate::lines::{LARGE, Lines, SMALL};
use crate::map::Map;
use crate::polling::{Poll, Rounds};
use crate::recording::Chunk;
use crate::spin::Spin;
use crate::stamp::{self, Stamps};
use crate::stream::Stream;
use crate::tls::{Section, tls};
use crate::{arena, lineage, recording, sandbox, state};
use core::ffi::c_void;
use foretrace_event::layout::ChunkKind;
use foretrace_event::table::ENTRY_SIZE;
use foretrace_event::wire::{Detail, Op, Sync};

/// A thread's recorder. Recorders of ended threads are used again.
pub struct Thread {
    /// Its number in the recording.
    pub id: u32,
    /// Its records.
    pub stream: Stream,
    /// The lines it has touched in the current segment.
    pub lines: Lines,
    /// Where those lie in the recording.
    table: Chunk,
    /// Its place in the order.
    pub stamps: Stamps,
    /// What it polls.
    pub rounds: Rounds,
    /// Signals that wait for the end of a section.
    pub deferred: Slots,
    /// The next free recorder.
    next: *mut Self,
}

struct Pool(*mut Thread);

// SAFETY: recorders in the pool belong to no thread.
unsafe impl Send for Pool {}

static POOL: Spin<Pool> = Spin::new(Pool(core::ptr::null_mut()));
/// Thread numbers by `pthread_t`. A handle that is used again belongs to the thread with the larger number.
static BY_HANDLE: Spin<Map> = Spin::new(Map::new());

/// This thread's recorder, where its operations are recorded. The caller is in a section.
#[inline]
pub fn current() -> Option<&'static mut Thread> {
    let tls = tls();
    if tls.waiting.get() {
        return None;
    }
    if !lineage::is_own() {
        state::leave();
    }
    // SAFETY: the recorder is this thread's alone from `begin` to `end`, and sections do not overlap.
    unsafe { tls.thread.get().as_mut() }
}

/// This thread's number in the recording.
pub fn current_id() -> Option<u32> {
    let _section = Section::nest();
    current().map(|thread| thread.id)
}

impl Thread {
    /// Records an operation now.
    #[inline]
    pub fn sync(&mut self, op: Op, object: usize, arg: u64, pc: usize) {
        self.lines.flush(&mut self.stream);
        self.sync_within(op, object, arg, pc);
    }

    /// To be called before an operation that may be polling.
    #[inline]
    pub fn before_poll(&mut self) {
        self.rounds.touch_all(|tell| self.lines.each_of_few(tell));
        if tls().handlers.get() != 0 {
            self.lines.flush(&mut self.stream);
            self.notice_jumps();
        }
    }

    /// Records that an attempt to take a mutex has failed, unless it repeats a round of polling.
    pub fn failed_try(&mut self, mutex: usize, arg: u64, pc: usize) {
        self.before_poll();
        if self.rounds.note(&Poll::failed_try(mutex, arg, pc)).is_some() {
            return self.lines.discard();
        }
        self.lines.flush(&mut self.stream);
        let stamp = self.stamps.take(Op::LockFailed, mutex);
        self.write(stamp, Op::LockFailed, mutex, arg, pc, Detail::default());
    }

    /// Moves to a larger table of lines: the segment has touched more than the small one holds.
    #[cold]
    pub fn enlarge_lines(&mut self) {
        self.lines.flush(&mut self.stream);
        if let Some(table) = Chunk::take(ChunkKind::Table, LARGE * ENTRY_SIZE)
            && self.lines.grow(table.content())
        {
            table.hand_to(self.id);
            choose_lines();
            core::mem::replace(&mut self.table, table).discard();
        }
    }

    /// Records an operation that ends no segment.
    #[inline]
    pub fn sync_within(&mut self, op: Op, object: usize, arg: u64, pc: usize) {
        self.notice_jumps();
        let clock = match op {
            Op::Fork | Op::Join => stamp::thread_object(arg),
            Op::Start | Op::End => stamp::thread_object(u64::from(self.id)),
            _ => object,
        };
        let stamp = self.stamps.take(op, clock);
        self.stamped(stamp, op, object, arg, pc, Detail::default());
    }

    /// Records that handlers have been left by a jump, if so. To be asked before an operation gets its stamp.
    #[inline]
    pub fn notice_jumps(&mut self) {
        if tls().handlers.get() != 0 {
            for _ in 0..signal::left_by_jump() {
                let stamp = self.stamps.take(Op::SignalExit, 0);
                self.stamped(stamp, Op::SignalExit, 0, 0, 0, Detail::default());
            }
        }
    }

    /// Records an operation that happened at `stamp`; the segment has been ended.
    #[inline]
    pub fn stamped(&mut self, stamp: u64, op: Op, object: usize, arg: u64, pc: usize, detail: Detail) {
        self.rounds.end();
        self.write(stamp, op, object, arg, pc, detail);
    }

    /// Writes the record of an operation. What the thread polls is not changed.
    #[inline]
    pub fn write(&mut self, stamp: u64, op: Op, object: usize, arg: u64, pc: usize, detail: Detail) {
        self.stream.sync(&Sync { op, stamp, pc: pc as u64, object: object as u64, arg, detail });
    }
}

/// What the thread polls, when a handler begins.
pub fn rounds() -> Rounds {
    let _section = Section::nest();
    match current() {
        Some(thread) => {
            thread.rounds.touch_all(|tell| thread.lines.each_of_few(tell));
            core::mem::take(&mut thread.rounds)
        }
        None => crate::replay::polling::rounds(),
    }
}

/// The handler has returned: whatever it did, the thread still polls what it polled.
pub fn resume(rounds: Rounds) {
    let _section = Section::nest();
    match current() {
        Some(thread) => thread.rounds = rounds,
        None => crate::replay::polling::resume(rounds),
    }
}

/// Gives the current thread a recorder, and records its start.
pub fn begin(id: u32) {
    let _section = Section::nest();
    let Some(thread) = prepare(id) else { return };
    let tls = tls();
    tls.thread.set(thread);
    tls.ended.set(false);
    choose_lines();
    let (stack, size) = stack();
    thread.sync(Op::Start, stack, size as u64, 0);
}

/// Makes a recorder for a thread that does not run yet, and records its start. Its stack is not known.
pub fn create(id: u32) -> Option<&'static mut Thread> {
    let _section = Section::nest();
    let thread = prepare(id)?;
    thread.sync(Op::Start, 0, 0, 0);
    Some(thread)
}

/// A recorder for a thread of this number.
fn prepare(id: u32) -> Option<&'static mut Thread> {
    let Some(thread) = take() else {
        recording::lost(1);
        return None;
    };
    thread.id = id;
    thread.stream = Stream::new(thread.stream.chunk(), id);
    thread.stamps = Stamps::default();
    thread.rounds.end();
    thread.table.hand_to(id);
    Some(thread)
}

/// Points the access hooks to the table they may use: none in a signal handler, or where accesses are ignored.
pub fn choose_lines() {
    let tls = tls();
    let quiet = tls.handlers.get() != 0 || tls.ignored.iter().any(|count| count.get() != 0);
    // SAFETY: as in `current`; the table's address does not change.
    let recorded = unsafe { tls.thread.get().as_ref() }.map(|thread| thread.lines.for_hooks());
    let lines = recorded.or_else(crate::replay::lines_for_hooks).filter(|_| !quiet);
    // In this order the mask never reaches beyond the table: none is larger than the one where nothing is found.
    tls.lines.set(crate::lines::no_lines());
    if let Some((entries, slot_mask)) = lines {
        tls.slot_mask.set(slot_mask);
        tls.lines.set(entries);
    }
}

fn take() -> Option<&'static mut Thread> {
    let free = {
        let mut pool = POOL.lock();
        // SAFETY: the pool's recorders are valid and no one's.
        unsafe { pool.0.as_mut() }.inspect(|thread| pool.0 = thread.next)
    };
    if free.is_some() {
        return free;
    }
    let (table, records) = (Chunk::take(ChunkKind::Table, SMALL * ENTRY_SIZE)?, Stream::take()?);
    let thread: *mut Thread = arena::allocate(size_of::<Thread>())?.cast();
    // SAFETY: the memory is zeroed, large enough and ours; zero is valid for the parts that are not written here.
    unsafe {
        (&raw mut (*thread).stream).write(Stream::new(records, 0));
        (*thread).table = table;
        (*thread).lines.init(table.content(), SMALL, state::keeps_places()).then_some(&mut *thread)
    }
}

/// Ends the current thread's recording.
pub fn end() {
    // What a handler did from now on could not be recorded: signals go to other threads.
    signal::block_all();
    let _section = Section::nest();
    let tls = tls();
    tls.ended.set(true);
    if let Some(thread) = detach() {
        retire(thread);
    }
}

/// Records the end of a thread that does not run any more, and takes its recorder back.
pub fn retire(thread: &'static mut Thread) {
    let _section = Section::nest();
    thread.sync(Op::End, 0, 0, 0);
    thread.stream.spill();
    let mut pool = POOL.lock();
    thread.next = pool.0;
    pool.0 = thread;
}

/// Takes the current thread's recorder away from it.
pub fn detach() -> Option<&'static mut Thread> {
    let tls = tls();
    tls.lines.set(crate::lines::no_lines());
    // SAFETY: as in `current`; nobody else has the pointer.
    unsafe { tls.thread.replace(core::ptr::null_mut()).as_mut() }
}

/// Notes which thread a handle stands for.
pub fn name_handle(handle: u64, id: u32) {
    let _section = Section::nest();
    if let Some(known) = BY_HANDLE.lock().entry(handle) {
        *known = (*known).max(u64::from(id) + 1);
    }
}

/// Which thread a handle stands for.
pub fn by_handle(handle: u64) -> Option<u32> {
    let _section = Section::nest();
    BY_HANDLE.lock().get(handle).and_then(|id| id.checked_sub(1)).map(|id| id as u32)
}

/// In a forked child.
pub fn reset_locks() {
    POOL.reset();
    POOL.lock().0 = core::ptr::null_mut();
    BY_HANDLE.reset();
}

real_function!(fn pthread_getattr_np(thread: libc::pthread_t, attributes: *mut libc::pthread_attr_t) -> i32);
real_function!(fn pthread_attr_getstack(attributes: *const libc::pthread_attr_t, at: *mut *mut c_void, size: *mut usize) -> i32);
real_function!(fn pthread_attr_destroy(attributes: *mut libc::pthread_attr_t) -> i32);
real_function!(fn pthread_self() -> libc::pthread_t);

/// The current thread's handle.
pub fn handle() -> u64 {
    // SAFETY: takes nothing.
    unsafe { pthread_self() as u64 }
}

/// The current thread's stack: lowest address and size; zeros if unknown.
pub fn stack() -> (usize, usize) {
    // Among the attributes that libc asks for is the affinity.
    if sandbox::refuses(libc::SYS_sched_getaffinity) {
        return (0, 0);
    }
    // SAFETY: the attributes are initialised by the first call and used only if it succeeded.
    unsafe {
        let mut attributes = core::mem::zeroed();
        if pthread_getattr_np(pthread_self(), &mut attributes) != 0 {
            return (0, 0);
        }
        let (mut at, mut size) = (core::ptr::null_mut(), 0);
        let known = pthread_attr_getstack(&attributes, &mut at, &mut size) == 0;
        pthread_attr_destroy(&mut attributes);
        if known { (at as usize, size) } else { (0, 0) }
    }
}
