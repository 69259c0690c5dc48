//! How a program died: the cause of a crash.
//!
//! The exit status shows that it died: a signal by which programs do not end on purpose, or the exit code of a
//! sanitizer together with its output. The cause is derived from the signal, the fault that the runtime has recorded,
//! and what the C and C++ libraries print before they end a program.

use std::os::unix::process::ExitStatusExt;

use crate::{Ended, Outcome, SeenFault};

/// The cause of a program's death.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// `assert`.
    Assertion,
    /// An uncaught exception.
    Exception,
    /// `std::terminate` without an exception, for example because a `std::thread` is destroyed before it is joined.
    Terminate,
    /// A pure virtual function was called.
    PureVirtual,
    /// A block was freed twice.
    DoubleFree,
    /// The allocator found its data damaged, or was given a pointer that is not its own.
    Heap,
    /// A return address was overwritten.
    StackSmashed,
    /// An address near zero was used.
    Null,
    /// The stack overflowed.
    StackOverflow,
    /// An address that is not mapped, or not for this kind of access.
    Segmentation,
    /// A mapped file that is shorter than the mapping, or a misaligned access.
    Bus,
    /// An integer was divided by zero, or the quotient overflowed.
    Division,
    /// Another arithmetic error.
    Arithmetic,
    /// An invalid instruction, such as compilers insert at unreachable places.
    Instruction,
    /// A system call that a filter refuses.
    SystemCall,
    /// A sanitizer found an error.
    Sanitizer,
    /// `abort`.
    Abort,
    /// A trap.
    Trap,
}

impl Cause {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assertion => "failed assertion",
            Self::Exception => "uncaught exception",
            Self::Terminate => "std::terminate without an exception",
            Self::PureVirtual => "call of a pure virtual function",
            Self::DoubleFree => "double free",
            Self::Heap => "damaged heap",
            Self::StackSmashed => "overwritten stack",
            Self::Null => "null dereference",
            Self::StackOverflow => "stack overflow",
            Self::Segmentation => "segmentation fault",
            Self::Bus => "bus error",
            Self::Division => "division by zero",
            Self::Arithmetic => "arithmetic error",
            Self::Instruction => "illegal instruction",
            Self::SystemCall => "forbidden system call",
            Self::Sanitizer => "error that a sanitizer found",
            Self::Abort => "abort",
            Self::Trap => "trap",
        }
    }
}

/// The death of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Death {
    /// What it died of.
    pub cause: Cause,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// What it printed about its death; empty if nothing.
    pub message: String,
    /// The fault, if the runtime has recorded it.
    pub fault: Option<SeenFault>,
}

/// The numbers of these signals on Linux.
mod signal {
    pub const ILL: i32 = 4;
    pub const TRAP: i32 = 5;
    pub const ABRT: i32 = 6;
    pub const BUS: i32 = 7;
    pub const FPE: i32 = 8;
    pub const SEGV: i32 = 11;
    pub const SYS: i32 = 31;
}

/// Lines that libraries print before they end a program, by a part of the line.
const SAYINGS: [(&str, Cause); 17] = [
    ("Assertion `", Cause::Assertion),
    ("Assertion '", Cause::Assertion),
    ("assertion failed", Cause::Assertion),
    ("terminate called after throwing", Cause::Exception),
    ("terminate called without an active exception", Cause::Terminate),
    ("terminate called recursively", Cause::Terminate),
    ("pure virtual method called", Cause::PureVirtual),
    ("double free", Cause::DoubleFree),
    ("free(): ", Cause::Heap),
    ("malloc(): ", Cause::Heap),
    ("realloc(): ", Cause::Heap),
    ("munmap_chunk(): ", Cause::Heap),
    ("corrupted ", Cause::Heap),
    ("stack smashing detected", Cause::StackSmashed),
    ("buffer overflow detected", Cause::StackSmashed),
    ("Sanitizer: ", Cause::Sanitizer),
    (": runtime error: ", Cause::Sanitizer),
];

/// The longest part of a message that is kept.
const MOST: usize = 1000;

impl Death {
    /// How the program died; none if it did not, or was killed by the tool or from outside.
    pub fn of(ended: &Ended, outcome: &Outcome, printed: &str) -> Option<Self> {
        if ended.cut_short.is_some() {
            return None;
        }
        let said = said(printed);
        let signal = ended.status.signal();
        let fault = outcome.fault.clone().filter(|fault| Some(fault.signal) == signal);
        let cause = match signal {
            Some(signal) => of_signal(signal, fault.as_ref(), said.as_ref().map(|(cause, _)| *cause))?,
            None => said.as_ref().map(|(cause, _)| *cause).filter(|_| is_sanitizers(ended, said.as_ref()))?,
        };
        let is_told = |(_, message): &(Cause, String)| signal != Some(signal::SEGV) || !message.is_empty();
        let message = said.filter(is_told).map(|(_, message)| message);
        let message = message.or_else(|| (signal == Some(signal::ABRT)).then(|| last_line(printed)));
        Some(Self { cause, signal, message: message.unwrap_or_default(), fault })
    }
}

/// Did a sanitizer end the program by its exit code?
fn is_sanitizers(ended: &Ended, said: Option<&(Cause, String)>) -> bool {
    ended.status.code().is_some_and(|code| code != 0) && said.is_some_and(|(cause, _)| *cause == Cause::Sanitizer)
}

/// The last message of a library in the output, with the line after it if that belongs to it.
fn said(printed: &str) -> Option<(Cause, String)> {
    let lines: Vec<&str> = printed.lines().collect();
    let known = |line: &str| SAYINGS.iter().find(|(part, _)| line.contains(part)).map(|(_, cause)| *cause);
    let (number, cause) = lines.iter().enumerate().rev().find_map(|(number, line)| Some((number, known(line)?)))?;
    let mut message = lines[number].trim().to_owned();
    if let Some(what) = lines.get(number + 1).filter(|line| line.trim_start().starts_with("what():")) {
        message = format!("{message}; {}", what.trim());
    }
    Some((cause, shortened(&message)))
}

fn last_line(printed: &str) -> String {
    shortened(printed.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default())
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST).collect()
}

/// Addresses below this are members of a null pointer.
const NEAR_ZERO: u64 = 64 << 10;
/// A thread this close to the end of its stack counts as having overflowed it.
const NEAR_END: u64 = 128 << 10;
/// `FPE_INTDIV` and `FPE_INTOVF`.
const DIVISION: [i64; 2] = [1, 2];

fn of_signal(signal: i32, fault: Option<&SeenFault>, said: Option<Cause>) -> Option<Cause> {
    Some(match signal {
        signal::ABRT => said.unwrap_or(Cause::Abort),
        signal::SEGV | signal::BUS if fault.is_some_and(is_overflow) => Cause::StackOverflow,
        // For a non-canonical address the kernel reports none.
        signal::SEGV if fault.is_some_and(|fault| fault.code > 0 && fault.code < 128 && fault.address < NEAR_ZERO) => {
            Cause::Null
        }
        signal::SEGV => Cause::Segmentation,
        signal::BUS => Cause::Bus,
        signal::FPE if fault.is_none_or(|fault| DIVISION.contains(&fault.code)) => Cause::Division,
        signal::FPE => Cause::Arithmetic,
        signal::ILL => Cause::Instruction,
        signal::TRAP => Cause::Trap,
        signal::SYS => Cause::SystemCall,
        _ => return None,
    })
}

/// Is the address near the stack pointer, and both near the lowest address of the stack?
fn is_overflow(fault: &SeenFault) -> bool {
    let near = |one: u64, other: u64| one.abs_diff(other) < NEAR_END;
    fault.bottom > 0 && near(fault.address, fault.sp) && near(fault.address, fault.bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CutShort;
    use std::process::ExitStatus;
    use std::time::Duration;

    fn ended(wait_status: i32) -> Ended {
        let status = ExitStatus::from_raw(wait_status);
        Ended { process: 1, status, cut_short: None, time: Duration::ZERO }
    }

    fn cause(wait_status: i32, line: &str, printed: &str) -> Option<Cause> {
        let outcome = Outcome::parse(line).unwrap();
        Death::of(&ended(wait_status), &outcome, printed).map(|death| death.cause)
    }

    fn fault(signal: i32, code: i64, address: u64, sp: u64) -> String {
        format!(
            "fault signal={signal} code={code} address={address:x} thread=1 write=0 sp={sp:x} bottom=7000000 pc=10 stack=10\n"
        )
    }

    #[test]
    fn deaths_are_told_as_what_they_are() {
        let assertion = "noise\nprog: a.c:3: f: Assertion `x > 0' failed.\n";
        assert_eq!(cause(6, "", assertion), Some(Cause::Assertion));
        let thrown = "terminate called after throwing an instance of 'E'\n  what():  no\n";
        assert_eq!(cause(6, "", thrown), Some(Cause::Exception));
        assert_eq!(said(thrown).unwrap().1, "terminate called after throwing an instance of 'E'; what():  no");
        assert_eq!(cause(6, "", "free(): double free detected in tcache 2\n"), Some(Cause::DoubleFree));
        assert_eq!(cause(6, "", "free(): invalid pointer\n"), Some(Cause::Heap));
        assert_eq!(cause(6, "", "my own words\n"), Some(Cause::Abort));
        assert_eq!(cause(11, &fault(11, 1, 8, 0x7100000), ""), Some(Cause::Null));
        assert_eq!(cause(11, &fault(11, 1, 0xdead_0000, 0x7100000), ""), Some(Cause::Segmentation));
        assert_eq!(cause(11, &fault(11, 128, 0, 0x7100000), ""), Some(Cause::Segmentation), "no address");
        assert_eq!(cause(11, &fault(11, 2, 0x6ff_fff8, 0x6ff_fff8), ""), Some(Cause::StackOverflow));
        assert_eq!(cause(8, &fault(8, 1, 0x40_0000, 0x7100000), ""), Some(Cause::Division));
        assert_eq!(cause(1 << 8, "", "a.c:3:5: runtime error: signed integer overflow\n"), Some(Cause::Sanitizer));
    }

    #[test]
    fn what_is_no_death_is_none() {
        assert_eq!(cause(0, "", "Assertion `x' failed."), None, "it ended well");
        assert_eq!(cause(3 << 8, "", "an error"), None, "its own exit code");
        for killed in [1, 2, 9, 13, 15] {
            assert_eq!(cause(killed, "", ""), None, "signal {killed} comes from outside");
        }
        let late = Ended { cut_short: Some(CutShort::TimeUp), ..ended(6) };
        assert_eq!(Death::of(&late, &Outcome::default(), ""), None);
    }
}
