//! Atomic operations, as the compilers name them.

use crate::op::atomic::{
    Add, And, Exchange, Nand, Or, Sub, Xor, change, compare_exchange, compare_exchange_val, load, store, thread_fence,
};
use core::ffi::c_int;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;

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
