//! Formatted output: into buffers, and to streams.

use crate::interpose::fd::channel::release;
use crate::interpose::stdio::{releases, writes_text};
use crate::op::access::{fills, writes};
use crate::thread::tls::caller;
use core::ffi::{c_char, c_int, c_void};
use libc::FILE;

type Buffer = *mut c_char;
type Format = *const c_char;
/// A pointer to a `va_list`, which is how one is passed.
type Arguments = *mut c_void;

/// A text of this length has been written to a buffer, as far as there is room.
fn printed(buffer: Buffer, room: usize, length: c_int, pc: usize) -> c_int {
    if length >= 0 {
        writes(pc, buffer, (length as usize + 1).min(room));
    }
    length
}

/// A text has been written to a new buffer.
unsafe fn allocated(buffer: *mut Buffer, length: c_int, pc: usize) -> c_int {
    if length >= 0 {
        fills(pc, buffer);
        // SAFETY: the call has filled in a string.
        unsafe { writes_text(pc, *buffer) };
    }
    length
}

/// Each function with a list of arguments, and its twin with the arguments themselves. `$effect` is what it does, in
/// terms of the arguments, `real` and `pc`.
macro_rules! printers {
    ($(
        fn $list:ident / $variadic:ident [$fixed:literal $next:literal]
        ($($arg:ident: $ty:ty),*) |$real:ident, $pc:ident| $effect:block
    )*) => {$(
        const _: () = {
            real_function!(fn $list($($arg: $ty,)* arguments: Arguments) -> c_int);

            unsafe extern "C-unwind" fn print($($arg: $ty,)* arguments: Arguments) -> c_int {
                let $pc = caller();
                // SAFETY: the program's own arguments.
                let $real = || unsafe { $list($($arg,)* arguments) };
                #[allow(unused_unsafe, reason = "some effects need none")]
                // SAFETY: as above.
                unsafe {
                    $effect
                }
            }

            const _: () = {
                trampoline!($list, print);
            };
            variadic!($variadic, $fixed, $next, print);
        };
    )*};
}

printers! {
    fn vsprintf / sprintf [2 "rdx"] (buffer: Buffer, format: Format) |real, pc| {
        printed(buffer, usize::MAX, real(), pc)
    }
    fn vsnprintf / snprintf [3 "rcx"] (buffer: Buffer, room: usize, format: Format) |real, pc| {
        printed(buffer, room, real(), pc)
    }
    fn __vsprintf_chk / __sprintf_chk [4 "r8"] (buffer: Buffer, flag: c_int, size: usize, format: Format) |real, pc| {
        printed(buffer, usize::MAX, real(), pc)
    }
    fn __vsnprintf_chk / __snprintf_chk [5 "r9"]
    (buffer: Buffer, room: usize, flag: c_int, size: usize, format: Format) |real, pc| {
        printed(buffer, room, real(), pc)
    }
    fn vasprintf / asprintf [2 "rdx"] (buffer: *mut Buffer, format: Format) |real, pc| {
        allocated(buffer, real(), pc)
    }
    fn __vasprintf_chk / __asprintf_chk [3 "rcx"] (buffer: *mut Buffer, flag: c_int, format: Format) |real, pc| {
        allocated(buffer, real(), pc)
    }
    fn vfprintf / fprintf [2 "rdx"] (stream: *mut FILE, format: Format) |real, pc| {
        releases(stream, pc);
        real()
    }
    fn __vfprintf_chk / __fprintf_chk [3 "rcx"] (stream: *mut FILE, flag: c_int, format: Format) |real, pc| {
        releases(stream, pc);
        real()
    }
    fn vdprintf / dprintf [2 "rdx"] (fd: c_int, format: Format) |real, pc| {
        release(fd, pc);
        real()
    }
    fn __vdprintf_chk / __dprintf_chk [3 "rcx"] (fd: c_int, flag: c_int, format: Format) |real, pc| {
        release(fd, pc);
        real()
    }
}
