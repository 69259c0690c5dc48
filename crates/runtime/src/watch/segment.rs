//! The race detector on segments: the cheap way. A thread's accesses are gathered by line, as when recording, and checked
//! all at once when the segment ends; the vector clock does not change in between, so nothing is missed.
//!
//! It sees every race that [`crate::watch::race`] sees access by access, but knows of the later access only the first place that
//! touched its line, and of the earlier one none. A replay that finds a race is run once more to tell the places.

mod known;

use crate::axes;
use crate::gate::answer::{self, Answer};
use crate::memory::pages::Pages;
use crate::sink::lines::Sink;
use crate::sink::stream::Stream;
use crate::thread::clock::Epoch;
use crate::thread::{Shared, Thread, threads};
use crate::watch::{benign, horizon, unseen};
use foretrace_event::wire::{Access, Op};
use known::{Known, LINE, Masks, Past};

static LINES: Pages<Known, LINE> = Pages::new();

/// A thread's segment, to whose end the lines are handed.
struct Segment(&'static Thread);

impl Sink for Segment {
    const LOOKS_AHEAD: bool = true;

    #[inline]
    fn soon(&mut self, address: usize) {
        prefetch(address);
    }

    #[inline]
    fn take(&mut self, access: &Access) {
        let masks = Masks { reads: access.reads, writes: access.writes, atomic: false };
        check(self.0, access.line as usize * LINE, masks, access.pc as usize);
    }
}

/// Lines that are written as well as checked.
struct Both<'a>(&'a mut Stream, Segment);

impl Sink for Both<'_> {
    const LOOKS_AHEAD: bool = true;

    #[inline]
    fn soon(&mut self, address: usize) {
        self.1.soon(address);
    }

    #[inline]
    fn take(&mut self, access: &Access) {
        self.0.take(access);
        self.1.take(access);
    }
}

/// Lets the lines of a thread go where the sink and the watch want them.
macro_rules! with_lines {
    ($thread:expr, |$lines:ident, $to:ident| $work:expr) => {{
        let $lines = $thread.lines.get();
        match ($thread.stream.get(), axes::watches_segments()) {
            (Some($to), false) => $work,
            (None, true) => {
                let $to = &mut Segment($thread);
                $work
            }
            (Some(stream), true) => {
                let $to = &mut Both(stream, Segment($thread));
                $work
            }
            (None, false) => {}
        }
    }};
}

/// Ends a segment: what it touched is written and checked. The caller is in a section.
#[inline]
pub fn end(thread: &'static Thread) {
    with_lines!(thread, |lines, to| lines.flush(to));
}

/// Writes and checks the lines of a block whose memory is about to have another meaning.
pub fn end_block(thread: &'static Thread, start: usize, size: usize) {
    with_lines!(thread, |lines, to| lines.flush_block(to, start, size));
}

/// Notes bytes of one line until the segment ends.
#[inline]
pub fn touch(thread: &'static Thread, address: usize, reads: u64, writes: u64, pc: usize) {
    with_lines!(thread, |lines, to| lines.touch(to, address, reads, writes, pc));
}

/// Writes and checks bytes of one line at once.
pub fn take(thread: &'static Thread, access: &Access) {
    with_lines!(thread, |_lines, to| to.take(access));
}

/// A line has been touched that will be checked when the segment ends.
#[inline]
pub fn prefetch(address: usize) {
    LINES.prefetch(address);
}

/// Checks an atomic access, which lies within a line.
pub fn atomic(player: &'static Thread, op: Op, address: usize, size: usize, pc: usize) {
    let loads = matches!(op, Op::AtomicLoad | Op::AtomicCasFailed);
    check(player, address & !(LINE - 1), Masks::atomic(address, size, !loads), pc);
}

/// A look at the past of a line from the end of a segment.
struct Examination {
    player: &'static Thread,
    line: usize,
    epoch: Epoch,
    masks: Masks,
    /// What is to be remembered and is not yet.
    kinds: [Past; 2],
    /// Something need not be remembered any more.
    emptied: bool,
    race: Option<Past>,
}

impl Examination {
    #[inline]
    fn at(&mut self, past: &mut Past) {
        let epoch = past.epoch();
        if epoch == self.epoch {
            past.bytes &= !self.masks.covers(*past);
            // No release lies between them: who knows of one knows of both.
            for kind in &mut self.kinds {
                if kind.when == past.when {
                    past.bytes |= core::mem::take(&mut kind.bytes);
                }
            }
            self.emptied |= past.bytes == 0;
        } else if horizon::is_past(epoch) {
            past.bytes = 0;
            self.emptied = true;
        } else if past.bytes & self.masks.all() == 0 {
            // Most of a line's past is about other bytes.
        } else if epoch >> 32 == self.epoch >> 32 || self.player.clock.get().knows(epoch) {
            past.bytes &= !self.masks.covers(*past);
            self.emptied |= past.bytes == 0;
        } else if self.race.is_none() && reportable(self.line, self.masks, *past) != 0 {
            self.race = Some(*past);
        }
    }
}

/// The bytes on which a race is to be reported.
fn reportable(line: usize, masks: Masks, past: Past) -> u64 {
    match masks.conflicts(past) {
        0 => 0,
        conflicts => conflicts & !benign::mask(line),
    }
}

#[inline]
fn check(player: &'static Thread, line: usize, masks: Masks, pc: usize) {
    if let Some(past) = examine(player, line, masks) {
        tell(player, line, masks, pc, past);
    }
}

/// Notes what a segment does to a line, and looks for something earlier that it races with.
#[inline]
fn examine(player: &'static Thread, line: usize, masks: Masks) -> Option<Past> {
    let known = LINES.cell(line)?;
    // SAFETY: the cell is valid for ever; all but its lock is used under the lock.
    let known = unsafe { &*known };
    let epoch = player.clock.get().epoch();
    let mut look = Examination { player, line, epoch, masks, kinds: masks.kinds(epoch), emptied: false, race: None };
    known.with(|known| {
        known.each(|past| look.at(past));
        if look.emptied {
            known.prune();
        }
        look.kinds.into_iter().filter(|kind| kind.bytes != 0).for_each(|kind| known.push(kind));
    });
    look.race
}

#[cold]
fn tell(player: &'static Thread, line: usize, masks: Masks, pc: usize, past: Past) {
    let bytes = reportable(line, masks, past);
    let other = threads().find(|other| other.number == (past.epoch() >> 32) as u32);
    let in_touch = |thread: &Shared| unseen::of(thread, core::iter::empty());
    let libraries = in_touch(player) & other.map_or(0, in_touch);
    if !answer::is_news(pc as u64 ^ (line as u64).rotate_left(32), libraries) {
        return;
    }
    let first = 1u64 << bytes.trailing_zeros();
    let size = (bytes >> bytes.trailing_zeros()).trailing_ones();
    let address = line + bytes.trailing_zeros() as usize;
    let mut answer = Answer::new();
    answer.line("race").hex("address", address).decimal("size", size.into()).library(unseen::address_of(libraries));
    tell_access(&mut answer, player.index, masks.writes & first != 0, masks.atomic, size, pc);
    let other = other.map_or(u32::MAX, |other| other.index);
    tell_access(&mut answer, other, past.is_write(), past.is_atomic(), size, 0);
    drop(answer);
    answer::__foretrace_failed();
}

fn tell_access(answer: &mut Answer, thread: u32, write: bool, atomic: bool, size: u32, pc: usize) {
    let kind = if write { "write" } else { "read" };
    let line = answer.line("access").decimal("thread", thread.into()).word("kind", kind);
    let line = line.decimal("atomic", atomic.into()).decimal("size", size.into());
    line.hex("pc", pc).word("exact", "0");
}

/// Checks the end of a block: a write of it, or if it is large, of all that is known of it.
pub fn free(player: &'static Thread, start: usize, size: usize, pc: usize) {
    LINES.each_made(start, size, |_, line| {
        let (from, to) = (start.max(line) - line, start.saturating_add(size).min(line + LINE) - line);
        let writes = (u64::MAX >> (64 - (to - from))) << from;
        check(player, line, Masks { reads: 0, writes, atomic: false }, pc);
    });
}

/// Forgets what is known of a block.
pub fn clear(start: usize, size: usize) {
    LINES.each(start, size, |known, line| {
        // SAFETY: as in `examine`.
        unsafe { &*known }.with(|known| {
            if known.count.get() > 0 {
                let (from, to) = (start.max(line) - line, start.saturating_add(size).min(line + LINE) - line);
                let gone = (u64::MAX >> (64 - (to - from))) << from;
                known.each(|past| past.bytes &= !gone);
                known.prune();
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::lines::split;
    use crate::thread::tls::Section;
    use crate::watch::naive::{self, Trace};
    use core::cell::Cell;

    /// Where the lines of a segment go in the tests.
    struct Found<'a>(&'static Thread, &'a Cell<bool>);

    impl Found<'_> {
        fn check(&self, line: usize, masks: Masks) {
            self.1.set(self.1.get() | examine(self.0, line, masks).is_some());
        }
    }

    impl Sink for Found<'_> {
        fn take(&mut self, access: &Access) {
            let masks = Masks { reads: access.reads, writes: access.writes, atomic: false };
            self.check(access.line as usize * LINE, masks);
        }
    }

    /// Is there a race in the trace, if it is checked by segments?
    fn finds_race(players: &[&'static Thread], trace: &Trace, base: usize) -> bool {
        let found = Cell::new(false);
        let end = |player: &'static Thread| player.lines.get().flush(&mut Found(player, &found));
        let access = |player: &'static Thread, access: naive::Access| {
            let naive::Access { at, size, write, atomic } = access;
            if atomic {
                end(player);
                let masks = Masks::atomic(base + at, size, write);
                return Found(player, &found).check((base + at) & !(LINE - 1), masks);
            }
            split(base + at, size, |at, mask| {
                let (reads, writes) = if write { (0, mask) } else { (mask, 0) };
                player.lines.get().touch(&mut Found(player, &found), at, reads, writes, 0x1000);
            });
        };
        trace.play(base, players, access, end);
        players.iter().copied().for_each(end);
        found.get()
    }

    #[test]
    fn agrees_with_the_definition() {
        let _section = Section::nest();
        let players = naive::players();
        for number in 6_000..12_000 {
            let (trace, base) = (Trace::random(number), Trace::base(number));
            assert_eq!(finds_race(&players, &trace, base), trace.races, "trace {number}: {:?}", trace.events);
        }
    }

    /// Every kind of access to one byte.
    const KINDS: [Masks; 6] = {
        const fn kind(reads: u64, writes: u64, atomic: bool) -> Masks {
            Masks { reads, writes, atomic }
        }
        [kind(1, 0, false), kind(0, 1, false), kind(1, 1, false), kind(1, 0, true), kind(0, 1, true), kind(1, 1, true)]
    };

    fn conflict(a: Masks, b: Masks) -> bool {
        (a.writes | b.writes) != 0 && !(a.atomic && b.atomic)
    }

    #[test]
    fn what_is_remembered_conflicts_as_the_accesses_do() {
        for earlier in KINDS {
            for later in KINDS {
                let found = earlier.kinds(0).iter().any(|past| later.conflicts(*past) != 0);
                assert_eq!(found, conflict(earlier, later), "{earlier:?} {later:?}");
            }
        }
    }

    #[test]
    fn whoever_races_with_what_is_forgotten_races_with_what_is_not() {
        for earlier in KINDS {
            for later in KINDS {
                let forgotten = earlier.kinds(0).map(|past| Past { bytes: past.bytes & later.covers(past), ..past });
                for third in KINDS {
                    let missed = forgotten.iter().any(|past| third.conflicts(*past) != 0);
                    assert!(!missed || conflict(later, third), "{earlier:?} {later:?} {third:?}");
                }
            }
        }
    }

    #[test]
    fn pasts_are_kept_in_order_near_and_far() {
        // SAFETY: zero bytes are a line of which nothing is known.
        let known: Known = unsafe { core::mem::zeroed() };
        let past = |number: u64| Past { when: number, bytes: number };
        (1..=40).for_each(|number| known.push(past(number)));
        known.each(|past| past.bytes *= past.when & 1);
        known.prune();
        (41..=50).for_each(|number| known.push(past(number)));
        let mut kept: Vec<Past> = known.near().iter().map(Cell::get).collect();
        kept.extend(known.far().iter().map(Cell::get));
        assert_eq!(kept, (1..=40).filter(|number| number % 2 == 1).chain(41..=50).map(past).collect::<Vec<_>>());
    }
}
