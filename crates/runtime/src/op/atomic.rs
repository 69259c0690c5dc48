//! Atomic operations: our code performs them, and records them with their values. The gate is asked first.
//!
//! An operation and its stamp are taken under a lock of the variable's stripe, so that in the order of the stamps each
//! load reads the last value stored. A round of a polling loop that repeats the one before it is left out ([`Rounds`]).
//!
//! [`Rounds`]: crate::thread::polling::Rounds

use crate::axes;
use crate::gate::{controlled as one_by_one, delay, order, turn};
use crate::memory::spin::Spin;
use crate::op::{controlled, part, polling};
use crate::thread::polling::Poll;
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Held;
use crate::thread::{self, Thread};
use crate::watch::{race, segment};
use core::ffi::c_int;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};
use foretrace_event::Order;
use foretrace_event::wire::{Detail, Op};

/// Locks by address, each with the last stamp of an operation under it.
#[repr(align(64))]
struct Stripe(Spin<u64>);

const STRIPES: usize = 1024;
static LOCKS: [Stripe; STRIPES] = [const { Stripe(Spin::new(0)) }; STRIPES];

fn stripe(address: usize) -> &'static Spin<u64> {
    &LOCKS[(address >> 3 ^ address >> 13) % STRIPES].0
}

/// In a forked child.
fn reset_locks() {
    for lock in &LOCKS {
        lock.0.reset();
    }
}
at_fork!(reset_locks);

/// A value that fits an atomic variable.
pub trait Word: Copy + PartialEq {
    /// Its width in bytes.
    const SIZE: u8 = size_of::<Self>() as u8;
    /// Its lower and upper 64 bits.
    fn halves(self) -> [u64; 2];
    /// Reads the variable.
    unsafe fn load(at: *mut Self) -> Self;
    /// Writes it and returns what it was.
    unsafe fn swap(at: *mut Self, new: Self) -> Self;
    /// Writes it if it is `old`; returns what it was.
    unsafe fn compare_swap(at: *mut Self, old: Self, new: Self) -> Self;
}

macro_rules! words {
    ($($int:ty, $atomic:ty;)*) => {$(
        impl Word for $int {
            #[allow(clippy::cast_lossless, reason = "the same code for all widths")]
            #[inline]
            fn halves(self) -> [u64; 2] {
                [self as u64, 0]
            }

            #[inline]
            unsafe fn load(at: *mut Self) -> Self {
                // SAFETY: the program passes an atomic variable.
                unsafe { <$atomic>::from_ptr(at) }.load(SeqCst)
            }

            #[inline]
            unsafe fn swap(at: *mut Self, new: Self) -> Self {
                // SAFETY: as above.
                unsafe { <$atomic>::from_ptr(at) }.swap(new, SeqCst)
            }

            #[inline]
            unsafe fn compare_swap(at: *mut Self, old: Self, new: Self) -> Self {
                // SAFETY: as above.
                match unsafe { <$atomic>::from_ptr(at) }.compare_exchange(old, new, SeqCst, SeqCst) {
                    Ok(was) | Err(was) => was,
                }
            }
        }
    )*};
}

words! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

impl Word for u128 {
    fn halves(self) -> [u64; 2] {
        [self as u64, (self >> 64) as u64]
    }

    unsafe fn load(at: *mut Self) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self::compare_swap(at, 0, 0) }
    }

    unsafe fn swap(at: *mut Self, new: Self) -> Self {
        // SAFETY: as the caller says.
        unsafe {
            let mut old = Self::load(at);
            loop {
                match Self::compare_swap(at, old, new) {
                    was if was == old => return was,
                    was => old = was,
                }
            }
        }
    }

    unsafe fn compare_swap(at: *mut Self, old: Self, new: Self) -> Self {
        let ([old_low, old_high], [new_low, new_high]) = (old.halves(), new.halves());
        let (low, high): (u64, u64);
        // SAFETY: the program passes an aligned variable of 16 bytes; `rbx`, which the compiler reserves, is restored.
        unsafe {
            core::arch::asm!(
                "xchg rbx, rsi",
                "lock cmpxchg16b xmmword ptr [rdi]",
                "mov rbx, rsi",
                in("rdi") at,
                inout("rsi") new_low => _,
                in("rcx") new_high,
                inlateout("rax") old_low => low,
                inlateout("rdx") old_high => high,
                options(nostack)
            );
        }
        u128::from(high) << 64 | u128::from(low)
    }
}

/// What happened to a variable: the record's operation, the value read or stored, the value written by a
/// read-modify-write, and the order.
pub struct Outcome<T> {
    pub op: Op,
    pub value: T,
    new: Option<T>,
    pub order: u8,
}

impl<T: Word> Outcome<T> {
    /// The operation at that address and place, if it has not changed the variable.
    fn poll(&self, at: usize, pc: usize) -> Option<Poll> {
        let loads = matches!(self.op, Op::AtomicLoad | Op::AtomicCasFailed);
        let modifies = self.changes_nothing();
        (loads || modifies).then(|| Poll { at, value: self.value.halves(), pc, modifies })
    }

    /// Records it.
    #[inline]
    fn record(&self, thread: &'static Thread, stamp: u64, at: usize, pc: usize) {
        let [value, high] = self.value.halves();
        let [new, new_high] = self.new.map_or([0; 2], T::halves);
        let detail = Detail { size: T::SIZE, order: self.order.min(5), new, high: [high, new_high] };
        if self.poll(at, pc).is_none() {
            thread.rounds.get().end();
        }
        thread.write_at(stamp, self.op, at, value, pc, detail);
    }

    /// It is a read-modify-write that left the variable as it was, as the turns of a test-and-set loop do.
    fn changes_nothing(&self) -> bool {
        self.new.is_some_and(|new| new.halves() == self.value.halves())
    }
}

/// Does something while no other atomic operation on the variable takes place.
/// The last stamp of such an operation is its argument.
pub fn exclusively<R>(at: usize, act: impl FnOnce(&mut u64) -> R) -> R {
    act(&mut stripe(at).lock())
}

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
    perform(at, crate::thread::tls::caller(), |_| Some(Idle::Load), operate).value
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

/// How a read-modify-write makes the new value.
pub trait Change {
    /// Of the old value and the operand.
    fn apply<T: Number>(old: T, operand: T) -> T;
}

/// Values that read-modify-writes compute with.
pub trait Number: Word {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
}

macro_rules! numbers {
    ($($int:ty)*) => {$(
        impl Number for $int {
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
            fn not(self) -> Self { !self }
        }
    )*};
}

numbers!(u8 u16 u32 u64 u128);

macro_rules! changes {
    ($($name:ident($old:ident, $operand:ident) $new:expr;)*) => {$(
        pub struct $name;

        impl Change for $name {
            #[inline]
            fn apply<T: Number>($old: T, $operand: T) -> T { $new }
        }
    )*};
}

changes! {
    Exchange(_old, operand) operand;
    Add(old, operand) old.add(operand);
    Sub(old, operand) old.sub(operand);
    And(old, operand) old.and(operand);
    Or(old, operand) old.or(operand);
    Xor(old, operand) old.xor(operand);
    Nand(old, operand) old.and(operand).not();
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
