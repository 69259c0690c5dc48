//! What GLib hands from thread to thread: `GAsyncQueue`, the work of a `GThreadPool`, callbacks of a main loop, and what is
//! freed when its last reference goes.

use crate::interpose::glib::{Boolean, Pointer};
use crate::interpose::thread::{free, malloc};
use crate::run::sync;
use core::ffi::{CStr, c_int, c_uint};
use foretrace_event::wire::Op;

fn gives(channel: Pointer, pc: usize) {
    sync(Op::Release, channel as usize, 0, pc);
}

fn takes(channel: Pointer, pc: usize) {
    sync(Op::Acquire, channel as usize, 0, pc);
}

fn took(channel: Pointer, what: Pointer, pc: usize) -> Pointer {
    if !what.is_null() {
        takes(channel, pc);
    }
    what
}

/// Functions that put something into a queue.
macro_rules! puts {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        interpose! {$(
            fn $name(queue: Pointer $(, $arg: $ty)*) |pc| {
                gives(queue, pc);
                // SAFETY: the program's own arguments.
                unsafe { real(queue $(, $arg)*) };
            }
        )*}
    };
}

puts! {
    g_async_queue_push(data: Pointer);
    g_async_queue_push_unlocked(data: Pointer);
    g_async_queue_push_front(data: Pointer);
    g_async_queue_push_front_unlocked(data: Pointer);
    g_async_queue_push_sorted(data: Pointer, order: Pointer, user: Pointer);
    g_async_queue_push_sorted_unlocked(data: Pointer, order: Pointer, user: Pointer);
    g_main_loop_quit();
}

/// Functions that take something out of a queue, or nothing.
macro_rules! takes {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        interpose! {$(
            fn $name(queue: Pointer $(, $arg: $ty)*) -> Pointer |pc| {
                // SAFETY: the program's own arguments.
                took(queue, unsafe { real(queue $(, $arg)*) }, pc)
            }
        )*}
    };
}

takes! {
    g_async_queue_pop();
    g_async_queue_pop_unlocked();
    g_async_queue_try_pop();
    g_async_queue_try_pop_unlocked();
    g_async_queue_timeout_pop(microseconds: u64);
    g_async_queue_timeout_pop_unlocked(microseconds: u64);
    g_async_queue_timed_pop(until: Pointer);
    g_async_queue_timed_pop_unlocked(until: Pointer);
}

/// Functions that give a reference back: whoever gives the last one back frees the object, after all others.
macro_rules! counts {
    ($($name:ident)*) => {
        interpose! {$(
            fn $name(object: Pointer) |pc| {
                gives(object, pc);
                takes(object, pc);
                // SAFETY: the program's own arguments.
                unsafe { real(object) };
            }
        )*}
    };
}

counts! {
    g_object_unref g_bytes_unref g_array_unref g_ptr_array_unref g_byte_array_unref g_hash_table_unref g_variant_unref
    g_async_queue_unref g_thread_unref g_main_loop_unref g_main_context_unref g_source_unref g_date_time_unref
    g_atomic_rc_box_release
}

type Work = unsafe extern "C-unwind" fn(Pointer, Pointer);
type Source = unsafe extern "C-unwind" fn(Pointer) -> Boolean;
type Notify = unsafe extern "C-unwind" fn(Pointer);

/// What a pool does with each piece of work. It lives as long as the process: a pool may be freed while it works.
struct Pool {
    work: Work,
    user: Pointer,
}

unsafe extern "C-unwind" fn work(data: Pointer, pool: Pointer) {
    takes(pool, 0);
    // SAFETY: the pool's own record, which is never freed; the program asked for this call.
    unsafe { ((*pool.cast::<Pool>()).work)(data, (*pool.cast::<Pool>()).user) };
    gives(pool.wrapping_byte_add(1), 0);
}

/// The public part of GLib's record of a pool.
#[repr(C)]
struct PublicPool {
    work: Option<Work>,
    user: Pointer,
}

/// The channel of the work of a pool, if it is one that does its work through us.
unsafe fn channel_of(pool: Pointer) -> Option<Pointer> {
    // SAFETY: the program passes a pool, or null.
    let public = unsafe { pool.cast::<PublicPool>().as_ref()? };
    (public.work.map(|work| work as usize) == Some(work as *const () as usize)).then_some(public.user)
}

/// Memory for a record that GLib hands back to us.
unsafe fn boxed<T>(record: T) -> Option<*mut T> {
    // SAFETY: the real allocator; the memory is large enough and aligned for it.
    unsafe {
        let at: *mut T = malloc(size_of::<T>()).cast();
        (!at.is_null()).then(|| {
            at.write(record);
            at
        })
    }
}

interpose! {
    fn g_thread_pool_new(
        function: Work, user: Pointer, most: c_int, exclusive: Boolean, error: Pointer,
    ) -> Pointer {
        // SAFETY: the program's own arguments; the record stays.
        unsafe {
            match boxed(Pool { work: function, user }) {
                Some(pool) => real(work, pool.cast(), most, exclusive, error),
                None => real(function, user, most, exclusive, error),
            }
        }
    }

    fn g_thread_pool_push(pool: Pointer, data: Pointer, error: Pointer) -> Boolean |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            if let Some(channel) = channel_of(pool) {
                gives(channel, pc);
            }
            real(pool, data, error)
        }
    }

    fn g_thread_pool_free(pool: Pointer, immediate: Boolean, wait: Boolean) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let channel = channel_of(pool);
            real(pool, immediate, wait);
            if let Some(channel) = channel.filter(|_| wait != 0) {
                takes(channel.wrapping_byte_add(1), pc);
            }
        }
    }

    fn g_main_loop_run(main_loop: Pointer) |pc| {
        // SAFETY: the program's own arguments.
        unsafe { real(main_loop) };
        takes(main_loop, pc);
    }
}

/// A callback that the thread of a main loop calls.
struct Callback {
    function: Source,
    data: Pointer,
    notify: Option<Notify>,
}

unsafe extern "C-unwind" fn dispatch(callback: Pointer) -> Boolean {
    takes(callback, 0);
    // SAFETY: GLib passes the record that it was given, and frees it afterwards.
    unsafe { ((*callback.cast::<Callback>()).function)((*callback.cast::<Callback>()).data) }
}

unsafe extern "C-unwind" fn forget(callback: Pointer) {
    // SAFETY: as above; GLib does not use it again.
    unsafe {
        let Callback { data, notify, .. } = callback.cast::<Callback>().read();
        if let Some(notify) = notify {
            takes(callback, 0);
            notify(data);
        }
        free(callback);
    }
}

/// Does a module of the program look for callbacks by their data? Then GLib must be given the program's own.
fn is_found_by_data() -> bool {
    let mut found = false;
    crate::sys::elf::modules(|module| found |= BY_DATA.iter().any(|name| module.imports(name)));
    found
}

const BY_DATA: [&CStr; 4] = [
    c"g_idle_remove_by_data",
    c"g_source_remove_by_user_data",
    c"g_main_context_find_source_by_user_data",
    c"g_main_context_find_source_by_funcs_user_data",
];

/// Hands a callback to a main loop, as `add` does with a function, its data and what is called when they are not needed.
unsafe fn hand<R>(
    (function, data, notify): (Source, Pointer, Option<Notify>),
    pc: usize,
    add: impl FnOnce(Source, Pointer, Option<Notify>) -> R,
) -> R {
    // SAFETY: the record is GLib's until it calls `forget`.
    let record = if is_found_by_data() { None } else { unsafe { boxed(Callback { function, data, notify }) } };
    match record {
        Some(callback) => {
            gives(callback.cast(), pc);
            add(dispatch, callback.cast(), Some(forget))
        }
        None => add(function, data, notify),
    }
}

const IDLE: c_int = 200;
const DEFAULT: c_int = 0;

real_function!(fn g_idle_add_full(priority: c_int, call: Source, data: Pointer, notify: Option<Notify>) -> c_uint);
real_function!(fn g_timeout_add_full(
    priority: c_int, after: c_uint, call: Source, data: Pointer, notify: Option<Notify>,
) -> c_uint);
real_function!(fn g_timeout_add_seconds_full(
    priority: c_int, after: c_uint, call: Source, data: Pointer, notify: Option<Notify>,
) -> c_uint);
real_function!(fn g_main_context_invoke_full(
    context: Pointer, priority: c_int, call: Source, data: Pointer, notify: Option<Notify>,
));

interpose! {
    fn g_idle_add(call: Source, data: Pointer) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        unsafe { hand((call, data, None), pc, |call, data, notify| g_idle_add_full(IDLE, call, data, notify)) }
    }

    fn g_idle_add_full(priority: c_int, call: Source, data: Pointer, notify: Option<Notify>) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        unsafe { hand((call, data, notify), pc, |call, data, notify| real(priority, call, data, notify)) }
    }

    fn g_timeout_add(after: c_uint, call: Source, data: Pointer) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            hand((call, data, None), pc, |call, data, notify| g_timeout_add_full(DEFAULT, after, call, data, notify))
        }
    }

    fn g_timeout_add_full(
        priority: c_int, after: c_uint, call: Source, data: Pointer, notify: Option<Notify>,
    ) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        unsafe { hand((call, data, notify), pc, |call, data, notify| real(priority, after, call, data, notify)) }
    }

    fn g_timeout_add_seconds(after: c_uint, call: Source, data: Pointer) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            hand((call, data, None), pc, |call, data, notify| {
                g_timeout_add_seconds_full(DEFAULT, after, call, data, notify)
            })
        }
    }

    fn g_main_context_invoke(context: Pointer, call: Source, data: Pointer) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            hand((call, data, None), pc, |call, data, notify| {
                g_main_context_invoke_full(context, DEFAULT, call, data, notify);
            });
        }
    }

    fn g_main_context_invoke_full(
        context: Pointer, priority: c_int, call: Source, data: Pointer, notify: Option<Notify>,
    ) |pc| {
        // SAFETY: the program's own arguments.
        unsafe { hand((call, data, notify), pc, |call, data, notify| real(context, priority, call, data, notify)) };
    }
}
