//! Plain accesses, and memory that comes and goes.

use super::work;
use crate::axes;
use crate::gate::{controlled as one_by_one, delay};
use crate::op::symbolic;
use crate::sink::lines::{READ, WRITE, split};
use crate::sys::settings::Watch;
use crate::thread::tls::{Section, tls};
use crate::thread::{self, Thread};
use crate::watch::blocks::{self, Origin};
use crate::watch::{race, segment, shadow};
use foretrace_event::wire::Op;

/// The current thread, which takes part, is about to make a plain access. It is in no section.
#[inline]
pub fn before_access(player: &'static Thread, address: usize, size: usize, kind: u32, pc: usize) {
    if one_by_one::is_visible(address, size) {
        one_by_one::ask_for_access(player, address, size, kind & WRITE != 0, pc);
        symbolic::begin_access(address, size, kind & WRITE != 0, pc);
    }
    delay::reach(player, pc, address);
}

/// A plain access of a thread that takes part. It is in a section.
#[inline]
pub fn access(player: &'static Thread, address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    if player.published.is_awaiting() {
        // What it waited for has failed.
        player.published.set_awaited(None);
    }
    one_by_one::notes::access(player, address, size, kind);
    let watch = axes::watch();
    if watch == Watch::Segments as u8 {
        return;
    }
    note_polled(player, address, size, kind);
    if watch == Watch::Accesses as u8 {
        race::access(player, address, size, kind, pc, frame);
    }
}

/// An access belongs to the round of polling that the thread may be in.
#[inline]
fn note_polled(player: &'static Thread, address: usize, size: usize, kind: u32) {
    if player.rounds.get().is_open() {
        split(address, size, |at, mask| {
            let bytes = |wanted: u32| if kind & wanted != 0 { mask } else { 0 };
            player.rounds.get().touch(at, bytes(READ), bytes(WRITE));
        });
    }
}

/// A line has been touched in a segment that will be checked.
#[inline]
pub fn touched(player: &'static Thread, address: usize) {
    if player.lines.get().is_calm() {
        segment::prefetch(address);
    }
    work(player, 1);
}

/// Memory has come into being, or has another meaning from now on.
pub fn renew(at: usize, size: usize, asked: usize, origin: Origin, pc: usize) {
    if let Some(player) = thread::taking_part()
        && let Some(_section) = Section::enter()
    {
        forget(at, size);
        player.record(Op::Alloc, at, size as u64, pc);
        if axes::watches_accesses() {
            blocks::note(at, asked, origin, pc);
        }
    }
}

/// Memory has come into being before there is anything to replay.
pub fn note_early(at: usize, asked: usize, origin: Origin, pc: usize) {
    if let Some(_section) = Section::enter() {
        blocks::note(at, asked, origin, pc);
    }
}

/// Memory is about to go away: what this thread did to it is checked first. Code of the program's own that frees it, at
/// `pc`, writes it.
pub fn expire(at: usize, size: usize, pc: Option<usize>) {
    if let Some(player) = thread::taking_part()
        && let Some(_section) = Section::enter()
    {
        segment::end_block(player, at, size);
        match pc {
            Some(pc) if axes::watches_accesses() => race::free(player, at, size, pc, tls().frame.get()),
            Some(pc) if axes::watches_segments() => segment::free(player, at, size, pc),
            _ => {}
        }
        player.record(Op::Free, at, size as u64, pc.unwrap_or(0));
    }
}

/// Forgets what is known of a block.
pub(super) fn forget(at: usize, size: usize) {
    if axes::watches_accesses() { shadow::clear(at, size) } else { segment::clear(at, size) }
}
