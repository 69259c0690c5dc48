//! How the end of a thread is seen.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

real_function!(fn pthread_key_create(key: *mut u32, destructor: Option<unsafe extern "C" fn(*mut c_void)>) -> c_int);
real_function!(fn pthread_setspecific(key: u32, value: *const c_void) -> c_int);

/// The key whose destructor ends a thread's recording; zero until it is made, else the key and one.
static END_KEY: AtomicU32 = AtomicU32::new(0);
/// How often destructors are run: ours waits for the last time, when the program's own are done.
const ROUNDS: usize = 4;

/// That key.
pub fn end_key() -> Option<u32> {
    if let Some(key) = END_KEY.load(Ordering::Acquire).checked_sub(1) {
        return Some(key);
    }
    let mut key = 0;
    // SAFETY: the key is a local, the destructor ours.
    if unsafe { pthread_key_create(&mut key, Some(last_rites)) } != 0 {
        return None;
    }
    END_KEY.store(key + 1, Ordering::Release);
    Some(key)
}

/// From now on the current thread's end is seen. That of the first thread is not its return from `main`.
pub fn notice_end() {
    if let Some(key) = end_key() {
        // SAFETY: the key exists; the value is a number.
        unsafe { pthread_setspecific(key, core::ptr::without_provenance(1)) };
    }
}

unsafe extern "C" fn last_rites(round: *mut c_void) {
    let round = round as usize;
    if round == 1 {
        super::at_exit::begin_end();
    }
    if round < ROUNDS
        && let Some(key) = end_key()
        // SAFETY: the key exists; the value is a number.
        && unsafe { pthread_setspecific(key, (round + 1) as *const c_void) } == 0
    {
        return;
    }
    super::end_thread();
}
