//! What a forked child starts anew: locks that threads of its parent held, and what is the parent's alone.

use core::arch::global_asm;

// The linker makes these symbols for the section that `at_fork!` fills.
global_asm!(".hidden __start_ft_resets", ".hidden __stop_ft_resets");
unsafe extern "C" {
    #[link_name = "__start_ft_resets"]
    static FIRST: [usize; 0];
    #[link_name = "__stop_ft_resets"]
    static END: [usize; 0];
}

/// Calls every function that a module has named with `at_fork!`.
pub fn reset_all() {
    let [first, end] = [&raw const FIRST, &raw const END].map(|at| at.cast::<fn()>());
    // SAFETY: the section holds nothing else.
    let all = unsafe { core::slice::from_raw_parts(first, end.offset_from_unsigned(first)) };
    all.iter().for_each(|reset| reset());
}
