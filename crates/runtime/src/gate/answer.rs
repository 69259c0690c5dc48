//! What the replay answers: lines of the file `outcome`, as `foretrace_event::schedule` describes them.

use crate::gate::schedule;
use crate::memory::map::Map;
use crate::memory::spin::{Guard, Spin};
use crate::sys::decimal::Decimal;
use crate::sys::settings::Settings;
use crate::thread::stack::{self, StackId};
use crate::thread::tls::Section;
use crate::thread::waiting::Wanted;
use crate::thread::{self, Shared, StopTheWorld, threads};
use crate::{axes, sys};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use foretrace_event::schedule::EXIT_STOPPED;
use foretrace_event::wire::Op;

static FILE: AtomicI32 = AtomicI32::new(-1);
static HOLD: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Creates the file, which is not there unless another process is being replayed.
pub fn open(settings: &Settings) -> sys::Result<()> {
    let flags = libc::O_WRONLY | libc::O_APPEND | settings.new_file();
    let fd = sys::open(&settings.path(b"outcome"), flags, 0o600)?;
    FILE.store(sys::move_high(fd), Ordering::Relaxed);
    HOLD.store(settings.hold, Ordering::Relaxed);
    Ok(())
}

/// Is there anyone to answer to? A controlled execution of many is not.
pub fn is_open() -> bool {
    FILE.load(Ordering::Relaxed) >= 0
}

/// What is to be written next.
static TEXT: Spin<Text> = Spin::new(Text { bytes: [0; SIZE], used: 0 });
const SIZE: usize = 16 << 10;
/// No line is longer; what does not fit is cut.
const LONGEST: usize = 1 << 10;

struct Text {
    bytes: [u8; SIZE],
    used: usize,
}

impl Text {
    fn put(&mut self, part: &[u8]) {
        let part = &part[..part.len().min(SIZE - self.used)];
        self.bytes[self.used..self.used + part.len()].copy_from_slice(part);
        self.used += part.len();
    }

    fn write(&mut self) {
        if is_open() {
            sys::write(FILE.load(Ordering::Relaxed), &self.bytes[..self.used]);
        }
        self.used = 0;
    }
}

/// Lines that belong together. No other thread's come between them, and if the program ends meanwhile, either none of them
/// or, up to 16 KiB, all of them are in the file. Whoever also holds the threads still does that first.
pub struct Answer {
    text: Guard<'static, Text>,
    _section: Section,
}

impl Answer {
    /// Waits until other answers are complete.
    pub fn new() -> Self {
        let section = Section::nest();
        Self { text: TEXT.lock(), _section: section }
    }

    /// A line beginning with a word.
    pub fn line(&mut self, word: &str) -> Line<'_> {
        if SIZE - self.text.used < LONGEST {
            self.text.write();
        }
        let end = self.text.used + LONGEST - 1;
        let mut line = Line { text: &mut self.text, end };
        line.put(word.as_bytes());
        line
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.text.write();
    }
}

/// A line under construction.
pub struct Line<'a> {
    text: &'a mut Text,
    /// Where it is cut.
    end: usize,
}

impl Line<'_> {
    fn put(&mut self, part: &[u8]) {
        self.text.put(&part[..part.len().min(self.end - self.text.used)]);
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

    /// An address in a library that may order the accesses of a race, if there is one.
    pub fn library(self, address: Option<usize>) -> Self {
        match address {
            Some(address) => self.hex("library", address),
            None => self,
        }
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
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.text.put(b"\n");
    }
}

/// Races that have been told, by their two places.
static TOLD: Spin<Map> = Spin::new(Map::new());
static COUNT: AtomicU32 = AtomicU32::new(0);
/// More races than anyone reads.
const MOST: u32 = 256;

/// Has a race between these places not been told yet, as one that these libraries may prevent or as a fact? The caller is
/// in a section.
pub fn is_news(places: u64, libraries: u64) -> bool {
    let key = places & !3 | 1 << 63 | u64::from(libraries != 0);
    let told = TOLD.lock().entry(key).is_none_or(|told| core::mem::replace(told, 1) != 0);
    !told && COUNT.fetch_add(1, Ordering::Relaxed) < MOST
}

/// Has any race been told?
pub fn has_told() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

/// The schedule has been enforced to its end.
pub fn end() {
    Answer::new().line("end");
}

/// How often threads have reached a delay point.
pub fn passed(place: usize, count: u32) {
    Answer::new().line("passed").decimal("place", place as i64).decimal("count", count.into());
}

/// Accesses were left that nobody will examine.
pub fn unchecked() {
    Answer::new().line("unchecked");
}

/// Says so if there are accesses of other threads that will not be checked, because these still run. A thread that runs
/// may have touched something since it last synchronised.
pub fn say_what_is_unchecked() {
    let own = thread::own();
    let leaves_some = own.is_some_and(|own| !own.lines.get().is_empty());
    let own = own.map_or(core::ptr::null(), |own| core::ptr::from_ref(own.shared()));
    let runs = |thread: &Shared| !thread.ended.load(Ordering::Relaxed) && !thread.waits.load(Ordering::Relaxed);
    let others_run = || threads().any(|thread| runs(thread) && !core::ptr::eq(thread, own));
    if axes::watches_segments() && (leaves_some || others_run()) {
        unchecked();
    }
}

/// A thread takes part.
pub fn thread(index: u32, parent: u32) {
    Answer::new().line("thread").decimal("index", index.into()).decimal("parent", i64::from(parent as i32));
}

/// A thread is about to be created.
pub fn created(index: u32, stack: StackId, frames: impl Iterator<Item = usize>) {
    let mut answer = Answer::new();
    answer.line("created").decimal("thread", index.into()).list("stack", stack::frames(stack)).list("frames", frames);
}

/// A thread returns from a wait that nobody has ended.
pub fn unsignalled(index: u32, pc: usize, stack: StackId) {
    let mut answer = Answer::new();
    let line = answer.line("unsignalled").decimal("thread", index.into()).hex("pc", pc);
    line.list("stack", stack::frames(stack));
}

/// It has found that its condition does not hold, and waits again.
pub fn again(index: u32) {
    Answer::new().line("again").decimal("thread", index.into());
}

/// A thread came with another operation than its next step.
pub fn diverged(thread: u32, expected: Op, got: Op, pc: usize) -> ! {
    stop(|answer| {
        let line = answer.line("diverged").decimal("step", schedule::taken().into()).decimal("thread", thread.into());
        line.word("expected", expected.name()).word("got", got.name()).hex("pc", pc);
    })
}

/// Nobody can go on, and the schedule is not over.
pub fn stalled(thread: u32) -> ! {
    stop(|answer| {
        answer.line("stalled").decimal("step", schedule::taken().into()).decimal("thread", thread.into());
    })
}

/// Threads that will never go on: first the line that says so, then each of them, then the end.
pub fn deadlock<'a>(stopped: &StopTheWorld, stuck: impl Iterator<Item = (&'a Shared, Wanted, i64)>) -> ! {
    stop(|answer| {
        answer.line("deadlock");
        for (player, wanted, owner) in stuck {
            let stack = stack::capture(player, wanted.place);
            let line = answer.line("stuck").decimal("thread", player.index.into()).word("op", wanted.op.name());
            let line = line.hex("object", wanted.object).decimal("owner", owner).hex("pc", wanted.place.pc);
            line.list("stack", stack::frames(stack));
            locks(answer, player.held(stopped).words());
        }
    })
}

/// The locks that a thread holds or held, in the order it took them; two words each, as [`Held::words`] gives them.
pub fn locks(answer: &mut Answer, mut words: impl Iterator<Item = usize>) {
    while let (Some(address), Some(taken)) = (words.next(), words.next()) {
        let line = answer.line("lock").hex("address", address).decimal("shared", (taken & 1) as i64);
        line.list("stack", stack::frames((taken >> 1) as StackId));
    }
}

/// The program has failed. In a debugger a breakpoint here stops it; else it is ended, or held for a debugger to come.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[inline(never)]
pub extern "C" fn __foretrace_failed() {
    core::hint::black_box(());
}

/// Ends the program, or holds it, after the first who comes here has said why.
fn stop(say: impl FnOnce(&mut Answer)) -> ! {
    let mut answer = Answer::new();
    if !STOPPED.swap(true, Ordering::Relaxed) {
        say(&mut answer);
    }
    drop(answer);
    say_what_is_unchecked();
    __foretrace_failed();
    if HOLD.load(Ordering::Relaxed) {
        loop {
            sys::pause();
        }
    }
    sys::exit(EXIT_STOPPED)
}
