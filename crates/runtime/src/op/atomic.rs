//! Atomic operations: our code performs them, and records them with their values. The gate is asked first.
//!
//! An operation and its stamp are taken under a lock of the variable's stripe, so that in the order of the stamps each
//! load reads the last value stored. A load that repeats the one before it (a spin loop) is recorded once.

use crate::gate::{delay, stuck, turn};
use crate::memory::spin::Spin;
use crate::op::part;
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Held;
use crate::thread::{self, LastLoad, Thread};
use crate::watch::{race, segment};
use crate::{axes, sys};
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
    /// It has read the variable and not changed it.
    pub const fn loads(&self) -> bool {
        matches!(self.op, Op::AtomicLoad | Op::AtomicCasFailed)
    }

    /// What was read, if it was.
    pub fn load(&self, at: usize, pc: usize) -> LastLoad {
        LastLoad::new(at, self.value.halves(), pc)
    }

    /// Records it.
    #[inline]
    fn record(&self, thread: &'static Thread, stamp: u64, at: usize, pc: usize) {
        let [value, high] = self.value.halves();
        let [new, new_high] = self.new.map_or([0; 2], T::halves);
        let detail = Detail { size: T::SIZE, order: self.order.min(5), new, high: [high, new_high] };
        thread.record_at(stamp, self.op, at, value, pc, detail);
    }

    /// It is a read-modify-write that left the variable as it was, as the turns of a test-and-set loop do.
    pub fn changes_nothing(&self) -> bool {
        self.new.is_some_and(|new| new.halves() == self.value.halves())
    }
}

/// Does something while no other atomic operation on the variable takes place.
/// The last stamp of such an operation is its argument.
pub fn exclusively<R>(at: usize, act: impl FnOnce(&mut u64) -> R) -> R {
    act(&mut stripe(at).lock())
}

/// Performs `operate` and records its outcome. Anything but a load or a failed exchange is recorded in full.
#[inline]
fn perform<T: Word>(at: *mut T, pc: usize, operate: impl Fn() -> Outcome<T>) -> Outcome<T> {
    if let Some(thread) = crate::thread::taking_part() {
        return steered(thread, at, pc, operate);
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
    let quiet = thread.lines.get().is_empty();
    segment::end(thread);
    thread.notice_jumps();
    let mut clock = stripe(at as usize).lock();
    let outcome = operate();
    let load = outcome.load(at as usize, pc);
    if outcome.loads() && quiet && thread.last_load.get() == load {
        return outcome;
    }
    let stamp = thread.stamps.get().exclusive(&mut clock);
    drop(clock);
    outcome.record(thread, stamp, at as usize, pc);
    if outcome.loads() {
        thread.last_load.set(load);
    }
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
    perform(at, pc, || Outcome { op: Op::AtomicLoad, value: unsafe { T::load(at) }, new: None, order: ACQUIRE });
}

const ACQUIRE: u8 = 2;

/// Records a store that `real`, which is not instrumented, does.
pub unsafe fn stored_by<T: Word>(at: *mut T, value: T, pc: usize, real: impl Fn()) {
    perform(at, pc, || {
        real();
        Outcome { op: Op::AtomicStore, value, new: None, order: RELEASE }
    });
}

pub unsafe extern "C" fn load<T: Word>(at: *mut T, order: c_int) -> T {
    // SAFETY: the program passes an atomic variable.
    let operate = || Outcome { op: Op::AtomicLoad, value: unsafe { T::load(at) }, new: None, order: order as u8 };
    perform(at, crate::thread::tls::caller(), operate).value
}

pub unsafe extern "C" fn store<T: Word>(at: *mut T, value: T, order: c_int) {
    perform(at, crate::thread::tls::caller(), || {
        // SAFETY: the program passes an atomic variable.
        unsafe { T::swap(at, value) };
        Outcome { op: Op::AtomicStore, value, new: None, order: order as u8 }
    });
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
    perform(at, crate::thread::tls::caller(), || {
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
    perform(at, crate::thread::tls::caller(), || {
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

/// So often a thread may look for a change while it is its turn to do something else: the change will not come, because
/// everybody else waits for that turn. A loop that sleeps between its looks takes long on a busy machine, so it is asked
/// more often whether they all wait.
const PATIENT_SPINS: u32 = 5000;
const SPINS_BETWEEN: u32 = 32;

/// An atomic operation: waits for its turn, and is watched as an access.
fn steered<T: Word>(player: &'static Thread, at: *mut T, pc: usize, operate: impl Fn() -> Outcome<T>) -> Outcome<T> {
    // SAFETY: the program passes an atomic variable.
    let load = LastLoad::new(at as usize, unsafe { T::load(at) }.halves(), pc);
    let quiet = player.lines.get().is_empty();
    let spins = quiet && player.last_load.get() == load;
    if !spins {
        part::flush(player);
        turn::peek(player);
    }
    let last = player.last_load.get();
    let section = Section::nest();
    let outcome = exclusively(at as usize, |clock| {
        let outcome = operate();
        let order = Order::from_abi(u32::from(outcome.order));
        note_atomic(player, outcome.op, at as usize, usize::from(T::SIZE), order, pc);
        let repeats = quiet && outcome.loads() && player.last_load.get() == outcome.load(at as usize, pc);
        if !repeats {
            record(player, clock, at as usize, pc, &outcome);
        }
        outcome
    });
    drop(section);
    let (load, loads) = (outcome.load(at as usize, pc), outcome.loads());
    if !(spins && loads && last == load) {
        turn::pass(player, outcome.op, at as usize, pc);
        player.spins.set(0);
        match () {
            () if outcome.changes_nothing() => player.repeats.again(),
            () if loads => delay::load(player, pc, at as usize, outcome.value.halves()),
            () => player.repeats.end(),
        }
    } else {
        player.repeats.again();
        player.spins.set(player.spins.get() + 1);
        let spins = player.spins.get();
        if spins > PATIENT_SPINS || spins.is_multiple_of(SPINS_BETWEEN) && stuck::do_others_wait(player.shared()) {
            turn::no_more_waiting(player, outcome.op, pc);
        }
        sys::yield_now();
    }
    player.last_load.set(if loads { load } else { LastLoad::default() });
    outcome
}

/// A store that is not instrumented, which `store` does: nobody takes another step before it is done.
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
    player.last_load.set(LastLoad::default());
    player.repeats.end();
}

pub unsafe extern "C" fn thread_fence(order: c_int) {
    core::sync::atomic::fence(SeqCst);
    if axes::is_live() {
        super::sync(Op::Fence, 0, u64::from(order as u8), crate::thread::tls::caller());
    }
}
