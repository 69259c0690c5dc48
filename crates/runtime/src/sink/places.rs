//! Places in the program's code by number, so that a touched line takes less room: see [`table`]. A window is numbered when
//! the first place in it touches a line; a program's code lies in two or three.

use crate::memory::spin::Spin;
use crate::sink::recording;
use core::sync::atomic::{AtomicU64, Ordering};
use foretrace_event::table::{self, WINDOWS, window, window_number};

/// The windows in use, then zeros.
static KNOWN: [AtomicU64; WINDOWS] = [const { AtomicU64::new(0) }; WINDOWS];
static CHANGING: Spin<()> = Spin::new(());

/// The window that a thread's last place was in. All zero: none.
pub struct Latest {
    window: u64,
    number: u32,
}

impl Latest {
    /// The number of a place in the same window as the last one.
    #[inline]
    pub const fn near(&self, pc: u64) -> Option<u32> {
        if window(pc) == self.window { Some(table::place(self.number, pc)) } else { None }
    }

    /// The number of a place; `None` if all windows are others.
    #[inline]
    pub fn place(&mut self, pc: u64) -> Option<u32> {
        let window = window(pc);
        if window != self.window {
            *self = Self { window, number: number(window)? };
        }
        Some(table::place(self.number, pc))
    }
}

/// The number of a window. One that has none gets it, and it is in the recording before anything names it.
#[cold]
fn number(window: u64) -> Option<u32> {
    let first_of = |wanted: &[u64]| KNOWN.iter().position(|known| wanted.contains(&known.load(Ordering::Relaxed)));
    if let Some(number) = first_of(&[window]) {
        return Some(number as u32);
    }
    let _changing = CHANGING.lock();
    let number = first_of(&[window, 0])?;
    recording::set_window(number, window);
    KNOWN[number].store(window, Ordering::Relaxed);
    Some(number as u32)
}

/// The program counter of a place.
#[inline]
pub fn pc(place: u32) -> u64 {
    table::pc(KNOWN[window_number(place)].load(Ordering::Relaxed), place)
}

/// A recording begins.
pub fn write() {
    let _changing = CHANGING.lock();
    for (number, known) in KNOWN.iter().enumerate() {
        recording::set_window(number, known.load(Ordering::Relaxed));
    }
}

/// In a forked child.
fn reset_locks() {
    CHANGING.reset();
}
at_fork!(reset_locks);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again() {
        let mut latest = Latest { window: 0, number: 0 };
        for at in [0, 1, 0x40_1000, 0x5555_5555_5000, 0x40_1234] {
            assert_eq!(latest.place(at).map(pc), Some(at));
        }
    }
}
