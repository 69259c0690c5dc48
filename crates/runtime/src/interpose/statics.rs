//! A table: functions of libc that keep something between calls, or return memory that the next call overwrites. POSIX lets
//! them be unsafe in programs with threads, and glibc's manual says of each of these that it is (`MT-Unsafe race`, or
//! `env`). What glibc keeps in each thread, or guards with a lock of its own, is not here: `strerror`, `strsignal`,
//! `inet_ntoa`, `rand`, `random`.
//!
//! A result is written by the call that returns it. State that has no address is a variable of ours.

use crate::op::access::{counts, reads, writes};
use crate::op::text::{reads_text, whole, writes_text};
use core::ffi::{c_char, c_double, c_int, c_long, c_uint, c_void};
use libc::{dirent, dirent64, group, hostent, passwd, protoent, servent, time_t, tm};

type Text = *const c_char;
type Buffer = *mut c_char;

unsafe extern "C" {
    static environ: *const *const c_char;
}

real_function!(fn getenv(name: Text) -> Buffer);

/// What `strtok` remembers of its string.
#[cfg_attr(not(test), unsafe(export_name = "ft_state_of_strtok"))]
static STRTOK: u64 = 0;
/// The seed of `drand48` and its kin.
#[cfg_attr(not(test), unsafe(export_name = "ft_seed_of_drand48"))]
static DRAND48: u64 = 0;

/// Functions that return a value in memory of libc's.
macro_rules! values {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $of:ty;)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> *mut $of |pc| {
                // SAFETY: the program's own arguments.
                let result = unsafe { real($($arg),*) };
                writes(pc, result, size_of::<$of>());
                result
            }
        )*}
    };
}

values! {
    fn gmtime(time: *const time_t) -> tm;
    fn localtime(time: *const time_t) -> tm;
    fn gethostbyname(name: Text) -> hostent;
    fn gethostbyname2(name: Text, family: c_int) -> hostent;
    fn gethostbyaddr(address: *const c_void, size: c_uint, family: c_int) -> hostent;
    fn getservbyname(name: Text, protocol: Text) -> servent;
    fn getservbyport(port: c_int, protocol: Text) -> servent;
    fn getprotobyname(name: Text) -> protoent;
    fn getprotobynumber(number: c_int) -> protoent;
    fn getpwnam(name: Text) -> passwd;
    fn getpwuid(user: c_uint) -> passwd;
    fn getpwent() -> passwd;
    fn getgrnam(name: Text) -> group;
    fn getgrgid(id: c_uint) -> group;
    fn getgrent() -> group;
}

/// Functions that return a string in memory of libc's.
macro_rules! texts {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> Buffer |pc| {
                // SAFETY: the program's own arguments; the result is a string or null.
                unsafe {
                    let result = real($($arg),*);
                    writes_text(pc, result);
                    result
                }
            }
        )*}
    };
}

texts! {
    fn asctime(time: *const tm);
    fn ctime(time: *const time_t);
    fn ttyname(fd: c_int);
    fn getlogin();
    fn ecvt(value: c_double, digits: c_int, point: *mut c_int, sign: *mut c_int);
    fn fcvt(value: c_double, digits: c_int, point: *mut c_int, sign: *mut c_int);
    fn l64a(value: c_long);
}

/// Functions that change the seed that all of them share.
macro_rules! seeded {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) $(-> $ret)? |pc| {
                writes(pc, &raw const DRAND48, size_of_val(&DRAND48));
                // SAFETY: the program's own arguments.
                unsafe { real($($arg),*) }
            }
        )*}
    };
}

seeded! {
    fn drand48() -> c_double;
    fn lrand48() -> c_long;
    fn mrand48() -> c_long;
    fn srand48(seed: c_long);
    fn seed48(seed: *mut u16) -> *mut u16;
    fn lcong48(parameters: *mut u16);
}

/// A token has been cut out of a string.
unsafe fn cut(pc: usize, token: Buffer) {
    if counts(pc) && !token.is_null() {
        // SAFETY: the token is a string now.
        unsafe {
            let bytes = whole(token);
            reads(pc, token, bytes);
            writes(pc, token.add(bytes - 1), 1);
        }
    }
}

/// The environment has been looked at, or changed.
fn environment(pc: usize, note: fn(usize, *const *const *const c_char, usize)) {
    note(pc, &raw const environ, size_of::<usize>());
}

interpose! {
    fn strtok(text: Buffer, separators: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, separators);
            writes(pc, &raw const STRTOK, size_of_val(&STRTOK));
            let token = real(text, separators);
            cut(pc, token);
            token
        }
    }

    fn strtok_r(text: Buffer, separators: Text, rest: *mut Buffer) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, separators);
            let token = real(text, separators, rest);
            writes(pc, rest, size_of::<Buffer>());
            cut(pc, token);
            token
        }
    }

    fn strsep(text: *mut Buffer, separators: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, separators);
            let token = real(text, separators);
            writes(pc, text, size_of::<Buffer>());
            cut(pc, token);
            token
        }
    }

    fn strerror_r(error: c_int, buffer: Buffer, size: usize) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(error, buffer, size);
            // Known errors have texts of libc's own, and the buffer stays as it is.
            if result == buffer {
                writes_text(pc, result);
            }
            result
        }
    }

    fn __xpg_strerror_r(error: c_int, buffer: Buffer, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(error, buffer, size);
            if size > 0 {
                writes_text(pc, buffer);
            }
            result
        }
    }

    fn ttyname_r(fd: c_int, buffer: Buffer, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(fd, buffer, size);
            if result == 0 {
                writes_text(pc, buffer);
            }
            result
        }
    }

    fn getlogin_r(buffer: Buffer, size: usize) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(buffer, size);
            if result == 0 {
                writes_text(pc, buffer);
            }
            result
        }
    }

    fn readdir(directory: *mut c_void) -> *mut dirent |pc| {
        // SAFETY: the program's own arguments; an entry knows how long it is.
        unsafe {
            let entry = real(directory);
            writes(pc, entry, entry.as_ref().map_or(0, |entry| entry.d_reclen.into()));
            entry
        }
    }

    fn readdir64(directory: *mut c_void) -> *mut dirent64 |pc| {
        // SAFETY: as above.
        unsafe {
            let entry = real(directory);
            writes(pc, entry, entry.as_ref().map_or(0, |entry| entry.d_reclen.into()));
            entry
        }
    }

    fn getenv(name: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, name);
            environment(pc, reads);
            real(name)
        }
    }

    fn secure_getenv(name: Text) -> Buffer |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, name);
            environment(pc, reads);
            real(name)
        }
    }

    fn setenv(name: Text, value: Text, replace: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, name);
            reads_text(pc, value);
            // A variable that is there and is not to be replaced is only looked for.
            let changes = replace != 0 || getenv(name).is_null();
            environment(pc, if changes { writes } else { reads });
            real(name, value, replace)
        }
    }

    fn unsetenv(name: Text) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, name);
            environment(pc, writes);
            real(name)
        }
    }

    fn putenv(text: Buffer) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            environment(pc, writes);
            real(text)
        }
    }

    fn clearenv() -> c_int |pc| {
        environment(pc, writes);
        // SAFETY: takes no argument.
        unsafe { real() }
    }
}
