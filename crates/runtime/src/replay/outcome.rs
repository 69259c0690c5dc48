//! What the replay answers: lines of the file `outcome`, as `foretrace_event::schedule` describes them.

use super::stack::{self, StackId};
use super::stuck::Waiting;
use super::{Player, Still, schedule};
use crate::map::Map;
use crate::settings::{Decimal, Settings};
use crate::spin::Spin;
use crate::sys;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use foretrace_event::schedule::EXIT_STOPPED;
use foretrace_event::wire::Op;

static FILE: AtomicI32 = AtomicI32::new(-1);
static HOLD: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Creates the file.
pub fn open(settings: &Settings) {
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | libc::O_NOFOLLOW;
    if let Ok(fd) = sys::open(&settings.path(b"outcome"), flags, 0o600) {
        FILE.store(sys::move_high(fd), Ordering::Relaxed);
    }
    HOLD.store(settings.hold, Ordering::Relaxed);
}

/// A line under construction; what does not fit is cut.
pub struct Line {
    bytes: [u8; 2048],
    used: usize,
}

impl Line {
    /// Beginning with a word.
    pub fn new(word: &[u8]) -> Self {
        let mut line = Self { bytes: [0; 2048], used: 0 };
        line.put(word);
        line
    }

    fn put(&mut self, part: &[u8]) {
        let part = &part[..part.len().min(self.bytes.len() - 1 - self.used)];
        self.bytes[self.used..self.used + part.len()].copy_from_slice(part);
        self.used += part.len();
    }

    /// A word as it is.
    pub fn word(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.put(value.as_bytes());
        self
    }

    /// A number in decimal.
    pub fn decimal(mut self, key: &str, value: i64) -> Self {
        self.key(key);
        if value < 0 {
            self.put(b"-");
        }
        self.put(Decimal::new(value.unsigned_abs()).bytes());
        self
    }

    /// A number in hexadecimal.
    pub fn hex(mut self, key: &str, value: usize) -> Self {
        self.key(key);
        self.put_hex(value);
        self
    }

    /// Numbers in hexadecimal, joined by commas.
    pub fn list(mut self, key: &str, values: impl Iterator<Item = usize>) -> Self {
        self.key(key);
        for (index, value) in values.enumerate() {
            if index > 0 {
                self.put(b",");
            }
            self.put_hex(value);
        }
        self
    }

    fn key(&mut self, key: &str) {
        self.put(b" ");
        self.put(key.as_bytes());
        self.put(b"=");
    }

    fn put_hex(&mut self, value: usize) {
        let digits = (usize::BITS - value.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            self.put(&[b"0123456789abcdef"[value >> (4 * digit) & 15]]);
        }
    }

    /// Writes the line.
    pub fn write(mut self) {
        self.bytes[self.used] = b'\n';
        sys::write(FILE.load(Ordering::Relaxed), &self.bytes[..=self.used]);
    }
}

/// Races that have been told, by their two places.
static TOLD: Spin<Map> = Spin::new(Map::new());
static COUNT: AtomicU32 = AtomicU32::new(0);
/// More races than anyone reads.
const MOST: u32 = 256;

/// Has a race between these places not been told yet? The caller is in a section.
pub fn is_news(places: u64) -> bool {
    let told = TOLD.lock().entry(places | 1 << 63).is_none_or(|told| core::mem::replace(told, 1) != 0);
    !told && COUNT.fetch_add(1, Ordering::Relaxed) < MOST
}

/// The schedule has been enforced to its end.
pub fn end() {
    Line::new(b"end").write();
}

/// So often threads came to a place where they come late.
pub fn passed(place: usize, count: u32) {
    Line::new(b"passed").decimal("place", place as i64).decimal("count", count.into()).write();
}

/// Accesses were left that nobody will examine.
pub fn unchecked() {
    Line::new(b"unchecked").write();
}

/// A thread takes part.
pub fn thread(index: u32, parent: u32) {
    Line::new(b"thread").decimal("index", index.into()).decimal("parent", i64::from(parent as i32)).write();
}

/// A thread is about to be created.
pub fn created(index: u32, stack: StackId) {
    Line::new(b"created").decimal("thread", index.into()).list("stack", stack::frames(stack)).write();
}

/// A thread came with another operation than its next step.
pub fn diverged(thread: u32, expected: Op, got: Op, pc: usize) {
    let line = Line::new(b"diverged").decimal("step", schedule::taken().into()).decimal("thread", thread.into());
    let line = line.word("expected", expected.name()).word("got", got.name()).hex("pc", pc);
    if !STOPPED.swap(true, Ordering::Relaxed) {
        line.write();
    }
    stop();
}

/// Nobody can go on, and the schedule is not over.
pub fn stalled(thread: u32) -> ! {
    if !STOPPED.swap(true, Ordering::Relaxed) {
        Line::new(b"stalled").decimal("step", schedule::taken().into()).decimal("thread", thread.into()).write();
    }
    stop();
}

/// Threads that will never go on: first the line that says so, then each of them, then the end.
pub fn deadlock<'a>(still: &Still, stuck: impl Iterator<Item = (&'a Player, Waiting, i64)>) -> ! {
    if !STOPPED.swap(true, Ordering::Relaxed) {
        Line::new(b"deadlock").write();
        for (player, waiting, owner) in stuck {
            let line = Line::new(b"stuck").decimal("thread", player.index.into()).word("op", waiting.op.name());
            let line = line.hex("object", waiting.object).decimal("owner", owner).hex("pc", waiting.place.pc);
            let stack = stack::capture(player, waiting.place);
            line.list("stack", stack::frames(stack)).write();
            locks(player.held(still).words());
        }
    }
    stop();
}

/// The locks that a thread holds or held, in the order it took them; two words each, as [`Held::words`] gives them.
pub fn locks(mut words: impl Iterator<Item = usize>) {
    while let (Some(address), Some(taken)) = (words.next(), words.next()) {
        let line = Line::new(b"lock").hex("address", address).decimal("shared", (taken & 1) as i64);
        line.list("stack", stack::frames((taken >> 1) as StackId)).write();
    }
}

/// The program has failed. In a debugger a breakpoint here stops it; else it is ended, or held for a debugger to come.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[inline(never)]
pub extern "C" fn __foretrace_failed() {
    core::hint::black_box(());
}

fn stop() -> ! {
    super::say_what_is_unchecked();
    __foretrace_failed();
    if HOLD.load(Ordering::Relaxed) {
        loop {
            sys::pause();
        }
    }
    sys::exit(EXIT_STOPPED)
}
