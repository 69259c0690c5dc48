//! The functions that compilers call for atomic operations they do not inline: those of `libatomic`.
//!
//! Variables that fit a machine word or two are operated on like those of the compilers' own hooks. Larger ones, and
//! ones that are not aligned, are guarded by locks of ours, in all code alike since all calls come here; each operation
//! is recorded as the acquire and the release that its memory order asks for.

use crate::memory::spin::Spin;
use crate::op::atomic::{
    Add, And, Change, Exchange, Nand, Number, Or, Sub, Xor, change, compare_exchange, load, store, thread_fence,
};
use crate::thread::tls::Section;
use crate::watch::segment;
use crate::{axes, run, thread};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{Ordering, compiler_fence};
use foretrace_event::Order;
use foretrace_event::wire::Op;

/// A read-modify-write that returns the new value.
unsafe extern "C" fn changed<T: Number, C: Change>(at: *mut T, operand: T, order: c_int) -> T {
    // SAFETY: the program's own arguments.
    C::apply(unsafe { change::<T, C>(at, operand, order) }, operand)
}

/// Sets a flag; was it set?
unsafe extern "C" fn test_and_set(at: *mut u8, order: c_int) -> bool {
    // SAFETY: the program's own arguments.
    unsafe { change::<u8, Exchange>(at, 1, order) != 0 }
}

unsafe extern "C" fn clear(at: *mut u8, order: c_int) {
    // SAFETY: the program's own arguments.
    unsafe { store(at, 0u8, order) };
}

const SEQ_CST: c_int = Order::SeqCst as c_int;

unsafe extern "C" fn flag_test_and_set(at: *mut u8) -> bool {
    // SAFETY: the program's own arguments.
    unsafe { test_and_set(at, SEQ_CST) }
}

unsafe extern "C" fn flag_clear(at: *mut u8) {
    // SAFETY: the program's own arguments.
    unsafe { clear(at, SEQ_CST) };
}

unsafe extern "C" fn signal_fence(_order: c_int) {
    compiler_fence(Ordering::SeqCst);
}

trampoline!(atomic_flag_test_and_set_explicit, test_and_set);
trampoline!(atomic_flag_clear_explicit, clear);
trampoline!(atomic_flag_test_and_set, flag_test_and_set);
trampoline!(atomic_flag_clear, flag_clear);
trampoline!(atomic_thread_fence, thread_fence);
trampoline!(atomic_signal_fence, signal_fence);
trampoline!(__atomic_test_and_set_1, test_and_set);

/// The functions of one width.
macro_rules! family {
    ($int:ty: $load:ident $store:ident $exchange:ident $compare_exchange:ident;
        $($fetch:ident $after:ident $change:ty;)*) => {
        trampoline!($load, load::<$int>);
        trampoline!($store, store::<$int>);
        trampoline!($exchange, change::<$int, Exchange>);
        trampoline!($compare_exchange, compare_exchange::<$int>);
        $(
            trampoline!($fetch, change::<$int, $change>);
            trampoline!($after, changed::<$int, $change>);
        )*
    };
}

family! {
    u8: __atomic_load_1 __atomic_store_1 __atomic_exchange_1 __atomic_compare_exchange_1;
    __atomic_fetch_add_1 __atomic_add_fetch_1 Add;
    __atomic_fetch_sub_1 __atomic_sub_fetch_1 Sub;
    __atomic_fetch_and_1 __atomic_and_fetch_1 And;
    __atomic_fetch_or_1 __atomic_or_fetch_1 Or;
    __atomic_fetch_xor_1 __atomic_xor_fetch_1 Xor;
    __atomic_fetch_nand_1 __atomic_nand_fetch_1 Nand;
}

family! {
    u16: __atomic_load_2 __atomic_store_2 __atomic_exchange_2 __atomic_compare_exchange_2;
    __atomic_fetch_add_2 __atomic_add_fetch_2 Add;
    __atomic_fetch_sub_2 __atomic_sub_fetch_2 Sub;
    __atomic_fetch_and_2 __atomic_and_fetch_2 And;
    __atomic_fetch_or_2 __atomic_or_fetch_2 Or;
    __atomic_fetch_xor_2 __atomic_xor_fetch_2 Xor;
    __atomic_fetch_nand_2 __atomic_nand_fetch_2 Nand;
}

family! {
    u32: __atomic_load_4 __atomic_store_4 __atomic_exchange_4 __atomic_compare_exchange_4;
    __atomic_fetch_add_4 __atomic_add_fetch_4 Add;
    __atomic_fetch_sub_4 __atomic_sub_fetch_4 Sub;
    __atomic_fetch_and_4 __atomic_and_fetch_4 And;
    __atomic_fetch_or_4 __atomic_or_fetch_4 Or;
    __atomic_fetch_xor_4 __atomic_xor_fetch_4 Xor;
    __atomic_fetch_nand_4 __atomic_nand_fetch_4 Nand;
}

family! {
    u64: __atomic_load_8 __atomic_store_8 __atomic_exchange_8 __atomic_compare_exchange_8;
    __atomic_fetch_add_8 __atomic_add_fetch_8 Add;
    __atomic_fetch_sub_8 __atomic_sub_fetch_8 Sub;
    __atomic_fetch_and_8 __atomic_and_fetch_8 And;
    __atomic_fetch_or_8 __atomic_or_fetch_8 Or;
    __atomic_fetch_xor_8 __atomic_xor_fetch_8 Xor;
    __atomic_fetch_nand_8 __atomic_nand_fetch_8 Nand;
}

family! {
    u128: __atomic_load_16 __atomic_store_16 __atomic_exchange_16 __atomic_compare_exchange_16;
    __atomic_fetch_add_16 __atomic_add_fetch_16 Add;
    __atomic_fetch_sub_16 __atomic_sub_fetch_16 Sub;
    __atomic_fetch_and_16 __atomic_and_fetch_16 And;
    __atomic_fetch_or_16 __atomic_or_fetch_16 Or;
    __atomic_fetch_xor_16 __atomic_xor_fetch_16 Xor;
    __atomic_fetch_nand_16 __atomic_nand_fetch_16 Nand;
}

const LOCKS: usize = 64;
/// Guards of variables that no instruction operates on as a whole.
static GUARDS: [Spin<()>; LOCKS] = [const { Spin::new(()) }; LOCKS];

/// In a forked child.
fn reset_locks() {
    for guard in &GUARDS {
        guard.reset();
    }
}
at_fork!(reset_locks);

/// Operates on a large variable, and records what order it asked for: `operate` says which.
fn guarded(at: *mut u8, pc: usize, operate: impl FnOnce() -> Order) {
    let section = Section::nest();
    let guard = GUARDS[at as usize / 64 % LOCKS].lock();
    let order = operate();
    let ops = [(order.acquires(), Op::Acquire), (order.releases(), Op::Release)];
    let ops = ops.into_iter().filter_map(|(asked, op)| asked.then_some(op));
    if axes::is_recording() && !axes::is_replaying() {
        if let Some(thread) = thread::current() {
            segment::end(thread);
            ops.for_each(|op| thread.record(op, at as usize, 0, pc));
        }
        return;
    }
    // In a replay the thread may have to wait for its turn, which it does with nothing held.
    drop(guard);
    drop(section);
    ops.for_each(|op| run::sync(op, at as usize, 0, pc));
}

/// Calls `$one` with the type that variables of this size and place have, or else does `$many`.
macro_rules! by_size {
    ($size:expr, $at:expr, $int:ident => $one:expr, $many:expr) => {
        match ($size, $at as usize % $size.max(1)) {
            (1, 0) => {
                type $int = u8;
                $one
            }
            (2, 0) => {
                type $int = u16;
                $one
            }
            (4, 0) => {
                type $int = u32;
                $one
            }
            (8, 0) => {
                type $int = u64;
                $one
            }
            (16, 0) => {
                type $int = u128;
                $one
            }
            _ => $many,
        }
    };
}

/// What only the load part of an operation may ask for.
fn acquiring(order: c_int) -> Order {
    if Order::from_abi(order as u32).acquires() { Order::Acquire } else { Order::Relaxed }
}

/// What only the store part of an operation may ask for.
fn releasing(order: c_int) -> Order {
    if Order::from_abi(order as u32).releases() { Order::Release } else { Order::Relaxed }
}

exported! {
    /// Reads a variable of any size.
    fn __atomic_load(size: usize, at: *mut u8, to: *mut u8, order: c_int) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            by_size!(size, at, T => to.cast::<T>().write_unaligned(load(at.cast::<T>(), order)), guarded(at, pc, || {
                to.copy_from_nonoverlapping(at, size);
                acquiring(order)
            }));
        }
    }

    /// Writes a variable of any size.
    fn __atomic_store(size: usize, at: *mut u8, from: *const u8, order: c_int) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            by_size!(size, at, T => store(at.cast::<T>(), from.cast::<T>().read_unaligned(), order), guarded(at, pc, || {
                at.copy_from_nonoverlapping(from, size);
                releasing(order)
            }));
        }
    }

    /// Writes a variable of any size and says what it was.
    fn __atomic_exchange(size: usize, at: *mut u8, from: *const u8, to: *mut u8, order: c_int) |pc| {
        // SAFETY: the program's own arguments; the new value and the place for the old may be the same.
        unsafe {
            by_size!(size, at, T => {
                let new = from.cast::<T>().read_unaligned();
                to.cast::<T>().write_unaligned(change::<T, Exchange>(at.cast::<T>(), new, order));
            }, guarded(at, pc, || {
                for index in 0..size {
                    let (new, old) = (from.add(index).read(), at.add(index).read());
                    at.add(index).write(new);
                    to.add(index).write(old);
                }
                Order::from_abi(order as u32)
            }));
        }
    }

    /// Writes a variable of any size if it is as expected; else says what it was.
    fn __atomic_compare_exchange(
        size: usize, at: *mut u8, expected: *mut u8, new: *const u8, order: c_int, failure: c_int,
    ) -> bool |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            by_size!(size, at, T => {
                let new = new.cast::<T>().read_unaligned();
                compare_exchange(at.cast::<T>(), expected.cast(), new, order, failure) != 0
            }, {
                let mut equal = false;
                guarded(at, pc, || {
                    equal = core::slice::from_raw_parts(at, size) == core::slice::from_raw_parts(expected, size);
                    if equal {
                        at.copy_from_nonoverlapping(new, size);
                        return Order::from_abi(order as u32);
                    }
                    expected.copy_from_nonoverlapping(at, size);
                    acquiring(failure)
                });
                equal
            })
        }
    }

    /// Are operations on variables of this size done without locks?
    fn __atomic_is_lock_free(size: usize, at: *const c_void) -> bool {
        matches!(size, 1 | 2 | 4 | 8 | 16) && (at as usize).is_multiple_of(size)
    }
}
