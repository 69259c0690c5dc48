//! Readable listings, one event a line: thread, stamp, operation, place.

use std::io::{self, Write};

use foretrace_event::wire::{Access, LockArg, Op, Record, Sync};
use foretrace_event::{Check, LockClass};

use crate::recording::{Recording, RecordingError};
use crate::symbols::Symbols;
use crate::text::Names;
use crate::trace::Trace;

/// Why a listing broke off.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// The recording.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The output.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Lists the records of a recording in the order of their stamps, as they were written.
///
/// # Errors
/// If a record cannot be decoded, or writing fails.
pub fn recording(recording: &Recording, symbols: &Symbols, out: &mut dyn Write) -> Result<(), DumpError> {
    let threads: Vec<u32> = recording.threads().map(|thread| thread.id).collect();
    for entry in recording.merged() {
        let (index, entry) = entry?;
        write!(out, "t{:<4} ", threads[index])?;
        match entry.record {
            Record::Sync(sync) => operation(&sync, symbols, out)?,
            Record::Access(access) => lines(&access, symbols, out)?,
        }
    }
    Ok(())
}

fn operation(sync: &Sync, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:>12} {}", sync.stamp, sync.op.name())?;
    if sync.object != 0 {
        write!(out, " {}", object(sync.object, symbols))?;
    }
    argument(sync, symbols, out)?;
    place(sync.pc, symbols, out)
}

fn argument(sync: &Sync, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    match sync.op {
        Op::LockInit | Op::Lock | Op::FailedLock | Op::RdLock | Op::FailedRdLock | Op::Unlock => {
            let arg = LockArg::decode(sync.arg).unwrap_or_default();
            let class = if arg.class == LockClass::Mutex { String::new() } else { format!(" {}", arg.class.name()) };
            let died = if arg.owner_died { " owner_died" } else { "" };
            write!(out, "{class}{}{died}", patience(arg.patience as u64))
        }
        Op::SemWait | Op::FailedSemWait => write!(out, "{}", patience(sync.arg)),
        Op::Wait | Op::FailedWait => {
            let in_loop = if Check::of_arg(sync.arg) == Check::InLoop { " loop" } else { "" };
            write!(out, " {}{in_loop}", object(sync.arg & !Check::BIT, symbols))
        }
        Op::AtomicRmw => write!(out, " {} {} {}", sync.detail.order().name(), sync.arg, sync.detail.new),
        op if op.has_detail() => write!(out, " {} {}", sync.detail.order().name(), sync.arg),
        Op::Fork | Op::Join | Op::Detach => write!(out, " t{}", sync.arg),
        _ if sync.arg != 0 => write!(out, " {}", sync.arg),
        _ => Ok(()),
    }
}

fn patience(code: u64) -> &'static str {
    match code {
        1 => " try",
        2 => " timed",
        _ => "",
    }
}

/// Each run of bytes that was accessed in the same way.
fn lines(access: &Access, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:>12}", "")?;
    for (name, mask) in [("read", access.reads), ("write", access.writes)] {
        for (start, length) in runs(mask) {
            write!(out, " {name} {}[{length}]", object(access.line * 64 + start, symbols))?;
        }
    }
    place(access.pc, symbols, out)
}

fn runs(mut mask: u64) -> impl Iterator<Item = (u64, u32)> {
    std::iter::from_fn(move || {
        let start = mask.trailing_zeros();
        let length = mask.checked_shr(start)?.trailing_ones();
        mask &= !(((1u128 << length) - 1) << start) as u64;
        Some((u64::from(start), length))
    })
}

fn object(address: u64, symbols: &Symbols) -> String {
    match symbols.variable(address) {
        Some((name, 0)) => name,
        Some((name, offset)) => format!("{name}+{offset}"),
        None => format!("{address:#x}"),
    }
}

fn place(pc: u64, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    if pc == 0 { writeln!(out) } else { writeln!(out, " @ {}", symbols.location(pc)) }
}

/// Lists the events of a trace in the observed order.
///
/// # Errors
/// If writing fails.
pub fn trace(trace: &Trace, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    let names = Names::new(trace);
    for id in trace.observed() {
        write!(out, "{:<8} {:>8} ", names.thread(id.thread), trace.stamp(id))?;
        names.event(trace, trace.event(id), out)?;
        match &trace.place(id).source {
            Some(source) => writeln!(out, " @ {source}")?,
            None => place(trace.pc(id), symbols, out)?,
        }
    }
    Ok(())
}
