//! Values of atomic variables, and what is computed with them.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

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
