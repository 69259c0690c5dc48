//! Module constructors, function boundaries, and stretches of code that are not to be checked.

use crate::op::access::ignore;
use crate::op::access::resume;
use crate::run;
use crate::sink::lines::READ;
use crate::sink::lines::WRITE;
use crate::thread::callers;

/// The module constructor of instrumented code.
unsafe extern "C" fn init() {
    let pc = run::caller();
    run::init();
    run::set_instrumented();
    callers::announce(pc);
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
