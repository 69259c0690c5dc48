//! Module constructors, function boundaries, and stretches of code that are not to be checked.

use crate::cxx::calls;
use crate::op::access::{ignore, resume};
use crate::run;
use crate::sink::lines::{READ, WRITE};
use crate::thread::callers;

/// The module constructor of instrumented code.
unsafe extern "C" fn init() {
    let pc = crate::thread::tls::caller();
    run::init();
    run::set_instrumented();
    callers::announce(pc, calls::watch);
    run::begin_early();
}
trampoline!(__tsan_init, init);

exported! {
    /// Function boundaries carry nothing that the recorder needs.
    fn __tsan_func_entry(_caller: usize) {}

    /// See [`__tsan_func_entry`].
    fn __tsan_func_exit() {}

    /// Accesses that follow are of no interest.
    fn __tsan_ignore_thread_begin() {
        ignore(READ | WRITE);
    }

    /// See [`__tsan_ignore_thread_begin`].
    fn __tsan_ignore_thread_end() {
        resume(READ | WRITE);
    }
}
