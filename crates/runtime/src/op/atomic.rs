//! Atomic operations: our code performs them, and records them with their values. The gate is asked first.
//!
//! An operation and its stamp are taken under a lock of the variable's stripe, so that in the order of the stamps each
//! load reads the last value stored. A round of a polling loop that repeats the one before it is left out ([`Rounds`]).
//!
//! [`Rounds`]: crate::thread::polling::Rounds

mod outcome;
mod stripe;
mod word;

use crate::axes;
use crate::gate::{controlled as one_by_one, delay, order, turn};
use crate::op::{at_exit, controlled, part, polling};
use crate::thread::polling::Poll;
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Held;
use crate::thread::{self, Thread};
use crate::watch::{race, segment};
use core::ffi::c_int;
use core::sync::atomic::Ordering::SeqCst;
use foretrace_event::Order;
use foretrace_event::wire::{Detail, Op};
pub use outcome::Outcome;
pub use stripe::exclusively;
use stripe::stripe;
pub use word::{Add, And, Change, Exchange, Nand, Number, Or, Sub, Word, Xor};

/// An operation that leaves its variable as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Idle {
    Load,
    Modify,
}

/// An operation on a variable: does it leave one as it is that has this value, and what performs it.
struct Operation<I, P>(I, P);

/// Performs an operation and records its outcome, unless it repeats a round of polling.
#[inline]
fn perform<T: Word>(
    at: *mut T,
    pc: usize,
    is_idle: impl Fn(T) -> Option<Idle>,
    operate: impl Fn() -> Outcome<T>,
) -> Outcome<T> {
    if let Some(thread) = crate::thread::taking_part() {
        return steered(thread, at, pc, &Operation(is_idle, operate));
    }
    let recorded = !tls().thread.get().is_null();
    // What may not be touched faults here, and not where a handler that jumps would take the variable's lock along.
    // SAFETY: the program accesses the variable, and so may we.
    unsafe { at.cast::<u8>().read_volatile() };
    match recorded.then(Section::enter).flatten() {
        Some(_section) => match thread::current() {
            Some(thread) => locked(thread, at, pc, operate),
            None => operate(),
        },
        None => operate(),
    }
}

#[inline]
fn locked<T: Word>(thread: &'static Thread, at: *mut T, pc: usize, operate: impl Fn() -> Outcome<T>) -> Outcome<T> {
    thread.before_poll();
    let mut clock = stripe(at as usize).lock();
    let outcome = operate();
    if outcome.poll(at as usize, pc).is_some_and(|poll| thread.rounds.get().note(&poll).is_some()) {
        drop(clock);
        thread.lines.get().discard();
        return outcome;
    }
    let stamp = thread.stamps.get().exclusive(&mut clock);
    drop(clock);
    segment::end(thread);
    outcome.record(thread, stamp, at as usize, pc);
    outcome
}

/// Records what happened to a variable whose lock is held, and with it the last stamp there.
pub fn record<T: Word>(thread: &'static Thread, clock: &mut u64, at: usize, pc: usize, outcome: &Outcome<T>) {
    if thread.is_recorded() {
        thread.notice_jumps();
        let stamp = thread.stamps.get().exclusive(clock);
        outcome.record(thread, stamp, at, pc);
    }
}

/// Records a store to a variable whose lock is held, and with it the last stamp there.
pub fn record_store(thread: &'static Thread, clock: &mut u64, at: usize, value: u64, size: u8, pc: usize) {
    if thread.is_recorded() {
        thread.notice_jumps();
        let detail = Detail { size, order: RELEASE, ..Detail::default() };
        let stamp = thread.stamps.get().exclusive(clock);
        thread.record_at(stamp, Op::AtomicStore, at, value, pc, detail);
    }
}

/// Lets `store` do a store that is not instrumented: records it, or lets it be a step of the replay.
pub fn store_by(at: usize, value: u64, size: u8, pc: usize, store: impl FnOnce()) {
    if axes::is_replaying() {
        return steered_store(at, value, size, pc, store);
    }
    note_store(at, value, size, pc);
    store();
}

/// Records a store that code which is not instrumented is about to do.
fn note_store(at: usize, value: u64, size: u8, pc: usize) {
    if let Some(_section) = Section::enter()
        && let Some(thread) = thread::current()
    {
        segment::end(thread);
        record_store(thread, &mut stripe(at).lock(), at, value, size, pc);
    }
}

const RELEASE: u8 = 3;

/// Records a load that code which is not instrumented has done.
pub unsafe fn note_load<T: Word>(at: *mut T, pc: usize) {
    // SAFETY: the program passes an atomic variable.
    let load = || Outcome { op: Op::AtomicLoad, value: unsafe { T::load(at) }, new: None, order: ACQUIRE };
    perform(at, pc, |_| Some(Idle::Load), load);
}

const ACQUIRE: u8 = 2;

/// Records a store that `real`, which is not instrumented, does.
pub unsafe fn stored_by<T: Word>(at: *mut T, value: T, pc: usize, real: impl Fn()) {
    perform(
        at,
        pc,
        |_| None,
        || {
            real();
            Outcome { op: Op::AtomicStore, value, new: None, order: RELEASE }
        },
    );
}

pub unsafe extern "C" fn load<T: Word>(at: *mut T, order: c_int) -> T {
    // SAFETY: the program passes an atomic variable.
    let operate = || Outcome { op: Op::AtomicLoad, value: unsafe { T::load(at) }, new: None, order: order as u8 };
    let pc = crate::thread::tls::caller();
    let value = perform(at, pc, |_| Some(Idle::Load), operate).value;
    at_exit::note_load(at as usize, value.halves()[0], pc);
    value
}

pub unsafe extern "C" fn store<T: Word>(at: *mut T, value: T, order: c_int) {
    perform(
        at,
        crate::thread::tls::caller(),
        |_| None,
        || {
            // SAFETY: the program passes an atomic variable.
            unsafe { T::swap(at, value) };
            Outcome { op: Op::AtomicStore, value, new: None, order: order as u8 }
        },
    );
}

pub unsafe extern "C" fn change<T: Number, C: Change>(at: *mut T, operand: T, order: c_int) -> T {
    let is_idle = |old: T| (C::apply(old, operand) == old).then_some(Idle::Modify);
    perform(at, crate::thread::tls::caller(), is_idle, || {
        // SAFETY: the program passes an atomic variable.
        let mut old = unsafe { T::load(at) };
        loop {
            let new = C::apply(old, operand);
            // SAFETY: as above.
            match unsafe { T::compare_swap(at, old, new) } {
                was if was == old => {
                    return Outcome { op: Op::AtomicRmw, value: old, new: Some(new), order: order as u8 };
                }
                was => old = was,
            }
        }
    })
    .value
}

pub unsafe extern "C" fn compare_exchange_val<T: Word>(
    at: *mut T,
    expected: T,
    new: T,
    order: c_int,
    failure: c_int,
) -> T {
    let is_idle = |old: T| match old == expected {
        true => (new == old).then_some(Idle::Modify),
        false => Some(Idle::Load),
    };
    perform(at, crate::thread::tls::caller(), is_idle, || {
        // SAFETY: the program passes an atomic variable.
        let was = unsafe { T::compare_swap(at, expected, new) };
        if was == expected {
            Outcome { op: Op::AtomicRmw, value: was, new: Some(new), order: order as u8 }
        } else {
            Outcome { op: Op::AtomicCasFailed, value: was, new: None, order: failure as u8 }
        }
    })
    .value
}

pub unsafe extern "C" fn compare_exchange<T: Word>(
    at: *mut T,
    expected: *mut T,
    new: T,
    order: c_int,
    failure: c_int,
) -> c_int {
    // SAFETY: the program passes a place for the value found.
    unsafe {
        let wanted = expected.read_unaligned();
        let was = compare_exchange_val(at, wanted, new, order, failure);
        if was == wanted {
            return 1;
        }
        expected.write_unaligned(was);
        0
    }
}

/// An atomic operation has been done: watches it as an access, and lets it take part in the order it makes.
fn note_atomic(player: &'static Thread, op: Op, address: usize, size: usize, order: Order, pc: usize) {
    if axes::watches_accesses() {
        race::atomic(player, op, address, size, pc, tls().frame.get());
    } else if axes::watches_segments() {
        segment::atomic(player, op, address, size, pc);
    }
    player.move_on(None::<fn(&mut Held)>);
    if let Some(variable) = player.objects.find(address as u64) {
        player.clock.get().atomic(variable, op, order);
    }
}

/// An atomic operation: waits for its turn, and is watched as an access. One that repeats a round of polling is no step.
fn steered<T: Word>(
    player: &'static Thread,
    at: *mut T,
    pc: usize,
    operation: &Operation<impl Fn(T) -> Option<Idle>, impl Fn() -> Outcome<T>>,
) -> Outcome<T> {
    player.note_touched();
    part::flush(player);
    if one_by_one::is_on() {
        return controlled_atomic(player, at, pc, operation);
    }
    if let Some(length) = would_poll(player, at, pc, &operation.0) {
        if length > 1 && order::is_next_look(player.index, at as usize) {
            turn::peek(player);
        }
        if let Some(outcome) = poll(player, at, pc, operation) {
            return outcome;
        }
    }
    turn::peek(player);
    let section = Section::nest();
    let (outcome, repeats) = exclusively(at as usize, |clock| {
        let outcome = watched(player, at as usize, pc, &operation.1);
        let poll = outcome.poll(at as usize, pc);
        let repeats = poll.is_some_and(|poll| player.rounds.get().note(&poll).is_some());
        if !repeats {
            record(player, clock, at as usize, pc, &outcome);
        }
        (outcome, repeats)
    });
    drop(section);
    if repeats {
        polling::spin(player, outcome.op, pc);
        return outcome;
    }
    turn::pass(player, outcome.op, at as usize, pc);
    player.spins.set(0);
    match outcome.poll(at as usize, pc) {
        Some(poll) if poll.modifies => player.repeats.again(),
        Some(poll) => delay::load(player, pc, at as usize, poll.value),
        None => {
            player.rounds.get().end();
            player.repeats.end();
        }
    }
    outcome
}

/// An atomic operation under the controlled gate, which asks for it. A round of polling that repeats itself waits for a
/// change first.
fn controlled_atomic<T: Word>(
    player: &'static Thread,
    at: *mut T,
    pc: usize,
    operation: &Operation<impl Fn(T) -> Option<Idle>, impl Fn() -> Outcome<T>>,
) -> Outcome<T> {
    let size = usize::from(T::SIZE);
    if let Some(round) = repeated_round(player, at as usize, pc) {
        controlled::await_change(player, round, at as usize, size, pc);
    }
    // SAFETY: the program passes an atomic variable.
    let reads = operation.0(unsafe { T::load(at) }) == Some(Idle::Load);
    let asked = controlled::before_atomic(player, at as usize, size, reads, pc);
    let section = Section::nest();
    let outcome = exclusively(at as usize, |clock| {
        let outcome = watched(player, at as usize, pc, &operation.1);
        let poll = outcome.poll(at as usize, pc);
        if poll.is_none_or(|poll| player.rounds.get().note(&poll).is_none()) {
            record(player, clock, at as usize, pc, &outcome);
        }
        match poll {
            Some(poll) => player.note_poll(poll),
            None => player.rounds.get().end(),
        }
        outcome
    });
    drop(section);
    if asked.is_some() {
        controlled::after_atomic(outcome.op, outcome.changes_nothing(), at as usize, size);
    }
    outcome
}

/// How long is the round of polling that the operation would repeat, if its variable still had the value that it had in the last
/// round? What it has now must not matter: whether a thread waits for a change is then the same in every order.
fn repeated_round(player: &'static Thread, at: usize, pc: usize) -> Option<usize> {
    let is_it = |(length, poll): &(usize, &Poll)| {
        poll.at == at && poll.pc == pc && player.rounds.get().repeats(poll) == Some(*length)
    };
    (1..).zip(player.last_polls.get().iter()).find(is_it).map(|(length, _)| length)
}

/// Performs an operation and watches it. The caller has the variable for itself.
fn watched<T: Word>(player: &'static Thread, at: usize, pc: usize, operate: &impl Fn() -> Outcome<T>) -> Outcome<T> {
    let outcome = operate();
    let order = Order::from_abi(u32::from(outcome.order));
    note_atomic(player, outcome.op, at, usize::from(T::SIZE), order, pc);
    outcome
}

/// Would the operation repeat a round of polling now? How many operations long the round is, if so.
fn would_poll<T: Word>(player: &Thread, at: *mut T, pc: usize, is_idle: &impl Fn(T) -> Option<Idle>) -> Option<usize> {
    // SAFETY: the program passes an atomic variable.
    let value = unsafe { T::load(at) };
    let modifies = is_idle(value)? == Idle::Modify;
    player.rounds.get().repeats(&Poll { at: at as usize, value: value.halves(), pc, modifies })
}

/// Performs the operation if it still repeats a round of polling.
fn poll<T: Word>(
    player: &'static Thread,
    at: *mut T,
    pc: usize,
    operation: &Operation<impl Fn(T) -> Option<Idle>, impl Fn() -> Outcome<T>>,
) -> Option<Outcome<T>> {
    let section = Section::nest();
    let outcome = exclusively(at as usize, |_| {
        would_poll(player, at, pc, &operation.0).map(|_| watched(player, at as usize, pc, &operation.1))
    })?;
    drop(section);
    outcome.poll(at as usize, pc).and_then(|poll| player.rounds.get().note(&poll));
    polling::spin(player, outcome.op, pc);
    Some(outcome)
}

/// A store that is not instrumented, which `store` does: nobody takes another step before it is done. Under the controlled gate
/// it belongs to the step before it.
fn steered_store(at: usize, value: u64, size: u8, pc: usize, store: impl FnOnce()) {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return store() };
    part::flush(player);
    turn::pass_with(player, Op::AtomicStore, at, pc, || {
        let _section = Section::nest();
        exclusively(at, |clock| {
            note_atomic(player, Op::AtomicStore, at, size.into(), Order::Release, pc);
            record_store(player, clock, at, value, size, pc);
            store();
        });
    });
    player.rounds.get().end();
    player.repeats.end();
}

pub unsafe extern "C" fn thread_fence(order: c_int) {
    core::sync::atomic::fence(SeqCst);
    if axes::is_live() {
        super::sync(Op::Fence, 0, u64::from(order as u8), crate::thread::tls::caller());
    }
}
