//! Little address space.

use rustix::process::{Resource, getrlimit};

/// The parameter of `mallopt` that bounds the number of arenas (`malloc.h`).
const ARENAS: i32 = -8;

/// If the address space is limited (`ulimit -v`), all threads share one arena of the allocator: each further one reserves
/// 64 MB, and allocations fail when nothing is left to reserve.
#[allow(unsafe_code)]
pub fn share_one_arena() {
    unsafe extern "C" {
        fn mallopt(parameter: i32, value: i32) -> i32;
    }
    if getrlimit(Resource::As).current.is_some() {
        // SAFETY: libc allows the call at any time, and it takes no memory of ours.
        unsafe { mallopt(ARENAS, 1) };
    }
}
