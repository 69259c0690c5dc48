//! What people tell ThreadSanitizer in their sources: order, locks of their own, stretches not to be checked, names.
//!
//! *Deviations.* Operations are recorded also where the program asks to ignore synchronisation, because half of a lock's
//! operations would be no history. What asks for reports gets none: there are none while a program runs.
#![allow(non_snake_case, reason = "the names are those of the interface")]

mod dynamic;
mod java;
mod mutex;
mod sanitizer;
mod ubsan;

use crate::run::sync;
use foretrace_event::wire::Op;

exported! {
    /// Everything before is visible to later acquires of the address.
    fn __tsan_release(at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// Sees what was released at the address.
    fn __tsan_acquire(at: usize) |pc| {
        sync(Op::Acquire, at, 0, pc);
    }
}
