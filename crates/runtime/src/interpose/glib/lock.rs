//! `GMutex`, `GRecMutex`, `GRWLock`, and bits that are locks.

use crate::axes;
use crate::gate::backoff::Backoff;
use crate::gate::limit::Limit;
use crate::gate::turn::Arrival;
use crate::interpose::arrive;
use crate::interpose::glib::{Boolean, Pointer};
use crate::op::part;
use crate::run::sync;
use core::ffi::c_int;
use foretrace_event::wire::{LockArg, Op};
use foretrace_event::{LockClass, Patience};

/// A lock of GLib's, and the side of it that is asked for.
#[derive(Clone, Copy)]
pub struct Lock {
    pub at: usize,
    pub class: LockClass,
    pub shared: bool,
}

impl Lock {
    /// The exclusive side of a lock.
    pub fn new(at: Pointer, class: LockClass) -> Self {
        Self { at: at as usize, class, shared: false }
    }

    fn shared(at: Pointer) -> Self {
        Self { shared: true, ..Self::new(at, LockClass::RwLock) }
    }

    /// A lock that is one bit of a word.
    fn bit(word: Pointer, bit: c_int) -> Self {
        /// Bits of different words never share a number, and none is the address of an object.
        const BITS: usize = 1 << 58;
        Self { at: BITS | (word as usize) << 6 | bit as usize & 63, class: LockClass::Annotated, shared: false }
    }

    /// The operations of success and of failure.
    const fn ops(self) -> (Op, Op) {
        if self.shared { (Op::RdLock, Op::FailedRdLock) } else { (Op::Lock, Op::FailedLock) }
    }

    const fn arg(self, patience: Patience) -> u64 {
        LockArg { class: self.class, patience, owner_died: false }.encode()
    }

    /// Says that the lock is there from now on, or is not any more.
    fn note(self, op: Op, pc: usize) {
        sync(op, self.at, self.arg(Patience::Blocking), pc);
    }

    /// Takes the lock: in a replay in its turn, and saying that it waits only if it is not free.
    pub fn acquire(self, pc: usize, attempt: impl Fn() -> bool, real: impl FnOnce()) {
        let ((op, _), arg) = (self.ops(), self.arg(Patience::Blocking));
        if !axes::is_replaying() {
            real();
            return sync(op, self.at, arg, pc);
        }
        let arrival = arrive(op, op, self.at, arg, Limit::Now, pc);
        let mut backoff = if arrival == Arrival::Insist { Backoff::for_a_moment() } else { Backoff::default() };
        let mut taken = attempt();
        while !taken && backoff.again() {
            taken = attempt();
        }
        if !taken {
            part::block(op, self.at, arg, pc);
            real();
        }
        sync(op, self.at, arg, pc);
    }

    /// Takes the lock if it is free.
    fn attempt(self, pc: usize, real: impl Fn() -> Boolean) -> Boolean {
        let ((op, failed), arg) = (self.ops(), self.arg(Patience::Try));
        let arrival = arrive(op, failed, self.at, arg, Limit::Now, pc);
        let taken = crate::interpose::insist(arrival, |taken| taken == 0, &real);
        sync(if taken == 0 { failed } else { op }, self.at, arg, pc);
        taken
    }

    /// Gives the lock back.
    pub fn release(self, pc: usize, real: impl FnOnce()) {
        self.note(Op::Unlock, pc);
        real();
    }
}

/// The functions of a kind of lock.
macro_rules! locks {
    ($($class:ident: $init:ident $clear:ident;)*) => {
        interpose! {$(
            fn $init(lock: Pointer) |pc| {
                // SAFETY: the program's own arguments.
                unsafe { real(lock) };
                Lock::new(lock, LockClass::$class).note(Op::LockInit, pc);
            }

            fn $clear(lock: Pointer) |pc| {
                Lock::new(lock, LockClass::$class).note(Op::LockDestroy, pc);
                // SAFETY: the program's own arguments.
                unsafe { real(lock) };
            }
        )*}
    };
}

/// The functions of one side of a kind of lock.
macro_rules! sides {
    ($($side:expr, $attempt:ident $lock:ident $unlock:ident;)*) => {$(
        const _: () = {
            real_function!(fn $attempt(lock: Pointer) -> Boolean);
            interpose! {
                fn $lock(lock: Pointer) |pc| {
                    // SAFETY: the program's own arguments.
                    unsafe { $side(lock).acquire(pc, || $attempt(lock) != 0, || real(lock)) };
                }

                fn $attempt(lock: Pointer) -> Boolean |pc| {
                    // SAFETY: the program's own arguments.
                    $side(lock).attempt(pc, || unsafe { real(lock) })
                }

                fn $unlock(lock: Pointer) |pc| {
                    // SAFETY: the program's own arguments.
                    $side(lock).release(pc, || unsafe { real(lock) });
                }
            }
        };
    )*};
}

locks! {
    Mutex: g_mutex_init g_mutex_clear;
    Recursive: g_rec_mutex_init g_rec_mutex_clear;
    RwLock: g_rw_lock_init g_rw_lock_clear;
}

fn mutex(lock: Pointer) -> Lock {
    Lock::new(lock, LockClass::Mutex)
}

fn recursive(lock: Pointer) -> Lock {
    Lock::new(lock, LockClass::Recursive)
}

fn exclusive(lock: Pointer) -> Lock {
    Lock::new(lock, LockClass::RwLock)
}

sides! {
    mutex, g_mutex_trylock g_mutex_lock g_mutex_unlock;
    recursive, g_rec_mutex_trylock g_rec_mutex_lock g_rec_mutex_unlock;
    exclusive, g_rw_lock_writer_trylock g_rw_lock_writer_lock g_rw_lock_writer_unlock;
    Lock::shared, g_rw_lock_reader_trylock g_rw_lock_reader_lock g_rw_lock_reader_unlock;
}

/// The functions of bits in one kind of word.
macro_rules! bits {
    ($($attempt:ident $lock:ident $unlock:ident;)*) => {$(
        const _: () = {
            real_function!(fn $attempt(word: Pointer, bit: c_int) -> Boolean);
            interpose! {
                fn $lock(word: Pointer, bit: c_int) |pc| {
                    // SAFETY: the program's own arguments.
                    unsafe { Lock::bit(word, bit).acquire(pc, || $attempt(word, bit) != 0, || real(word, bit)) };
                }

                fn $attempt(word: Pointer, bit: c_int) -> Boolean |pc| {
                    // SAFETY: the program's own arguments.
                    Lock::bit(word, bit).attempt(pc, || unsafe { real(word, bit) })
                }

                fn $unlock(word: Pointer, bit: c_int) |pc| {
                    // SAFETY: the program's own arguments.
                    Lock::bit(word, bit).release(pc, || unsafe { real(word, bit) });
                }
            }
        };
    )*};
}

bits! {
    g_bit_trylock g_bit_lock g_bit_unlock;
    g_pointer_bit_trylock g_pointer_bit_lock g_pointer_bit_unlock;
}
