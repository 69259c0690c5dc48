//! The threads whose stacks and thread-local storage the coroutines use.
//!
//! libc makes them, so whatever it keeps of a thread is as it should be: `pthread_self`, thread-local storage, stacks,
//! destructors. Each sleeps in the kernel for ever. The coroutine goes on where the thread went to sleep, on its stack and
//! with its thread pointer; when the program's function returns, libc does at the end of the thread what it always does,
//! until the runtime's own destructor is called, which hands over to another coroutine for good.

use super::switch::park;
use crate::sys;
use core::cell::{Cell, UnsafeCell};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::ThreadSet;
use libc::{pthread_attr_t, pthread_t};

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

real_function!(fn pthread_create(
    thread: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void,
) -> c_int);
real_function!(fn pthread_attr_init(attributes: *mut pthread_attr_t) -> c_int);
real_function!(fn pthread_attr_destroy(attributes: *mut pthread_attr_t) -> c_int);

/// What is known of one.
struct Sleeper {
    /// Its stack pointer.
    context: UnsafeCell<usize>,
    /// Its thread pointer, which is also its handle.
    pointer: Cell<usize>,
    /// Its number in the kernel.
    tid: Cell<u32>,
    /// What it is to run.
    task: Cell<Option<(Routine, *mut c_void)>>,
    /// What its function has returned.
    result: Cell<*mut c_void>,
}

// SAFETY: one thread of the process runs, or one creates the others and waits until they sleep.
unsafe impl Sync for Sleeper {}

const CAPACITY: usize = ThreadSet::CAPACITY as usize;
static SLEEPERS: [Sleeper; CAPACITY] = [const {
    Sleeper {
        context: UnsafeCell::new(0),
        pointer: Cell::new(0),
        tid: Cell::new(0),
        task: Cell::new(None),
        result: Cell::new(core::ptr::null_mut()),
    }
}; CAPACITY];
/// How many there are, the main thread included.
static COUNT: AtomicU32 = AtomicU32::new(0);
static PARKED: AtomicU32 = AtomicU32::new(0);
static NEVER: AtomicU32 = AtomicU32::new(0);
/// Whose coroutine runs.
static CURRENT: AtomicU32 = AtomicU32::new(0);

/// The main thread is the first, and so many more are made.
pub fn make(pointer: usize, more: u32) -> bool {
    SLEEPERS[0].pointer.set(pointer);
    SLEEPERS[0].tid.set(sys::tid());
    let made = (1..=more).take_while(|number| make_one(*number)).count() as u32;
    COUNT.store(made + 1, Ordering::Relaxed);
    while PARKED.load(Ordering::Acquire) < made {
        sys::yield_now();
    }
    made == more
}

fn make_one(number: u32) -> bool {
    // SAFETY: the attributes and the handle are locals; the stack is the thread's alone.
    unsafe {
        let mut attributes = core::mem::zeroed();
        if pthread_attr_init(&mut attributes) != 0 {
            return false;
        }
        let mut handle = 0;
        let made = super::stacks::give(&mut attributes, number)
            && pthread_create(&mut handle, &attributes, sleep, number as usize as *mut c_void) == 0;
        pthread_attr_destroy(&mut attributes);
        made
    }
}

/// What such a thread does: it sleeps, and when its coroutine begins, that calls what it is to run.
unsafe extern "C-unwind" fn sleep(number: *mut c_void) -> *mut c_void {
    let own = &SLEEPERS[number as usize % CAPACITY];
    own.pointer.set(crate::thread::handle::handle() as usize);
    own.tid.set(sys::tid());
    // SAFETY: the word stays zero, and the creator has blocked all signals.
    unsafe { park(own.context.get(), PARKED.as_ptr(), NEVER.as_ptr()) };
    let Some((routine, argument)) = own.task.get() else { return core::ptr::null_mut() };
    // SAFETY: whoever has claimed the thread has given both.
    unsafe { routine(argument) }
}

/// Gives the thread of that number something to run, and tells its handle; none if there is no such thread.
pub fn claim(number: u32, routine: Routine, argument: *mut c_void) -> Option<pthread_t> {
    let own = SLEEPERS.get(number as usize).filter(|_| number < COUNT.load(Ordering::Relaxed))?;
    own.task.set(Some((routine, argument)));
    Some(own.pointer.get() as pthread_t)
}

/// Where the stack pointer of a coroutine is kept, and its thread pointer. It runs from now on.
pub fn go_on(number: u32) -> (usize, usize) {
    CURRENT.store(number, Ordering::Relaxed);
    let own = &SLEEPERS[number as usize % CAPACITY];
    // SAFETY: nobody else uses it: one thread runs.
    (unsafe { *own.context.get() }, own.pointer.get())
}

/// Where the stack pointer of a coroutine is kept.
pub fn context(number: u32) -> *mut usize {
    SLEEPERS[number as usize % CAPACITY].context.get()
}

/// Whose coroutine runs.
pub fn current() -> u32 {
    CURRENT.load(Ordering::Relaxed)
}

/// The number in the kernel of the thread whose coroutine runs.
pub fn tid() -> u32 {
    SLEEPERS[current() as usize % CAPACITY].tid.get()
}

/// The current coroutine's function has returned this, or has called `pthread_exit` with it.
pub fn set_result(result: *mut c_void) {
    SLEEPERS[current() as usize % CAPACITY].result.set(result);
}

/// What the function of a thread has returned.
pub fn result(number: u32) -> *mut c_void {
    SLEEPERS[number as usize % CAPACITY].result.get()
}
