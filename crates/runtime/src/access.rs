//! Accesses that are not a hook of their own: of libc's functions on behalf of instrumented code, and of ranges.

use crate::lines::{READ, WRITE, access};
use crate::tls::tls;
use crate::{benign, callers};

/// Are accesses of the code at `pc` recorded?
#[inline]
pub fn counts(pc: usize) -> bool {
    !tls().thread.get().is_null() && callers::is_instrumented(pc)
}

/// The caller at `pc` has had these bytes read.
#[inline]
pub fn reads<T>(pc: usize, at: *const T, bytes: usize) {
    if counts(pc) && !at.is_null() {
        access(at as usize, bytes, READ, pc);
    }
}

/// The caller at `pc` has had these bytes written.
#[inline]
pub fn writes<T>(pc: usize, at: *const T, bytes: usize) {
    if counts(pc) && !at.is_null() {
        access(at as usize, bytes, WRITE, pc);
    }
}

/// The caller at `pc` has had this value written.
#[inline]
pub fn fills<T>(pc: usize, at: *const T) {
    writes(pc, at, size_of::<T>());
}

/// Stops recording accesses of these kinds in this thread, until [`resume`].
pub fn ignore(kind: u32) {
    each(kind, |count| count.saturating_add(1));
}

/// Goes on recording them, if it was the last to stop it.
pub fn resume(kind: u32) {
    each(kind, |count| count.saturating_sub(1));
}

fn each(kind: u32, change: impl Fn(u16) -> u16) {
    let tls = tls();
    for (index, bit) in [READ, WRITE].into_iter().enumerate() {
        if kind & bit != 0 {
            tls.ignored[index].set(change(tls.ignored[index].get()));
        }
    }
    crate::thread::choose_lines();
}

/// The kinds of access that this thread's recorder is to note just now.
#[inline]
pub fn heeded(kind: u32) -> u32 {
    if benign::is_disabled() {
        return 0;
    }
    let [reads, writes] = &tls().ignored;
    let ignored = if reads.get() == 0 { 0 } else { READ } | if writes.get() == 0 { 0 } else { WRITE };
    kind & !ignored
}
