//! Which code is instrumented. Functions of libc that touch memory do so on behalf of whoever called them: their
//! accesses are recorded if the caller's own would have been.
//!
//! A module announces itself: its constructors call `__tsan_init`, so the return address lies in it. gcc makes that
//! call a jump when it optimises, and the address is then one of the loader or of libc; every module that imports
//! `__tsan_init` is then taken, and the executable if this library is part of it.
//!
//! *What it misses*: a function whose last act is a call may leave it as a jump, and its caller is taken for it. An
//! uninstrumented object linked into an instrumented module counts as instrumented, and so does a module mapped where an
//! instrumented one has been unloaded.

use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::sys::elf::{self, Module};
use crate::thread::tls::Section;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The code of an instrumented module.
struct Code {
    start: usize,
    end: usize,
    next: *mut Code,
}

/// A list that only grows.
static CODE: AtomicPtr<Code> = AtomicPtr::new(null_mut());
/// How many modules had been loaded, ever, when they were last looked through.
static SCANNED: Spin<u64> = Spin::new(0);

/// Is this the address of an instruction of instrumented code?
#[inline]
pub fn is_instrumented(pc: usize) -> bool {
    let mut code = CODE.load(Ordering::Acquire);
    // SAFETY: entries of the list are never freed, nor changed once they can be reached.
    while let Some(range) = unsafe { code.as_ref() } {
        if pc.wrapping_sub(range.start) < range.end - range.start {
            return true;
        }
        code = range.next;
    }
    false
}

/// The constructor of instrumented code has called, and will go on at `pc`.
pub fn announce(pc: usize, found: fn(&Module<'_>)) {
    if is_instrumented(pc) {
        return;
    }
    let _section = Section::nest();
    let mut scanned = SCANNED.lock();
    let mut search = Search { pc, found, before: *scanned, now: *scanned };
    elf::modules(|module| search.visit(module));
    *scanned = search.now;
}

struct Search {
    pc: usize,
    /// What is called with the modules that are found.
    found: fn(&Module<'_>),
    /// How many modules had been loaded when all were last looked through.
    before: u64,
    now: u64,
}

impl Search {
    fn visit(&mut self, module: &Module<'_>) {
        let called = module.has_code_at(self.pc) && !module.runs_constructors();
        let new = module.loads() != self.before;
        self.now = module.loads();
        if called || new && (module.imports(c"__tsan_init") || module.is_executable() && module.has_code_at(us())) {
            module.code(add);
            (self.found)(module);
        }
    }
}

/// An address in this library.
fn us() -> usize {
    announce as *const () as usize
}

/// Adds a range that is not in the list. The caller holds the lock.
fn add(start: usize, end: usize) {
    if is_instrumented(start) {
        return;
    }
    let Some(code) = arena::allocate(size_of::<Code>()) else { return };
    let code: *mut Code = code.cast();
    // SAFETY: the memory is new, aligned and large enough.
    unsafe { code.write(Code { start, end, next: CODE.load(Ordering::Relaxed) }) };
    CODE.store(code, Ordering::Release);
}

/// In a forked child.
fn reset_locks() {
    SCANNED.reset();
}
at_fork!(reset_locks);
