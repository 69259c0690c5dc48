//! A lock of our own: spins briefly, then sleeps in the kernel. Held only inside sections.

use crate::sys;
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
const CONTENDED: u32 = 2;

/// The lock alone.
pub struct Raw(AtomicU32);

impl Raw {
    /// Free.
    pub const fn new() -> Self {
        Self(AtomicU32::new(FREE))
    }

    /// Takes the lock.
    #[inline]
    pub fn lock(&self) {
        if self.0.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.lock_contended();
        }
    }

    #[cold]
    fn lock_contended(&self) {
        for _ in 0..100 {
            if self.0.compare_exchange_weak(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
            core::hint::spin_loop();
        }
        while self.0.swap(CONTENDED, Ordering::Acquire) != FREE {
            sys::futex_wait(self.0.as_ptr(), CONTENDED);
        }
    }

    /// Gives it back.
    #[inline]
    pub fn unlock(&self) {
        if self.0.swap(FREE, Ordering::Release) == CONTENDED {
            sys::futex_wake(self.0.as_ptr(), 1);
        }
    }

    /// Forgets who held it: in a forked child only the forking thread is left.
    pub fn reset(&self) {
        self.0.store(FREE, Ordering::Relaxed);
    }
}

/// A lock for a few instructions at a time: giving it back is a plain store, and who finds it held looks again.
pub struct Brief(AtomicU32);

impl Brief {
    /// Free.
    pub const fn new() -> Self {
        Self(AtomicU32::new(FREE))
    }

    /// Takes the lock.
    #[inline]
    pub fn lock(&self) {
        if self.0.swap(HELD, Ordering::Acquire) != FREE {
            self.lock_contended();
        }
    }

    #[cold]
    fn lock_contended(&self) {
        let mut looks = 0u32;
        while self.0.load(Ordering::Relaxed) != FREE || self.0.swap(HELD, Ordering::Acquire) != FREE {
            looks += 1;
            match looks {
                0..100 => core::hint::spin_loop(),
                // The holder does not run.
                100..200 => sys::yield_now(),
                // It does not run because we do.
                _ => sys::sleep_a_millisecond(),
            }
        }
    }

    /// Gives it back.
    #[inline]
    pub fn unlock(&self) {
        self.0.store(FREE, Ordering::Release);
    }
}

/// A value behind a lock for a few instructions at a time.
pub struct Locked<T> {
    lock: Brief,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached under the lock alone, by one thread at a time.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// Free, with this value.
    pub const fn new(value: T) -> Self {
        Self { lock: Brief::new(), value: UnsafeCell::new(value) }
    }

    /// Works with the value. The caller is in a section.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.lock.lock();
        // SAFETY: the lock is held, and nobody else uses the value meanwhile.
        let result = work(unsafe { &mut *self.value.get() });
        self.lock.unlock();
        result
    }

    /// Takes the lock, for one who takes many and uses the values afterwards.
    pub fn lock(&self) {
        self.lock.lock();
    }

    /// Gives it back.
    pub fn unlock(&self) {
        self.lock.unlock();
    }

    /// Where the value is. It may be used while the lock is held.
    pub const fn value(&self) -> *mut T {
        self.value.get()
    }
}

/// A value behind a lock.
pub struct Spin<T> {
    raw: Raw,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through the guard, by one thread at a time.
unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    /// Free, with this value.
    pub const fn new(value: T) -> Self {
        Self { raw: Raw::new(), value: UnsafeCell::new(value) }
    }

    /// The value, for as long as the guard lives.
    pub fn lock(&self) -> Guard<'_, T> {
        self.raw.lock();
        Guard(self)
    }

    /// See [`Raw::reset`].
    pub fn reset(&self) {
        self.raw.reset();
    }
}

/// Access to the value; the lock is given back when it goes.
pub struct Guard<'a, T>(&'a Spin<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock, and is borrowed mutably.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.raw.unlock();
    }
}
