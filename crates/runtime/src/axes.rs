//! Which of the gate, the sink and the watch are on, as all layers may ask, and the settings behind that.

use crate::memory::spin::Spin;
use crate::sys;
use crate::sys::settings::{Gate, Settings, Watch};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};

pub const UNKNOWN: u8 = 0;
pub const OFF: u8 = 1;
pub const ARMED: u8 = 2;
/// From here on the program is live.
pub const LIVE: u8 = 4;
/// Live, and operations are written down.
pub const RECORDED: u8 = 8;
/// Live, and threads take part in the gate or in the watch.
pub const TAKES_PART: u8 = 16;

pub static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
pub static SETTINGS: Spin<Option<Settings>> = Spin::new(None);
pub static PLACES: AtomicBool = AtomicBool::new(false);
pub static EVERY: AtomicBool = AtomicBool::new(false);
/// What is checked, from the first thread on.
pub static WATCH: AtomicU8 = AtomicU8::new(Watch::Nothing as u8);
/// Instrumented code is part of the program.
pub static INSTRUMENTED: AtomicBool = AtomicBool::new(false);

/// Will accesses be examined one by one, so that it matters where memory comes from, and are they not yet?
#[inline]
pub fn will_watch_accesses() -> bool {
    watches_accesses() && STATE.load(Ordering::Acquire) == ARMED
}

/// Is the program run under the controlled gate, from now or from its first thread on?
pub fn is_explored() -> bool {
    let settings = SETTINGS.lock();
    settings.as_ref().is_some_and(|settings| matches!(settings.gate, Gate::Controlled { .. }))
}

/// What is checked, as a number of [`Watch`].
#[inline]
pub fn watch() -> u8 {
    WATCH.load(Ordering::Relaxed)
}

/// Is each access examined?
#[inline]
pub fn watches_accesses() -> bool {
    watch() == Watch::Accesses as u8
}

/// Are accesses examined when their segment ends?
#[inline]
pub fn watches_segments() -> bool {
    watch() == Watch::Segments as u8
}

/// Is the program recorded, from now or from its first thread on?
#[inline]
pub fn is_on() -> bool {
    STATE.load(Ordering::Acquire) >= ARMED
}

/// Do threads take part in the gate or in the watch?
#[inline]
pub fn is_replaying() -> bool {
    STATE.load(Ordering::Acquire) & TAKES_PART != 0
}

/// Do operations count for the gate, the sink or the watch?
#[inline]
pub fn is_live() -> bool {
    STATE.load(Ordering::Acquire) >= LIVE
}

/// Are operations being written?
#[inline]
pub fn is_recording() -> bool {
    STATE.load(Ordering::Acquire) & RECORDED != 0
}

/// Are operations being written, and is that all that is done with them?
#[inline]
pub fn only_records() -> bool {
    STATE.load(Ordering::Acquire) & (RECORDED | TAKES_PART) == RECORDED
}

/// Are accesses kept apart by program counter?
pub fn keeps_places() -> bool {
    PLACES.load(Ordering::Relaxed)
}

/// Is each access a record of its own?
pub fn keeps_every_access() -> bool {
    EVERY.load(Ordering::Relaxed)
}

/// Is there instrumented code in the program? If not, memory is of no interest.
#[inline]
pub fn is_instrumented() -> bool {
    INSTRUMENTED.load(Ordering::Relaxed)
}

/// Opens one of the recording's side files for appending.
pub fn side_file(name: &[u8]) -> Option<i32> {
    let settings = SETTINGS.lock();
    sys::open(&settings.as_ref()?.path(name), libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_NOFOLLOW, 0o600)
        .ok()
}

/// Opens one of the recording's own files, which is there.
pub fn own_file(name: &[u8]) -> Option<i32> {
    let settings = SETTINGS.lock();
    sys::open(&settings.as_ref()?.path(name), libc::O_RDWR | libc::O_NOFOLLOW, 0).ok()
}

/// In a forked child. Was the parent recorded?
pub fn leave() -> bool {
    let follow = SETTINGS.lock().as_ref().is_some_and(|settings| settings.follow);
    let state = if follow { ARMED } else { OFF };
    STATE.swap(state, Ordering::AcqRel) & RECORDED != 0
}
