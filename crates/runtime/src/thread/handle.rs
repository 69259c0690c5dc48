//! What libc knows a thread by, and where its stack is.

use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::sys::sandbox;
use crate::thread::tls::Section;
use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Thread numbers by `pthread_t`. A handle that is used again belongs to the thread with the larger number.
static BY_HANDLE: Spin<Map> = Spin::new(Map::new());

/// Notes which thread a handle stands for.
pub fn name_handle(handle: u64, index: u32) {
    let _section = Section::nest();
    if let Some(known) = BY_HANDLE.lock().entry(handle) {
        *known = (*known).max(u64::from(index) + 1);
    }
}

/// Which thread a handle stands for.
pub fn by_handle(handle: u64) -> Option<u32> {
    let _section = Section::nest();
    BY_HANDLE.lock().get(handle).and_then(|index| index.checked_sub(1)).map(|index| index as u32)
}

/// In a forked child.
fn reset_locks() {
    BY_HANDLE.reset();
}
at_fork!(reset_locks);

real_function!(fn pthread_getattr_np(thread: libc::pthread_t, attributes: *mut libc::pthread_attr_t) -> i32);
real_function!(fn pthread_attr_getstack(attributes: *const libc::pthread_attr_t, at: *mut *mut c_void, size: *mut usize) -> i32);
real_function!(fn pthread_attr_destroy(attributes: *mut libc::pthread_attr_t) -> i32);
real_function!(fn pthread_self() -> libc::pthread_t);

/// The current thread's handle.
pub fn handle() -> u64 {
    // SAFETY: takes nothing.
    unsafe { pthread_self() as u64 }
}

/// The handle and the stack of a thread that will ask for it in each of many forks.
static KNOWN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

/// Remembers the current thread's stack.
pub fn remember_stack() {
    let (at, size) = stack();
    let known = [handle() as usize, at, size];
    KNOWN.iter().zip(known).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
}

/// The current thread's stack: lowest address and size; zeros if unknown.
pub fn stack() -> (usize, usize) {
    let [thread, at, size] = [0, 1, 2].map(|index: usize| KNOWN[index].load(Ordering::Relaxed));
    if thread as u64 == handle() {
        return (at, size);
    }
    // Among the attributes that libc asks for is the affinity.
    if sandbox::refuses(libc::SYS_sched_getaffinity) {
        return (0, 0);
    }
    // SAFETY: the attributes are initialised by the first call and used only if it succeeded.
    unsafe {
        let mut attributes = core::mem::zeroed();
        if pthread_getattr_np(pthread_self(), &mut attributes) != 0 {
            return (0, 0);
        }
        let (mut at, mut size) = (core::ptr::null_mut(), 0);
        let known = pthread_attr_getstack(&attributes, &mut at, &mut size) == 0;
        pthread_attr_destroy(&mut attributes);
        if known { (at as usize, size) } else { (0, 0) }
    }
}
