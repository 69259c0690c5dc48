//! What the command line tool asked for: one environment variable, `FORETRACE_RUNTIME`.
//!
//! ```text
//! record limit=BYTES ring=0|1 locations=0|1 every=0|1 early=0|1 clock=0|1 follow=0|1 linger=MS dir=PATH
//! replay exact=0|1 loose=0|1 hold=0|1 only_started=0|1 patience=MS linger=MS dir=PATH
//! explore server=0|1 fast=0|1 hold=0|1 only_started=0|1 dir=PATH
//! ```
//!
//! A run is three independent choices: a *gate* (who may go on), a *sink* (what is written down) and a *watch* (what is
//! checked). The first word chooses common ones: `record` is free, recording, and watches nothing; `replay` follows a
//! schedule, writes nothing down, and watches segments or, with `exact=1`, accesses; `explore` runs one thread at a time, as
//! a plan says, writes nothing down, and watches accesses (`server=1`: again and again; `fast=1`: if possible, without a fork). `sink=recording` lets a replay be
//! recorded as well, into the same directory; `watch=segments` and `watch=accesses` let a recorded run be checked.
//!
//! `FORETRACE_TOOL` is the tool's process, so that the program it has started can tell itself from what that starts.
//! `dir` is last and takes the rest of the value. Nothing is read in a set-uid program, and a value that is not of
//! this form turns the runtime off.

use crate::sys::decimal::Decimal;
use core::ffi::{CStr, c_char};
use foretrace_event::layout::UNIT;

unsafe extern "C" {
    static environ: *const *const c_char;
    fn getenv(name: *const c_char) -> *const c_char;
    fn getauxval(kind: u64) -> u64;
}

/// Longest directory name.
const PATH: usize = 4096;

/// Who may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// Everybody.
    Free,
    /// The thread whose step is next in the schedule.
    Schedule {
        /// Only what happens before what is enforced.
        loose: bool,
    },
    /// One thread at a time, as a plan and a policy say.
    Controlled {
        /// Many executions, each a fork.
        server: bool,
        /// Executions need not be forked.
        fast: bool,
    },
}

/// What is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    /// Nothing.
    Nothing,
    /// A recording.
    Recording(Recording),
}

/// How a recording is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recording {
    /// Most bytes to write.
    pub limit: u64,
    /// Room comes back as a monitor reads what was written: the limit is for what is still to be read.
    pub ring: bool,
    /// What time it is, is part of the recording.
    pub clock: bool,
    /// What is kept of accesses.
    pub accesses: Accesses,
}

/// What a recording keeps of accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Accesses {
    /// The bytes that a segment touches.
    ByLine,
    /// The same, apart by program counter.
    ByPlace,
    /// Each of them, as a record of its own.
    Every,
}

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// Nothing.
    Nothing,
    /// What a segment has touched, when it ends.
    Segments,
    /// Each access, with its call stack.
    Accesses,
}

/// What to do.
pub struct Settings {
    /// Who may go on.
    pub gate: Gate,
    /// What is written down.
    pub sink: Sink,
    /// What is checked.
    pub watch: Watch,
    /// The process that the tool has started is recorded from its beginning, not from its first thread on.
    pub early: bool,
    /// Record processes that come later, too.
    pub follow: bool,
    /// Keep a program that has failed, for a debugger.
    pub hold: bool,
    /// Steer the process that the command line tool has started and no other; else the first that makes a thread.
    pub only_started: bool,
    /// Under a schedule, milliseconds without a step after which a program that runs on is given up; zero: never.
    pub patience: u64,
    /// Milliseconds that the end of the process waits for other threads, if somebody says.
    pub linger: Option<u32>,
    /// The command line tool's process; zero if unknown.
    pub tool: u32,
    dir: [u8; PATH],
    dir_len: usize,
}

impl Settings {
    /// Can the environment be read? libc is not ready in the first constructors of a gcc ThreadSanitizer build, which
    /// stand in `.preinit_array`.
    pub fn can_be_read() -> bool {
        // SAFETY: libc sets it once, before a program has threads.
        unsafe { !environ.is_null() }
    }

    /// From the environment.
    pub fn read() -> Option<Self> {
        // SAFETY: both are plain look-ups in memory the kernel and the loader have set up.
        let value = unsafe {
            if getauxval(libc::AT_SECURE) != 0 {
                return None;
            }
            getenv(c"FORETRACE_RUNTIME".as_ptr())
        };
        if value.is_null() {
            return None;
        }
        // SAFETY: an environment variable's value ends with zero and is not changed while the runtime starts.
        let mut settings = Self::parse(unsafe { CStr::from_ptr(value) }.to_bytes())?;
        // SAFETY: as above.
        let tool = unsafe { getenv(c"FORETRACE_TOOL".as_ptr()) };
        if !tool.is_null() {
            // SAFETY: as above.
            settings.tool = number(unsafe { CStr::from_ptr(tool) }.to_bytes()).unwrap_or(0) as u32;
        }
        Some(settings)
    }

    fn parse(value: &[u8]) -> Option<Self> {
        let (mut settings, mut rest) = Self::of_kind(value)?;
        loop {
            if let Some(dir) = rest.strip_prefix(b"dir=") {
                return settings.set_dir(dir).then_some(settings);
            }
            let end = rest.iter().position(|byte| *byte == b' ')?;
            settings.set(&rest[..end])?;
            rest = &rest[end + 1..];
        }
    }

    /// What the first word stands for, and the rest.
    fn of_kind(value: &[u8]) -> Option<(Self, &[u8])> {
        let kinds = [
            (&b"record "[..], Gate::Free, Sink::Recording(RECORDING), Watch::Nothing),
            (b"replay ", Gate::Schedule { loose: false }, Sink::Nothing, Watch::Segments),
            (b"explore ", Gate::Controlled { server: false, fast: false }, Sink::Nothing, Watch::Accesses),
        ];
        kinds
            .into_iter()
            .find_map(|(word, gate, sink, watch)| Some((Self::new(gate, sink, watch), value.strip_prefix(word)?)))
    }

    const fn new(gate: Gate, sink: Sink, watch: Watch) -> Self {
        Self {
            gate,
            sink,
            watch,
            early: false,
            follow: false,
            hold: false,
            only_started: false,
            patience: 0,
            linger: None,
            tool: 0,
            dir: [0; PATH],
            dir_len: 0,
        }
    }

    fn set(&mut self, setting: &[u8]) -> Option<()> {
        let equals = setting.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (&setting[..equals], &setting[equals + 1..]);
        match name {
            b"sink" if value == b"recording" => self.sink = Sink::Recording(RECORDING),
            b"watch" => self.watch = Watch::named(value)?,
            _ => self.set_number(name, number(value)?)?,
        }
        Some(())
    }

    fn set_number(&mut self, name: &[u8], number: u64) -> Option<()> {
        let on = number != 0;
        match (name, &mut self.gate, &mut self.sink) {
            (b"limit" | b"ring" | b"locations" | b"every" | b"clock", _, Sink::Recording(recording)) => {
                recording.set(name, number);
            }
            (b"loose", Gate::Schedule { loose }, _) => *loose = on,
            (b"server", Gate::Controlled { server, .. }, _) => *server = on,
            (b"fast", Gate::Controlled { fast, .. }, _) => *fast = on,
            (b"exact", Gate::Schedule { .. }, _) => self.watch = if on { Watch::Accesses } else { Watch::Segments },
            (b"early", ..) => self.early = on,
            (b"follow", ..) => self.follow = on,
            (b"linger", ..) => self.linger = Some(u32::try_from(number).unwrap_or(u32::MAX)),
            (b"hold", ..) => self.hold = on,
            (b"only_started", ..) => self.only_started = on,
            (b"patience", ..) => self.patience = number,
            _ => return None,
        }
        Some(())
    }

    fn set_dir(&mut self, dir: &[u8]) -> bool {
        // Room is left for a child's directory and the files' names.
        if dir.is_empty() || dir.len() > PATH - 64 {
            return false;
        }
        self.dir[..dir.len()].copy_from_slice(dir);
        self.dir_len = dir.len();
        true
    }

    /// How the files of an answer are created: a debugger may start the program again.
    pub const fn new_file(&self) -> i32 {
        let anew = if self.hold { libc::O_TRUNC } else { libc::O_EXCL };
        libc::O_CREAT | libc::O_NOFOLLOW | anew
    }

    /// Is this the process that the command line tool has started?
    pub fn is_started(&self) -> bool {
        self.tool == crate::sys::parent()
    }

    /// The recording's directory.
    pub fn dir(&self) -> &[u8] {
        &self.dir[..self.dir_len]
    }

    /// Makes `children/PID` below the directory the one to record into.
    pub fn enter_child_dir(&mut self, pid: u32) -> bool {
        for part in [&b"/children"[..], b"/", Decimal::new(u64::from(pid)).bytes()] {
            if self.dir_len + part.len() >= PATH {
                return false;
            }
            self.dir[self.dir_len..self.dir_len + part.len()].copy_from_slice(part);
            self.dir_len += part.len();
            if part != b"/" {
                let _ = crate::sys::mkdir(&self.path(b""));
            }
        }
        true
    }

    /// Leaves word that nothing could be written, and why: `unwritten.ERRNO`, a directory.
    pub fn mark_unwritten(&self, why: i32) {
        let mut name = *b"unwritten.\0\0\0\0\0\0\0\0\0\0";
        let number = Decimal::new(why.unsigned_abs().into());
        let digits = &number.bytes()[..number.bytes().len().min(10)];
        name[10..10 + digits.len()].copy_from_slice(digits);
        let _ = crate::sys::mkdir(&self.path(&name));
    }

    /// A file of the directory, with a zero byte at its end; the whole array is the path's room.
    pub fn path(&self, file: &[u8]) -> [u8; PATH + 32] {
        let mut path = [0; PATH + 32];
        path[..self.dir_len].copy_from_slice(self.dir());
        let mut at = self.dir_len;
        if !file.is_empty() {
            path[at] = b'/';
            at += 1;
        }
        path[at..at + file.len()].copy_from_slice(file);
        path
    }
}

/// A recording with nothing special about it.
const RECORDING: Recording = Recording { limit: u64::MAX, ring: false, clock: false, accesses: Accesses::ByLine };

impl Recording {
    fn set(&mut self, name: &[u8], number: u64) {
        let on = number != 0;
        match name {
            b"limit" if !on => self.limit = u64::MAX,
            b"limit" => self.limit = number.max(64 * UNIT as u64),
            b"ring" => self.ring = on,
            b"clock" => self.clock = on,
            b"locations" if on => self.accesses = self.accesses.max(Accesses::ByPlace),
            b"every" if on => self.accesses = Accesses::Every,
            _ => {}
        }
    }
}

impl Watch {
    fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"segments" => Some(Self::Segments),
            b"accesses" => Some(Self::Accesses),
            _ => None,
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_in_any_order_and_the_directory_last() {
        let settings = Settings::parse(b"record follow=1 ring=1 limit=1000000 dir=/a b/c=d").expect("parses");
        let recording = Recording { limit: 1_000_000, ring: true, ..RECORDING };
        assert_eq!((settings.sink, settings.follow), (Sink::Recording(recording), true));
        assert_eq!((settings.gate, settings.watch), (Gate::Free, Watch::Nothing));
        assert_eq!(settings.dir(), b"/a b/c=d");
        assert!(settings.path(b"events").starts_with(b"/a b/c=d/events\0"));
    }

    #[test]
    fn what_is_not_understood_turns_recording_off() {
        for value in [
            "",
            "record",
            "record ",
            "record dir=",
            "off dir=/x",
            "record limit= dir=/x",
            "record x=1 dir=/x",
            "record loose=1 dir=/x",
            "record watch=everything dir=/x",
            "replay limit=7 dir=/x",
        ] {
            assert!(Settings::parse(value.as_bytes()).is_none(), "{value}");
        }
    }

    /// Every way to cut or change one byte of the settings: they are read, or recording is off.
    #[test]
    fn broken_settings_are_read_or_refused() {
        let good = b"record follow=1 ring=1 limit=18446744073709551615 linger=99999999999 dir=/a b/c=d";
        for at in 0..good.len() {
            let _ = Settings::parse(&good[..at]);
            for byte in 1..=255 {
                let mut broken = *good;
                broken[at] = byte;
                let _ = Settings::parse(&broken);
            }
        }
    }

    #[test]
    fn gate_sink_and_watch_are_chosen_by_themselves() {
        let axes = |value: &[u8]| Settings::parse(value).map(|it| (it.gate, it.sink, it.watch));
        let schedule = |loose| Gate::Schedule { loose };
        let every = Recording { accesses: Accesses::Every, ..RECORDING };
        for (value, expected) in [
            ("replay loose=1 dir=/x", (schedule(true), Sink::Nothing, Watch::Segments)),
            ("replay exact=1 dir=/x", (schedule(false), Sink::Nothing, Watch::Accesses)),
            ("replay exact=1 sink=recording dir=/x", (schedule(false), Sink::Recording(RECORDING), Watch::Accesses)),
            ("record watch=segments dir=/x", (Gate::Free, Sink::Recording(RECORDING), Watch::Segments)),
            ("record every=1 locations=1 watch=accesses dir=/x", (Gate::Free, Sink::Recording(every), Watch::Accesses)),
        ] {
            assert_eq!(axes(value.as_bytes()), Some(expected), "{value}");
        }
    }
}
