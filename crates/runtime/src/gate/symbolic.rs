//! Follows values: which of them depend on what other threads write. What it finds goes to the file of
//! [`foretrace_event::symbolic`].
//!
//! Instrumented code carries for each value the number of its expression, and calls the functions here when one of them
//! is not 0 (`foretrace_llvm::FollowValues`). A read of a visible location makes an expression; operations combine
//! expressions; memory keeps them until it is overwritten ([`shadow`]); calls hand them over ([`call`]). Where a value
//! cannot be followed, that it has its present value becomes a [`Record::Fact`].
//!
//! Only one thread runs at a time (the gate is controlled), so nothing here is locked. Nothing is done in any other run.
//!
//! [`Record::Fact`]: foretrace_event::symbolic::Record::Fact

pub mod call;
mod log;
mod node;
mod shadow;

use crate::sys::settings::Settings;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use foretrace_event::symbolic::{Bytes, Moment, NodeOp, Record, Why};

pub use node::{Value, binary, cast, select};

/// The number of an expression; 0 is none.
pub type Expression = u32;

static ON: AtomicBool = AtomicBool::new(false);

/// A visible access that has been asked for, and of which the instrumented code has not yet said what became of it.
#[derive(Clone, Copy)]
struct Pending {
    record: u32,
    moment: Moment,
    address: u64,
    size: u64,
    writes: bool,
}

struct State {
    pending: Cell<Option<Pending>>,
    /// The read before, if a visible write follows it directly: both may be parts of a copy.
    source: Cell<Option<Pending>>,
}

// SAFETY: only the thread that has the turn comes here.
unsafe impl Sync for State {}

static STATE: State = State { pending: Cell::new(None), source: Cell::new(None) };

/// Opens the file; without it nothing is followed.
pub fn open(settings: &Settings) {
    let opened = log::open(settings) && node::open() && shadow::open();
    ON.store(opened, Ordering::Relaxed);
}

/// Is the run followed?
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The rest of the run is not followed.
fn stop() {
    ON.store(false, Ordering::Relaxed);
}

/// What memory holds: up to eight bytes.
fn memory(address: u64, size: u64) -> u64 {
    let mut bytes = [0; 8];
    for (at, byte) in bytes.iter_mut().enumerate().take(size as usize) {
        // SAFETY: the program has just accessed these bytes, or is about to.
        *byte = unsafe { (address as *const u8).add(at).read_volatile() };
    }
    u64::from_le_bytes(bytes)
}

/// Longer accesses are copies of whole buffers, of which the beginning is enough to see that they were written.
const LONGEST: u64 = 4096;

/// The pieces of an access, none of which is longer than a word.
fn pieces(address: u64, size: u64) -> impl Iterator<Item = Bytes> {
    (0..size.min(LONGEST)).step_by(8).map(move |offset| {
        let (at, length) = (address + offset, (size - offset).min(8));
        Bytes { address: at, size: length as u8, value: memory(at, length) }
    })
}

/// A visible access is about to happen.
pub fn begin_access(moment: Moment, address: u64, size: u64, writes: bool, place: u64) {
    settle();
    if !writes {
        STATE.source.set(None);
    }
    let mut first = 0;
    for bytes in pieces(address, size) {
        let record = if writes { Record::Write(moment, bytes, place) } else { Record::Read(moment, bytes, place) };
        let number = log::put(record);
        first = if first == 0 { number } else { first };
    }
    STATE.pending.set(Some(Pending { record: first, moment, address, size, writes }));
}

/// A write that instrumented code has said nothing about has written what memory holds now.
pub fn settle() {
    let Some(pending) = STATE.pending.take() else { return };
    STATE.source.set(Some(pending).filter(|pending| !pending.writes));
    if pending.writes {
        pieces(pending.address, pending.size).for_each(|bytes| {
            log::put(Record::Written(pending.moment, bytes, 0));
        });
        shadow::clear(pending.address, pending.size);
    }
}

fn take_pending(address: u64, size: u64, writes: bool) -> Option<Pending> {
    let is_it = |pending: &Pending| (pending.address, pending.size, pending.writes) == (address, size, writes);
    let found = STATE.pending.get().filter(is_it)?;
    STATE.pending.set(None);
    STATE.source.set(None);
    Some(found)
}

/// Memory has been read: the expression of the value.
pub fn load(address: u64, size: u64) -> Expression {
    if let Some(pending) = take_pending(address, size, false) {
        return node::read(pending.record, (8 * size) as u8);
    }
    settle();
    shadow::load(address, size)
}

/// Memory has been written, with the value of this expression.
pub fn store(address: u64, size: u64, expression: Expression) {
    if size > 8 {
        settle();
        return shadow::clear(address, size);
    }
    if let Some(pending) = take_pending(address, size, true) {
        let bytes = Bytes { address, size: size as u8, value: memory(address, size) };
        log::put(Record::Written(pending.moment, bytes, node::live(expression)));
        return shadow::clear(address, size);
    }
    settle();
    shadow::store(address, size, node::live(expression));
}

/// Memory has been copied by code that is followed.
pub fn copied(to: u64, from: u64, size: u64) {
    let read = take_pending(from, size, false).or_else(|| {
        let source = STATE.source.take()?;
        ((source.address, source.size) == (from, size)).then_some(source)
    });
    let write = take_pending(to, size, true);
    if size > LONGEST || read.is_none() && write.is_none() {
        settle();
        return shadow::copy(to, from, size);
    }
    for (number, bytes) in (0..).zip(pieces(to, size)) {
        let length = u64::from(bytes.size);
        let expression = match read {
            Some(Pending { record: 0, .. }) => 0,
            Some(Pending { record, .. }) => node::read(record + number, 8 * bytes.size),
            None => shadow::load(bytes.address - to + from, length),
        };
        match write {
            Some(Pending { moment, .. }) => {
                log::put(Record::Written(moment, bytes, node::live(expression)));
                shadow::clear(bytes.address, length);
            }
            None => shadow::store(bytes.address, length, node::live(expression)),
        }
    }
}

/// Memory has been filled with something that depends on nothing.
pub fn filled(address: u64, size: u64) {
    settle();
    shadow::clear(address, size);
}

/// An expression must have this value.
pub fn fact(moment: Moment, why: Why, expression: Expression, value: u64, place: u64) {
    let expression = node::live(expression);
    if expression == 0 {
        return;
    }
    settle();
    log::put(Record::Fact(moment, why, expression, value, place));
    if !why.is_check() {
        node::fix(expression);
    }
}

/// An address is about to be used: it must not be null, and it is this one from now on.
pub fn address(moment: Moment, expression: Expression, value: u64, place: u64) {
    /// Addresses below belong to no object.
    const LOWEST: u64 = 4096;
    let is_real = binary(NodeOp::UnsignedLessEqual, 64, 0, LOWEST, expression, value);
    fact(moment, Why::NotNull, is_real, 1, place);
    fact(moment, Why::Address, expression, value, place);
}

/// An atomic operation is about to happen: what its variable holds.
pub fn before_atomic(moment: Moment, address: u64, size: u64) {
    settle();
    log::put(Record::Initial(moment, Bytes { address, size: size as u8, value: memory(address, size) }));
}

/// An atomic operation has read this value: its expression.
pub fn atomic_read(moment: Moment, bytes: Bytes, place: u64) -> Expression {
    node::read(log::put(Record::Read(moment, bytes, place)), 8 * bytes.size)
}

/// An atomic operation has written the value of this expression; no bytes stand for an exchange that has failed.
pub fn atomic_write(moment: Moment, bytes: Bytes, expression: Expression) {
    if bytes.size == 0 {
        return;
    }
    log::put(Record::Written(moment, bytes, node::live(expression)));
}
