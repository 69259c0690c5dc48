//! Places where threads come late: who comes there lets everybody else go first.
//!
//! The order of a schedule is that of operations. What a plain access reads, and so what the program does next, hangs on
//! which thread is faster. Where that matters the schedule names the place, and a thread that has taken its last step waits
//! there until nobody else can go on, which is worked out as in [`stuck`]; then one goes, and the others wait for it as for
//! anybody. So the read sees what all others have written, or, if the place is that of the write, all others have read
//! before it, whatever else the machine does. It is a delay and nothing else: the race detector learns nothing from it.
//!
//! It is not for ever. A thread that reads the same again and again counts as blocked: it waits for what the late one will
//! do. Threads that run for long, or sleep in calls that we know nothing of, do not; who has waited for them long enough goes
//! on, and nobody is held at that place again.

use crate::gate::backoff::now;
use crate::gate::stuck::{self, Rest};
use crate::gate::{answer, order};
use crate::sys::elf::{self, Module};
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Waiting;
use crate::thread::{Shared, StopTheWorld, Thread, threads};
use crate::{axes, sys};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use foretrace_event::schedule::{Late, MOST_LATE};

/// A place.
struct LatePlace {
    /// The return address of its hook.
    pc: AtomicUsize,
    /// How often it is passed freely.
    after: AtomicU32,
    /// How often threads have come here.
    passed: AtomicU32,
    /// How often the others did nothing but wait for a change, and so the late one went on.
    awaited: AtomicU32,
}

static PLACES: [LatePlace; MOST_LATE] = [const {
    LatePlace {
        pc: AtomicUsize::new(0),
        after: AtomicU32::new(0),
        passed: AtomicU32::new(0),
        awaited: AtomicU32::new(0),
    }
}; MOST_LATE];
/// How many of them there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// When the program began, by the processor's clock.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// A place holds threads at most this many times.
const MOST_HELD: u32 = 32;
/// A thread has waited long enough after this much time by the processor's clock, about 200 milliseconds, and ten times as
/// long as the program had run when it came.
const PATIENCE: u64 = 400_000_000;
const PATIENCE_PER_TIME_RUN: u64 = 10;
/// A thread that repeats itself for so long, about eight milliseconds, waits for a change; where it was so before, half of that is enough, down to a
/// sixteenth.
const SPINNING: u64 = 16_000_000;
const MOST_HALVES: u32 = 4;
/// So many looks are a twentieth of a millisecond apart; then it is a whole one.
const FREQUENT: u32 = 20;

/// Reads the places. Those in files that are not loaded yet are never come to.
pub fn open(mut stream: &'static [u8]) {
    OPENED.store(now(), Ordering::Relaxed);
    let mut count = 0;
    while let Some(late) = Late::decode(&mut stream)
        && let Some(place) = PLACES.get(count)
    {
        elf::modules(|module| {
            if is_named(module, late.file) {
                place.pc.store(module.base().wrapping_add(late.address as usize), Ordering::Relaxed);
            }
        });
        place.after.store(late.after, Ordering::Relaxed);
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

/// A thread comes to an access. Waits, if this is a place for that.
#[inline]
pub fn come(player: &'static Thread, pc: usize, address: usize) {
    if COUNT.load(Ordering::Relaxed) > 0 {
        come_to(player, pc, address);
    }
}

/// A thread has loaded an atomic. If it has seen that value there of late, it may be waiting for another one.
#[inline]
pub fn load(player: &'static Thread, pc: usize, address: usize, value: [u64; 2]) {
    if COUNT.load(Ordering::Relaxed) > 0 {
        player.repeats.note(pc, address ^ (value[0] ^ value[1]).rotate_left(u64::BITS / 2) as usize);
    }
}

#[cold]
fn come_to(player: &'static Thread, pc: usize, address: usize) {
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

/// Waits until the thread may go on; false: it has waited long enough.
fn wait(player: &'static Thread, place: &LatePlace) -> bool {
    let began = now();
    let patience = PATIENCE + PATIENCE_PER_TIME_RUN * began.saturating_sub(OPENED.load(Ordering::Relaxed));
    let spinning = SPINNING >> place.awaited.load(Ordering::Relaxed).min(MOST_HALVES);
    let (mut looks, mut ran_at) = (0, began);
    while now().saturating_sub(began) < patience {
        let despite_spinning = now().saturating_sub(ran_at) > spinning;
        match look(player, despite_spinning) {
            Rest::Nobody => {
                place.awaited.fetch_add(despite_spinning.into(), Ordering::Relaxed);
                return true;
            }
            Rest::Spinning => {}
            Rest::Running => ran_at = now(),
        }
        sys::sleep(if looks < FREQUENT { 50_000 } else { 1_000_000 });
        looks += 1;
    }
    false
}

/// Who has to go before this thread? If there is nobody, it does not wait any more.
fn look(player: &'static Thread, despite_spinning: bool) -> Rest {
    let _section = Section::nest();
    let stopped = StopTheWorld::new();
    let late = |player: &'static Shared| Some((player.waiting(&stopped)?.late_at()?, player.index));
    let is_first = || threads().filter_map(late).min() == late(player.shared());
    match stuck::rest(&stopped) {
        Rest::Spinning if !despite_spinning => Rest::Spinning,
        Rest::Nobody | Rest::Spinning if is_first() => {
            player.set_waiting_among(&stopped, None);
            Rest::Nobody
        }
        _ => Rest::Running,
    }
}

/// Says how often threads have come to each place.
pub fn say_how_often() {
    for (number, place) in PLACES[..COUNT.load(Ordering::Relaxed)].iter().enumerate() {
        answer::passed(number, place.passed.load(Ordering::Relaxed));
    }
}
