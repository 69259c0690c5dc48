//! A table: functions of libc that fill in values for their caller, or read what it passes.
//!
//! Each is given by its signature and by the arguments it writes when it succeeds: a pointer to a value, or a buffer
//! whose length the result tells. Null pointers are left out, as the functions themselves do.

use crate::op::access::{fills, reads, writes};
use crate::op::in_gate;
use crate::op::text::{reads_text, writes_text};
use core::ffi::{c_char, c_double, c_int, c_long, c_void};
use libc::{clockid_t, itimerval, rlimit, rusage, stat, statfs, statvfs, sysinfo, time_t, timespec, tm, tms, utsname};

/// Whether a result says that the values were filled in.
trait Filled {
    fn filled(&self) -> bool;
}

impl Filled for c_int {
    fn filled(&self) -> bool {
        *self >= 0
    }
}

impl Filled for c_long {
    fn filled(&self) -> bool {
        *self >= 0
    }
}

impl Filled for c_double {
    fn filled(&self) -> bool {
        true
    }
}

impl Filled for f32 {
    fn filled(&self) -> bool {
        true
    }
}

impl<T> Filled for *mut T {
    fn filled(&self) -> bool {
        !self.is_null()
    }
}

/// Functions that fill in the values behind the arguments after the arrow.
macro_rules! values {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty => $($value:ident),*;)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> $ret |pc| {
                // SAFETY: the program's own arguments.
                let result = unsafe { real($($arg),*) };
                if result.filled() {
                    $(fills(pc, $value);)*
                }
                result
            }
        )*}
    };
}

values! {
    fn clock_getres(clock: clockid_t, time: *mut timespec) -> c_int => time;
    fn timespec_get(time: *mut timespec, base: c_int) -> c_int => time;
    fn times(times: *mut tms) -> c_long => times;
    fn gmtime_r(time: *const time_t, parts: *mut tm) -> *mut tm => parts;
    fn localtime_r(time: *const time_t, parts: *mut tm) -> *mut tm => parts;
    fn mktime(parts: *mut tm) -> time_t => parts;
    fn timegm(parts: *mut tm) -> time_t => parts;
    fn getitimer(which: c_int, timer: *mut itimerval) -> c_int => timer;
    fn getrusage(who: c_int, usage: *mut rusage) -> c_int => usage;
    fn getrlimit(which: c_int, limit: *mut rlimit) -> c_int => limit;
    fn getrlimit64(which: c_int, limit: *mut rlimit) -> c_int => limit;
    fn uname(names: *mut utsname) -> c_int => names;
    fn sysinfo(info: *mut sysinfo) -> c_int => info;
    fn __xstat(version: c_int, path: *const c_char, stat: *mut stat) -> c_int => stat;
    fn __xstat64(version: c_int, path: *const c_char, stat: *mut stat) -> c_int => stat;
    fn __lxstat(version: c_int, path: *const c_char, stat: *mut stat) -> c_int => stat;
    fn __lxstat64(version: c_int, path: *const c_char, stat: *mut stat) -> c_int => stat;
    fn __fxstat(version: c_int, fd: c_int, stat: *mut stat) -> c_int => stat;
    fn __fxstat64(version: c_int, fd: c_int, stat: *mut stat) -> c_int => stat;
    fn statfs(path: *const c_char, stat: *mut statfs) -> c_int => stat;
    fn statfs64(path: *const c_char, stat: *mut statfs) -> c_int => stat;
    fn fstatfs(fd: c_int, stat: *mut statfs) -> c_int => stat;
    fn fstatfs64(fd: c_int, stat: *mut statfs) -> c_int => stat;
    fn statvfs(path: *const c_char, stat: *mut statvfs) -> c_int => stat;
    fn statvfs64(path: *const c_char, stat: *mut statvfs) -> c_int => stat;
    fn fstatvfs(fd: c_int, stat: *mut statvfs) -> c_int => stat;
    fn fstatvfs64(fd: c_int, stat: *mut statvfs) -> c_int => stat;
    fn rand_r(seed: *mut u32) -> c_int => seed;
    fn frexp(number: c_double, exponent: *mut c_int) -> c_double => exponent;
    fn frexpf(number: f32, exponent: *mut c_int) -> f32 => exponent;
    fn modf(number: c_double, whole: *mut c_double) -> c_double => whole;
    fn modff(number: f32, whole: *mut f32) -> f32 => whole;
    fn getresuid(real_id: *mut u32, effective: *mut u32, saved: *mut u32) -> c_int => real_id, effective, saved;
    fn getresgid(real_id: *mut u32, effective: *mut u32, saved: *mut u32) -> c_int => real_id, effective, saved;
}

/// Functions that return the string they have written to their caller's buffer.
macro_rules! strings {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> *mut c_char |pc| {
                // SAFETY: the program's own arguments; the result is a string or null.
                unsafe {
                    let text = real($($arg),*);
                    writes_text(pc, text);
                    text
                }
            }
        )*}
    };
}

strings! {
    fn getcwd(buffer: *mut c_char, size: usize);
    fn realpath(path: *const c_char, buffer: *mut c_char);
    fn __realpath_chk(path: *const c_char, buffer: *mut c_char, room: usize);
    fn ctime_r(time: *const time_t, buffer: *mut c_char);
    fn asctime_r(parts: *const tm, buffer: *mut c_char);
    fn inet_ntop(family: c_int, address: *const c_void, buffer: *mut c_char, size: libc::socklen_t);
    fn tmpnam_r(buffer: *mut c_char);
}

/// A call has written this many bytes, or failed.
fn counted<T>(buffer: *const T, count: isize, pc: usize) -> isize {
    if count > 0 {
        writes(pc, buffer, count as usize);
    }
    count
}

interpose! {
    fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, path);
            counted(buffer, real(path, buffer, size), pc)
        }
    }

    fn readlinkat(at: c_int, path: *const c_char, buffer: *mut c_char, size: usize) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, path);
            counted(buffer, real(at, path, buffer, size), pc)
        }
    }

    fn getrandom(buffer: *mut c_void, size: usize, flags: u32) -> isize |pc| {
        // SAFETY: the program's own arguments.
        counted(buffer, unsafe { real(buffer, size, flags) }, pc)
    }

    fn getentropy(buffer: *mut c_void, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = unsafe { real(buffer, size) };
        if result == 0 {
            writes(pc, buffer, size);
        }
        result
    }

    fn gethostname(buffer: *mut c_char, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments; the name ends within the buffer if the call succeeds.
        unsafe {
            let result = real(buffer, size);
            if result == 0 {
                writes(pc, buffer, crate::op::text::strnlen(buffer, size) + 1);
            }
            result
        }
    }

    fn strftime(buffer: *mut c_char, room: usize, format: *const c_char, parts: *const tm) -> usize |pc| {
        // SAFETY: the program's own arguments.
        let length = unsafe { real(buffer, room, format, parts) };
        if length > 0 {
            reads(pc, parts, size_of::<tm>());
            writes(pc, buffer, length + 1);
        }
        length
    }

    fn inet_pton(family: c_int, text: *const c_char, address: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            let result = real(family, text, address);
            if result == 1 {
                writes(pc, address, if family == libc::AF_INET { 4 } else { 16 });
            }
            result
        }
    }

    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int |pc| {
        reads(pc, time, size_of::<timespec>());
        // SAFETY: the program's own arguments.
        if unsafe { in_gate::sleep(time, pc) } {
            return 0;
        }
        // SAFETY: the program's own arguments.
        let result = unsafe { real(time, left) };
        if result != 0 {
            fills(pc, left);
        }
        result
    }
}
