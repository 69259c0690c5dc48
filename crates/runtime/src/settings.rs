//! What the command line tool asked for: one environment variable, `FORETRACE_RUNTIME`.
//!
//! ```text
//! record limit=BYTES ring=0|1 locations=0|1 every=0|1 early=0|1 clock=0|1 follow=0|1 linger=MS dir=PATH
//! replay exact=0|1 loose=0|1 hold=0|1 only_started=0|1 patience=MS linger=MS dir=PATH
//! ```
//!
//! `FORETRACE_TOOL` is the tool's process, so that the program it has started can tell itself from what that starts.
//! `dir` is last and takes the rest of the value. Nothing is read in a set-uid program, and a value that is not of
//! this form turns the runtime off.

use core::ffi::{CStr, c_char};
use foretrace_event::layout::UNIT;

unsafe extern "C" {
    static environ: *const *const c_char;
    fn getenv(name: *const c_char) -> *const c_char;
    fn getauxval(kind: u64) -> u64;
}

/// Longest directory name.
const PATH: usize = 4096;

/// What to do.
pub struct Settings {
    /// Most bytes to write.
    pub limit: u64,
    /// Room comes back as a monitor reads what was written: the limit is for what is still to be read.
    pub ring: bool,
    /// Keep accesses apart by program counter.
    pub locations: bool,
    /// Each access is a record of its own; implies `locations`.
    pub every: bool,
    /// The process that the tool has started is recorded from its beginning, not from its first thread on.
    pub early: bool,
    /// What time it is, is part of the recording.
    pub clock: bool,
    /// Record processes that come later, too.
    pub follow: bool,
    /// Enforce a schedule instead of recording.
    pub replay: bool,
    /// In a replay, examine accesses one by one.
    pub exact: bool,
    /// In a replay, only what happens before what is enforced.
    pub loose: bool,
    /// Keep a replayed program that has failed, for a debugger.
    pub hold: bool,
    /// Replay the process that the command line tool has started and no other; else the first that makes a thread.
    pub only_started: bool,
    /// In a replay, milliseconds without a step after which a program that runs on is given up; zero: never.
    pub patience: u64,
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
        let replay = value.starts_with(b"replay ");
        let mut rest = value.strip_prefix(b"record ").or_else(|| value.strip_prefix(b"replay "))?;
        let mut settings = Self {
            limit: u64::MAX,
            ring: false,
            locations: false,
            every: false,
            early: false,
            clock: false,
            follow: false,
            replay,
            exact: false,
            loose: false,
            hold: false,
            only_started: false,
            patience: 0,
            tool: 0,
            dir: [0; PATH],
            dir_len: 0,
        };
        loop {
            if let Some(dir) = rest.strip_prefix(b"dir=") {
                return settings.set_dir(dir).then_some(settings);
            }
            let end = rest.iter().position(|byte| *byte == b' ')?;
            settings.set(&rest[..end])?;
            rest = &rest[end + 1..];
        }
    }

    fn set(&mut self, setting: &[u8]) -> Option<()> {
        let equals = setting.iter().position(|byte| *byte == b'=')?;
        let number = number(&setting[equals + 1..])?;
        match &setting[..equals] {
            b"limit" if number == 0 => self.limit = u64::MAX,
            b"limit" => self.limit = number.max(64 * UNIT as u64),
            b"ring" => self.ring = number != 0,
            b"locations" => self.locations = number != 0,
            b"every" => self.every = number != 0,
            b"early" => self.early = number != 0,
            b"clock" => self.clock = number != 0,
            b"follow" => self.follow = number != 0,
            b"exact" => self.exact = number != 0,
            b"loose" => self.loose = number != 0,
            b"linger" => crate::ending::set_linger(u32::try_from(number).unwrap_or(u32::MAX)),
            b"hold" => self.hold = number != 0,
            b"only_started" => self.only_started = number != 0,
            b"patience" => self.patience = number,
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

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A number in decimal, without an allocator.
pub struct Decimal {
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    /// Of this number.
    pub fn new(mut number: u64) -> Self {
        let mut decimal = Self { digits: [b'0'; 20], start: 20 };
        loop {
            decimal.start -= 1;
            decimal.digits[decimal.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return decimal;
            }
        }
    }

    /// Its digits.
    pub fn bytes(&self) -> &[u8] {
        &self.digits[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_in_any_order_and_the_directory_last() {
        let settings = Settings::parse(b"record follow=1 ring=1 limit=1000000 dir=/a b/c=d").expect("parses");
        assert_eq!((settings.limit, settings.follow, settings.locations), (1_000_000, true, false));
        assert!(settings.ring);
        assert_eq!(settings.dir(), b"/a b/c=d");
        assert!(settings.path(b"events").starts_with(b"/a b/c=d/events\0"));
    }

    #[test]
    fn what_is_not_understood_turns_recording_off() {
        for value in ["", "record", "record ", "record dir=", "off dir=/x", "record limit= dir=/x", "record x=1 dir=/x"]
        {
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
    fn decimals() {
        for number in [0, 7, 10, 1234567890, u64::MAX] {
            assert_eq!(Decimal::new(number).bytes(), number.to_string().as_bytes());
        }
    }
}
