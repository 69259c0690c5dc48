//! Atomic operations: our code performs them, and records them with their values.
//!
//! An operation and its stamp are taken under a lock of the variable's stripe, so that in the order of the stamps each
//! load reads the last value stored. A round of a polling loop that repeats the one before it is left out ([`Rounds`]).
//!
//! [`Rounds`]: crate::polling::Rounds

use crate::polling::Poll;
use crate::replay::{self, segment};
use crate::spin::Spin;
use crate::state;
use crate::thread::{self, Thread};
use crate::tls::{Section, tls};
use core::ffi::c_int;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, compiler_fence};
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
pub fn reset_locks() {
    for lock in &LOCKS {
        lock.0.reset();
    }
}

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
    pub fn poll(&self, at: usize, pc: usize) -> Option<Poll> {
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

/// An operation on a variable.
pub trait Operation<T> {
    /// Does it leave a variable as it is that has this value?
    fn is_idle(&self, value: T) -> Option<Idle>;
    /// Performs it.
    fn perform(&self) -> Outcome<T>;
}

/// An operation that leaves its variable as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    Load,
    Modify,
}

/// An operation by two functions.
struct By<I, P>(I, P);

impl<T, I: Fn(T) -> Option<Idle>, P: Fn() -> Outcome<T>> Operation<T> for By<I, P> {
    #[inline]
    fn is_idle(&self, value: T) -> Option<Idle> {
        self.0(value)
    }

    #[inline]
    fn perform(&self) -> Outcome<T> {
        self.1()
    }
}

/// Performs an operation and records its outcome, unless it repeats a round of polling.
#[inline]
fn perform<T: Word>(
    at: *mut T,
    pc: usize,
    is_idle: impl Fn(T) -> Option<Idle>,
    operate: impl Fn() -> Outcome<T>,
) -> Outcome<T> {
    if let Some(thread) = replay::player() {
        return replay::polling::atomic(thread, at, pc, &By(is_idle, operate));
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
    if state::is_replaying() {
        return replay::store(at, value, size, pc, store);
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
    perform(at, state::caller(), |_| Some(Idle::Load), operate).value
}

pub unsafe extern "C" fn store<T: Word>(at: *mut T, value: T, order: c_int) {
    perform(
        at,
        state::caller(),
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
    perform(at, state::caller(), is_idle, || {
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
    perform(at, state::caller(), is_idle, || {
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

pub unsafe extern "C" fn thread_fence(order: c_int) {
    core::sync::atomic::fence(SeqCst);
    state::sync(Op::Fence, 0, u64::from(order as u8), state::caller());
}
trampoline!(__tsan_atomic_thread_fence, thread_fence);

/// Orders this thread with its own signal handlers: for the compiler alone.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    compiler_fence(SeqCst);
}

macro_rules! atomic_hooks {
    ($($int:ty: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
        $nand:ident $strong:ident $weak:ident $val:ident;)*) => {$(
        trampoline!($load, load::<$int>);
        trampoline!($store, store::<$int>);
        trampoline!($exchange, change::<$int, Exchange>);
        trampoline!($add, change::<$int, Add>);
        trampoline!($sub, change::<$int, Sub>);
        trampoline!($and, change::<$int, And>);
        trampoline!($or, change::<$int, Or>);
        trampoline!($xor, change::<$int, Xor>);
        trampoline!($nand, change::<$int, Nand>);
        trampoline!($strong, compare_exchange::<$int>);
        trampoline!($weak, compare_exchange::<$int>);
        trampoline!($val, compare_exchange_val::<$int>);
    )*};
}

atomic_hooks! {
    u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
        __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
        __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
        __tsan_atomic8_compare_exchange_val;
    u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
        __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val;
    u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val;
    u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val;
    u128: __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange __tsan_atomic128_fetch_add
        __tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and __tsan_atomic128_fetch_or __tsan_atomic128_fetch_xor
        __tsan_atomic128_fetch_nand __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak
        __tsan_atomic128_compare_exchange_val;
}
