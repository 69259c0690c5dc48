//! Libraries that order threads where the runtime cannot see it: they are not instrumented, and they sleep and wake on
//! futexes of their own (oneTBB, OpenMP's runtimes, Qt, runtimes of other languages). Two accesses that nothing seen
//! orders may be ordered by such a library if both threads have been in it.
//!
//! A thread *is in touch with* a library if the library created it, if the library's code has called an interposed
//! function in it, or if code of the library is on the stack of the access in question. A race between two threads that
//! are in touch with the same library is possible; it is never told as a fact.
//!
//! *What it misses*: a library that orders threads by atomic operations alone, and a thread that calls a library of this
//! kind which never allocates, synchronises or creates anything in that thread.

use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::sys::elf::{self, Module};
use crate::thread::tls::Section;
use crate::thread::{Shared, callers};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The code of a library of this kind.
struct Code {
    start: usize,
    end: usize,
    /// Its bit in sets of libraries.
    bit: u64,
    next: *mut Code,
}

/// A list that only grows.
static CODE: AtomicPtr<Code> = AtomicPtr::new(null_mut());

/// Which of the loaded modules have been looked at.
struct Looked {
    /// How many modules had been loaded, ever.
    loads: u64,
    /// How many libraries of this kind there are. Those beyond the last bit share it.
    count: u32,
}

static LOOKED: Spin<Looked> = Spin::new(Looked { loads: 0, count: 0 });

fn all() -> impl Iterator<Item = &'static Code> {
    // SAFETY: entries of the list are never freed, nor changed once they can be reached.
    let mut at = unsafe { CODE.load(Ordering::Acquire).as_ref() };
    core::iter::from_fn(move || {
        let code = at?;
        // SAFETY: as above.
        at = unsafe { code.next.as_ref() };
        Some(code)
    })
}

/// The libraries that have an instruction at the address: one or none.
fn libraries_at(pc: usize) -> u64 {
    all().find(|code| (code.start..code.end).contains(&pc)).map_or(0, |code| code.bit)
}

/// The current thread, which is replayed, has come from the code at `pc`.
#[inline]
pub fn touch(pc: usize) {
    if !CODE.load(Ordering::Acquire).is_null()
        && let Some(player) = crate::thread::taking_part()
    {
        player.libraries.fetch_or(libraries_at(pc), Ordering::Relaxed);
    }
}

/// The libraries that a thread is in touch with, if it makes an access with this stack.
pub fn of(thread: &Shared, stack: impl Iterator<Item = usize>) -> u64 {
    if CODE.load(Ordering::Acquire).is_null() {
        return 0;
    }
    stack.fold(thread.libraries.load(Ordering::Relaxed), |set, pc| set | libraries_at(pc))
}

/// An address in the first library of the set.
pub fn address_of(set: u64) -> Option<usize> {
    all().filter(|code| code.bit & set != 0).last().map(|code| code.start)
}

/// Looks at modules that have been loaded since it last did.
pub fn look() {
    let _section = Section::nest();
    let mut looked = LOOKED.lock();
    let before = looked.loads;
    elf::modules(|module| {
        if module.loads() != before && synchronises_unseen(module) {
            let bit = 1 << looked.count.min(u64::BITS - 1);
            looked.count += 1;
            module.code(|start, end| add(start, end, bit));
        }
        looked.loads = looked.loads.max(module.loads());
    });
}

/// Adds a range that is not in the list. The caller holds the lock.
fn add(start: usize, end: usize, bit: u64) {
    if libraries_at(start) != 0 {
        return;
    }
    let Some(code) = arena::allocate(size_of::<Code>()) else { return };
    let code: *mut Code = code.cast();
    // SAFETY: the memory is new, aligned and large enough.
    unsafe { code.write(Code { start, end, bit, next: CODE.load(Ordering::Relaxed) }) };
    CODE.store(code, Ordering::Release);
}

/// Libraries whose functions are interposed, or whose synchronisation is inlined into instrumented code.
const SEEN: [&[u8]; 14] = [
    b"libc.so",
    b"libc-",
    b"ld-",
    b"libpthread",
    b"librt",
    b"libdl",
    b"libm.",
    b"libstdc++",
    b"libc++",
    b"libgcc_s",
    b"libatomic",
    b"libtsan",
    b"libforetrace",
    b"libglib-2.0",
];

/// Runtimes that make the system call for futexes with a number from a variable, or by an instruction of their own.
const KNOWN: [&[u8]; 3] = [b"libgomp", b"libomp", b"libiomp"];

fn synchronises_unseen(module: &Module<'_>) -> bool {
    let name = module.base_name();
    let is_one_of = |names: &[&[u8]]| names.iter().any(|known| name.starts_with(known));
    if module.is_executable() || is_one_of(&SEEN) || is_instrumented(module) {
        return false;
    }
    is_one_of(&KNOWN) || module.imports(c"syscall") && asks_for_futexes(module)
}

fn is_instrumented(module: &Module<'_>) -> bool {
    let mut found = false;
    module.code(|start, _| found |= callers::is_instrumented(start));
    found
}

/// Does the module load the number of the futex call into the register of a call's first argument?
fn asks_for_futexes(module: &Module<'_>) -> bool {
    const LOAD_NUMBER: [u8; 5] = [0xbf, libc::SYS_futex as u8, 0, 0, 0];
    let mut found = false;
    module.code(|start, end| {
        // SAFETY: the loader has mapped the module's code, which can be read.
        let code = unsafe { core::slice::from_raw_parts(start as *const u8, end - start) };
        found |= code.windows(LOAD_NUMBER.len()).any(|window| window == LOAD_NUMBER);
    });
    found
}

/// In a forked child.
fn reset_locks() {
    LOOKED.reset();
}
at_fork!(reset_locks);
