//! Accesses that are not a hook of their own: of libc's functions on behalf of instrumented code, and of ranges.

use crate::sink::lines::{READ, WRITE, other, split};
use crate::thread::callers;
use crate::thread::tls::tls;
use crate::watch::benign;
use foretrace_event::table::{slot, tag};

/// Are accesses of the code at `pc` recorded?
#[inline]
pub fn counts(pc: usize) -> bool {
    !tls().thread.get().is_null() && callers::is_instrumented(pc)
}

/// Is an access of this kind by the code at `pc` to be noted just now?
#[inline]
pub fn is_noted(kind: u32, pc: usize) -> bool {
    counts(pc) && heeded(kind) != 0
}

/// The same, in a thread that ignores nothing.
#[inline]
pub fn is_noted_plainly(pc: usize) -> bool {
    callers::is_instrumented(pc) && !benign::is_disabled()
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
    tls.ignores.set(tls.ignored.iter().any(|count| count.get() != 0));
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

/// An access that the hook could not note by itself: `what` is the size, and the kind from bit 8.
pub unsafe extern "C" fn slow(address: usize, what: u32, pc: usize, frame: usize) {
    let (size, kind) = ((what & 0xff) as usize, what >> 8);
    let tls = tls();
    if !tls.recent.get().is_null() {
        // SAFETY: only a thread that has an object has such a table.
        let lines = unsafe { &*tls.thread.get() }.lines.get();
        if lines.add_at_place(address, size, kind, pc) {
            return;
        }
    }
    if (address & 63) + size > 64 || benign::is_disabled() || !super::note_plainly(address, size, kind, pc) {
        slower(address, size, kind, pc, frame);
    }
}

/// Kept out of line, so that finding a line by its place needs little stack.
#[inline(never)]
fn slower(address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    access_from(address, size, kind, pc, frame);
}

/// Notes an access of any size by an interposed function.
pub fn access(address: usize, size: usize, kind: u32, pc: usize) {
    access_from(address, size, kind, pc, tls().frame.get());
}

fn access_from(address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    if size == 0 {
        return;
    }
    if tls().thread.get().is_null() {
        return;
    }
    let kind = heeded(kind);
    if kind != 0 {
        super::access(address, size, kind, pc, frame);
    }
}

/// A series of accesses that a loop makes: `count` of them, `step` apart. The line is looked for here as in the hooks.
pub fn series(at: usize, step: isize, count: usize, size: usize, kind: u32, pc: usize) {
    let stride = step.unsigned_abs();
    let bytes = stride.saturating_mul(count.saturating_sub(1)).saturating_add(size);
    if count == 0 || bytes > LONGEST {
        return access(at, size, kind, pc);
    }
    if crate::axes::keeps_every_access() {
        let element = |round| at.wrapping_add_signed(step.wrapping_mul(round as isize));
        return (0..count).for_each(|round| access(element(round), size, kind, pc));
    }
    // Without gaps it is one access.
    if stride <= size || count == 1 {
        return block(if step < 0 { at.wrapping_sub(bytes - size) } else { at }, bytes, kind, pc);
    }
    let element = |round| at.wrapping_add_signed(step.wrapping_mul(round as isize));
    if stride >= 64 {
        return (0..count).for_each(|round| block(element(round), size, kind, pc));
    }
    // Several in one line are noted at once.
    let (mut line, mut bytes) = (at & !63, 0);
    for round in 0..count {
        split(element(round), size, |at, part| {
            if at & !63 != line {
                note(line, bytes, kind, pc);
                (line, bytes) = (at & !63, 0);
            }
            bytes |= part;
        });
    }
    note(line, bytes, kind, pc);
}

/// A series that reaches further than this has not been counted right: the program does not come to its end either.
const LONGEST: usize = 1 << 40;

/// Notes an access of any size, from a hook.
#[inline]
fn block(address: usize, size: usize, kind: u32, pc: usize) {
    split(address, size, |at, bytes| note(at, bytes, kind, pc));
}

/// Notes bytes of one line: if it is in the table, that costs no more than in the hooks.
#[inline]
fn note(at: usize, bytes: u64, kind: u32, pc: usize) {
    let tls = tls();
    let (entries, mask) = (tls.lines.get(), tls.slot_mask.get());
    let first = slot(at as u64, mask);
    // SAFETY: the table that the hooks look into is as large as its mask says, and this thread's alone.
    let mut entry = unsafe { &mut *entries.add(first as usize) };
    if !entry.is_of(tag(at as u64)) {
        // SAFETY: as above.
        entry = unsafe { &mut *entries.add(other(first, mask) as usize) };
    }
    if entry.is_of(tag(at as u64)) {
        entry.add(if kind & READ != 0 { bytes } else { 0 }, if kind & WRITE != 0 { bytes } else { 0 });
    } else {
        missed(at & !63, bytes, kind, pc);
    }
}

/// The bytes of a line that is not in the table, run by run.
#[cold]
fn missed(line: usize, mut bytes: u64, kind: u32, pc: usize) {
    while bytes != 0 {
        let start = bytes.trailing_zeros();
        let size = (bytes >> start).trailing_ones();
        access(line + start as usize, size as usize, kind, pc);
        bytes &= u64::MAX.checked_shl(start + size).unwrap_or(0);
    }
}
