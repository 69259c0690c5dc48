//! Delay points: a thread that reaches one waits until no other thread can go on.
//!
//! A schedule orders operations. The value that a plain access reads, and so what the program does next, depends on which
//! thread is faster. Where that matters, the schedule names a delay point. A thread that has taken its last step waits
//! there until no other thread can go on, by the test of [`stuck`]; then one delayed thread continues, and the others wait
//! for it in the same way. A read at a delay point therefore sees everything that other threads have written, and a write
//! comes after everything that they have read. The race detector learns nothing from a delay.
//!
//! A delay ends in any case. A thread that repeats the same reads counts as polling, that is, as waiting for what the
//! delayed thread will do. Threads that run for long, or sleep in calls that the runtime does not know, do not; a thread
//! that has waited for them long enough goes on, and its delay point is switched off.

use crate::gate::backoff::now;
use crate::gate::stuck::{self, Rest};
use crate::gate::{answer, order};
use crate::sys::elf::{self, Module};
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Waiting;
use crate::thread::{Shared, StopTheWorld, Thread, threads};
use crate::{axes, sys};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use foretrace_event::schedule::{DelayPoint, MOST_DELAY_POINTS};

/// A delay point.
struct DelayPlace {
    /// The return address of its hook.
    pc: AtomicUsize,
    /// How often it is passed freely.
    after: AtomicU32,
    /// How often threads have reached it.
    passed: AtomicU32,
    /// How often a delayed thread went on because all others were polling.
    awaited: AtomicU32,
}

static PLACES: [DelayPlace; MOST_DELAY_POINTS] = [const {
    DelayPlace {
        pc: AtomicUsize::new(0),
        after: AtomicU32::new(0),
        passed: AtomicU32::new(0),
        awaited: AtomicU32::new(0),
    }
}; MOST_DELAY_POINTS];
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// When the program began, by the processor's clock.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// A delay point delays at most this many times.
const MOST_HELD: u32 = 32;
/// The longest delay, by the processor's clock: about 200 milliseconds, and ten times as long as the program had run before.
const PATIENCE: u64 = 400_000_000;
const PATIENCE_PER_TIME_RUN: u64 = 10;
/// A thread that repeats itself for about eight milliseconds counts as polling. Each time that a delay point has ended in
/// this way, half of that is enough, down to a sixteenth.
const SPINNING: u64 = 16_000_000;
const MOST_HALVES: u32 = 4;
/// The first polls are a twentieth of a millisecond apart, later ones a whole millisecond.
const FREQUENT: u32 = 20;

/// Reads the delay points. Those in files that are not loaded yet are never reached.
pub fn open(mut stream: &'static [u8]) {
    OPENED.store(now(), Ordering::Relaxed);
    let mut count = 0;
    while let Some(point) = DelayPoint::decode(&mut stream)
        && let Some(place) = PLACES.get(count)
    {
        elf::modules(|module| {
            if is_named(module, point.file) {
                place.pc.store(module.base().wrapping_add(point.address as usize), Ordering::Relaxed);
            }
        });
        place.after.store(point.after, Ordering::Relaxed);
        count += 1;
    }
    COUNT.store(if axes::watches_accesses() { count } else { 0 }, Ordering::Relaxed);
}

fn is_named(module: &Module<'_>, wanted: &[u8]) -> bool {
    let mut link = [0; 4096];
    let path = if module.is_executable() {
        let length = sys::read_link(b"/proc/self/exe\0", &mut link);
        &link[..length]
    } else {
        module.name()
    };
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let blank = |byte: &u8| if byte.is_ascii_whitespace() { b'_' } else { *byte };
    path[start..].iter().map(blank).eq(wanted.iter().copied())
}

/// A thread is about to make an access. It waits if this is a delay point.
#[inline]
pub fn reach(player: &'static Thread, pc: usize, address: usize) {
    if COUNT.load(Ordering::Relaxed) > 0 {
        reach_point(player, pc, address);
    }
}

/// A thread has loaded an atomic. If it keeps seeing the same value, it may be polling.
#[inline]
pub fn load(player: &'static Thread, pc: usize, address: usize, value: [u64; 2]) {
    if COUNT.load(Ordering::Relaxed) > 0 {
        player.repeats.note(pc, address ^ (value[0] ^ value[1]).rotate_left(u64::BITS / 2) as usize);
    }
}

#[cold]
fn reach_point(player: &'static Thread, pc: usize, address: usize) {
    player.repeats.note(pc, address);
    let places = &PLACES[..COUNT.load(Ordering::Relaxed)];
    let Some(number) = places.iter().position(|place| place.pc.load(Ordering::Relaxed) == pc) else { return };
    let place = &places[number];
    if tls().sections.get() != 0 || !order::has_finished(player.index) {
        return;
    }
    let passed = place.passed.fetch_add(1, Ordering::Relaxed);
    let after = place.after.load(Ordering::Relaxed);
    if passed < after || passed >= after.saturating_add(MOST_HELD) {
        return;
    }
    player.set_waiting(Some(Waiting::to_be_last(number)));
    if !wait(player, place) {
        place.after.store(u32::MAX, Ordering::Relaxed);
        player.set_waiting(None);
    }
}

/// Waits until the thread may go on. False means that it has waited long enough.
fn wait(player: &'static Thread, place: &DelayPlace) -> bool {
    let began = now();
    let patience = PATIENCE + PATIENCE_PER_TIME_RUN * began.saturating_sub(OPENED.load(Ordering::Relaxed));
    let spinning = SPINNING >> place.awaited.load(Ordering::Relaxed).min(MOST_HALVES);
    let (mut polls, mut ran_at) = (0, began);
    while now().saturating_sub(began) < patience {
        let despite_spinning = now().saturating_sub(ran_at) > spinning;
        match poll(player, despite_spinning) {
            Rest::Nobody => {
                place.awaited.fetch_add(despite_spinning.into(), Ordering::Relaxed);
                return true;
            }
            Rest::Spinning => {}
            Rest::Running => ran_at = now(),
        }
        sys::sleep(if polls < FREQUENT { 50_000 } else { 1_000_000 });
        polls += 1;
    }
    false
}

/// Which threads have to go before this one? If there are none, it stops waiting.
fn poll(player: &'static Thread, despite_spinning: bool) -> Rest {
    let _section = Section::nest();
    let stopped = StopTheWorld::new();
    let delayed = |player: &'static Shared| Some((player.waiting(&stopped)?.delayed_at()?, player.index));
    let is_first = || threads().filter_map(delayed).min() == delayed(player.shared());
    match stuck::rest(&stopped) {
        Rest::Spinning if !despite_spinning => Rest::Spinning,
        Rest::Nobody | Rest::Spinning if is_first() => {
            player.set_waiting_among(&stopped, None);
            Rest::Nobody
        }
        _ => Rest::Running,
    }
}

/// Reports how often threads have reached each delay point.
pub fn report_passes() {
    for (number, place) in PLACES[..COUNT.load(Ordering::Relaxed)].iter().enumerate() {
        answer::passed(number, place.passed.load(Ordering::Relaxed));
    }
}
