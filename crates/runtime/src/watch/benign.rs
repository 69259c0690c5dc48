//! Memory on which the program has declared races to be harmless (`AnnotateBenignRace`), and stretches in which it wants none
//! reported at all (`AnnotateEnableRaceDetection`). Accesses there are recorded like others, because what they read may
//! decide what the program does; no race is reported there.

use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::thread::tls::Section;
use crate::watch::names;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

struct Range {
    start: usize,
    end: usize,
    next: *mut Range,
}

/// A list that only grows.
static RANGES: AtomicPtr<Range> = AtomicPtr::new(null_mut());
static GROWING: Spin<()> = Spin::new(());
/// The program wants no races reported just now.
static DISABLED: AtomicBool = AtomicBool::new(false);

fn ranges() -> impl Iterator<Item = &'static Range> {
    let mut at = RANGES.load(Ordering::Acquire);
    core::iter::from_fn(move || {
        // SAFETY: entries of the list are never freed, nor changed once they can be reached.
        let range = unsafe { at.as_ref() }?;
        at = range.next;
        Some(range)
    })
}

/// Races on these bytes are harmless.
pub fn declare(start: usize, bytes: usize) {
    let end = start.saturating_add(bytes);
    if bytes == 0 || ranges().any(|range| range.start <= start && end <= range.end) {
        return;
    }
    let _section = Section::nest();
    let growing = GROWING.lock();
    let Some(range) = arena::allocate(size_of::<Range>()) else { return };
    let range: *mut Range = range.cast();
    // SAFETY: the memory is new, aligned and large enough.
    unsafe { range.write(Range { start, end, next: RANGES.load(Ordering::Relaxed) }) };
    RANGES.store(range, Ordering::Release);
    drop(growing);
    names::note_benign(start, end);
}

/// Writes what was declared before the recording began.
pub fn write() {
    ranges().for_each(|range| names::note_benign(range.start, range.end));
}

/// Which bytes of a line of 64 bytes are declared; a bit each.
pub fn mask(line: usize) -> u64 {
    let overlap = |range: &Range| {
        let (from, to) = (range.start.clamp(line, line + 64) - line, range.end.clamp(line, line + 64) - line);
        if from < to { u64::MAX >> (64 - (to - from)) << from } else { 0 }
    };
    ranges().fold(0, |mask, range| mask | overlap(range))
}

/// Is this byte declared?
pub fn covers(at: usize) -> bool {
    ranges().any(|range| (range.start..range.end).contains(&at))
}

/// The program wants races reported from now on, or not.
pub fn enable(reports: bool) {
    DISABLED.store(!reports, Ordering::Relaxed);
}

/// Does the program want no races reported?
#[inline]
pub fn is_disabled() -> bool {
    DISABLED.load(Ordering::Relaxed)
}

/// In a forked child.
fn reset_locks() {
    GROWING.reset();
}
at_fork!(reset_locks);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_line() {
        let line = 0x7000_0000;
        declare(line + 60, 10);
        declare(line + 4, 4);
        assert_eq!((mask(line), mask(line + 64)), (0xf000_0000_0000_00f0, 0x3f));
        assert!(covers(line + 7) && !covers(line + 8) && covers(line + 69) && !covers(line + 70));
    }
}
