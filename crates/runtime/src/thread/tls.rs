//! What each thread has: a block of thread-local storage at a fixed place.
//!
//! The block is laid out in assembly because a stable compiler gives no other way to thread-local storage without the
//! standard library, and because the access hooks read it in three instructions. It uses the initial-exec model; the
//! linker makes constants of the offsets when the runtime is part of an executable.

use crate::sink::lines::{self, Entry, Recent};
use crate::thread::Thread;
use core::arch::{asm, global_asm};
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A thread's block. The assembly below and in `macros` knows the offsets.
#[repr(C)]
pub struct Tls {
    /// Offset 0: the table of touched lines that the access hooks look into, or one that nothing is ever found in.
    pub lines: Cell<*mut Entry>,
    /// Offset 8: the return address of the interposed function called last.
    pub caller: Cell<usize>,
    /// Offset 16: the frame pointer there.
    pub frame: Cell<usize>,
    /// Offset 24: what turns a hashed address into a slot of that table.
    pub slot_mask: Cell<u32>,
    /// Offset 32: the latest line of each place, if accesses are kept apart by place and are recorded just now; else null.
    pub recent: Cell<*mut Recent>,
    /// The thread's object, once it has one.
    pub thread: Cell<*mut Thread>,
    /// The same object if the thread is recorded and takes no part in the gate or the watch; else null.
    pub recorded: Cell<*mut Thread>,
    /// How many sections the thread is in. This and the next three are one word: see [`Self::is_plain`].
    pub sections: Cell<u32>,
    /// How many of the program's signal handlers run in this thread.
    pub handlers: Cell<u16>,
    /// The thread waits on a condition variable: what it does meanwhile, outside of signal handlers, is not the program's.
    pub waiting: Cell<bool>,
    /// One of the counts in `ignored` is not zero.
    pub ignores: Cell<bool>,
    /// Signals to deliver at the end of the section: bit `n - 1` for signal `n`.
    pub pending: AtomicU64,
    /// The stack pointer at the innermost handler's beginning.
    pub handler_frame: Cell<usize>,
    /// The thread has ended as far as the recording goes.
    pub ended: Cell<bool>,
    /// The next wait is in a loop that checks its condition, as the compiler pass has found.
    pub in_wait_loop: Cell<bool>,
    /// How many reasons there are not to record this thread's reads, and its writes, just now; operations are recorded.
    pub ignored: [Cell<u16>; 2],
    /// The innermost thing this thread is doing once.
    pub once: Cell<*mut c_void>,
}

/// The offset of the word that [`Tls::is_plain`] reads.
const STATE: usize = core::mem::offset_of!(Tls, sections);
const _: () = assert!(STATE.is_multiple_of(8) && core::mem::offset_of!(Tls, pending) == STATE + 8);

impl Tls {
    /// Is the thread in no section, in no handler and in no wait, and is no access ignored? One word answers that, because
    /// it is asked at each operation.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        // SAFETY: the word is in the block, is aligned, and consists of cells of this thread without gaps.
        unsafe { (&raw const *self).byte_add(STATE).cast::<u64>().read() == 0 }
    }
}

/// Bytes of the block.
const SIZE: usize = 128;
const _: () = assert!(size_of::<Tls>() <= SIZE);
/// Offset of `caller`, for the trampolines.
pub const CALLER: usize = 8;
const _: () = assert!(core::mem::offset_of!(Tls, caller) == CALLER);
/// Offset of `slot_mask`, for the access hooks.
pub const SLOT_MASK: usize = 24;
const _: () = assert!(core::mem::offset_of!(Tls, slot_mask) == SLOT_MASK);
/// Offset of `recent`, for the access hooks.
pub const RECENT: usize = 32;
const _: () = assert!(core::mem::offset_of!(Tls, recent) == RECENT);
/// Offset of `frame`.
pub const FRAME: usize = 16;
const _: () = assert!(core::mem::offset_of!(Tls, frame) == FRAME);

global_asm!(
    ".section .tdata.ft_tls,\"awT\",@progbits",
    ".balign 64",
    ".hidden ft_tls",
    ".globl ft_tls",
    ".type ft_tls, @object",
    ".size ft_tls, {size}",
    "ft_tls:",
    ".quad {none}",
    ".zero {between}",
    ".long {slot_mask}",
    ".zero {rest}",
    ".text",
    size = const SIZE,
    between = const SLOT_MASK - 8,
    slot_mask = const lines::slot_mask(lines::SMALL),
    rest = const SIZE - SLOT_MASK - 4,
    none = sym lines::NO_LINES,
);

/// This thread's block.
#[inline(always)]
pub fn tls() -> &'static Tls {
    let at: *const Tls;
    // SAFETY: `ft_tls` is this thread's storage; adding its offset to the thread pointer gives its address.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + ft_tls@gottpoff]",
            "add {at}, qword ptr fs:[0]",
            at = out(reg) at, options(pure, readonly, nostack)
        );
    }
    // SAFETY: the block lives as long as its thread, the only one that sees it, and is made of cells; zero bytes and
    // the table's address are valid for all of them.
    unsafe { &*at }
}

/// The return address of the interposed function that runs.
#[inline(always)]
pub fn caller() -> usize {
    tls().caller.get()
}

/// A stretch in which signals wait and interposed functions do nothing of their own. Signals wait in threads that are
/// recorded or replayed; others, which do nothing that a handler could do in the middle, get them at once.
pub struct Section(&'static Tls);

/// A section that is inside no other.
pub struct Outermost(&'static Tls);

impl Section {
    /// Begins a section, unless the thread is in one.
    #[inline]
    pub fn enter() -> Option<Outermost> {
        let tls = tls();
        (tls.sections.get() == 0).then(|| Outermost::begin(tls))
    }

    /// Begins a section, also inside another.
    #[inline]
    pub fn nest() -> Self {
        let tls = tls();
        tls.sections.set(tls.sections.get() + 1);
        compiler_fence();
        Self(tls)
    }
}

impl Outermost {
    /// Begins a section of a thread that is in none.
    #[inline(always)]
    pub fn begin(tls: &'static Tls) -> Self {
        tls.sections.set(1);
        compiler_fence();
        Self(tls)
    }
}

impl Drop for Outermost {
    #[inline(always)]
    fn drop(&mut self) {
        compiler_fence();
        self.0.sections.set(0);
        if self.0.pending.load(Ordering::Relaxed) != 0 {
            deliver_pending();
        }
    }
}

impl Drop for Section {
    #[inline]
    fn drop(&mut self) {
        compiler_fence();
        let depth = self.0.sections.get() - 1;
        self.0.sections.set(depth);
        if depth == 0 && self.0.pending.load(Ordering::Relaxed) != 0 {
            deliver_pending();
        }
    }
}

/// Signal handlers of this thread see memory as it is written here.
#[inline(always)]
fn compiler_fence() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// What delivers signals that came in a section; null until there can be any.
static DELIVERY: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// From now on signals that come in sections are delivered by this function.
pub fn deliver_by(deliver: fn()) {
    DELIVERY.store(deliver as *mut (), Ordering::Release);
}

#[cold]
fn deliver_pending() {
    let deliver = DELIVERY.load(Ordering::Acquire);
    if !deliver.is_null() {
        // SAFETY: what was stored is a function of that type.
        unsafe { core::mem::transmute::<*mut (), fn()>(deliver)() };
    }
}
