//! Order through names of files: who finds that a file or directory is there, or is gone, comes after whoever made or removed
//! it. Programs use that as a lock (`mkdir` and `rmdir`, a file that only one can create) and to say that something is
//! ready (`rename`).
//!
//! Names are distinguished by their last part, so that it does not matter from which directory they are given.

use crate::axes;
use crate::interpose::fd::channel::{self, Channel};
use crate::op::access::fills;
use crate::op::text::reads_text;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use libc::stat;

/// The name that a path ends with.
unsafe fn named(path: *const c_char) -> Option<Channel> {
    if path.is_null() || !axes::is_live() {
        return None;
    }
    // SAFETY: the program passes a string.
    Some(Channel::name(split(unsafe { CStr::from_ptr(path) }.to_bytes()).1))
}

/// The name of the directory that the path leads into. Who looks through that finds what is made there.
unsafe fn directory(path: *const c_char) -> Option<Channel> {
    if path.is_null() || !axes::is_live() {
        return None;
    }
    // SAFETY: the program passes a string.
    let (before, _) = split(unsafe { CStr::from_ptr(path) }.to_bytes());
    Some(Channel::name(if before.is_empty() { b"." } else { split(before).1 }))
}

/// The last part of a path, and what is before it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let start = path[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    (&path[..start], &path[start..end])
}

/// A name is about to be made or removed.
pub unsafe fn changing(path: *const c_char, pc: usize) {
    // SAFETY: the caller passes a path of the program's.
    unsafe {
        reads_text(pc, path);
        if let Some(name) = named(path) {
            name.release(pc);
            channel::changing(pc);
        }
        if let Some(directory) = directory(path) {
            directory.release(pc);
        }
    }
}

/// The program has learned whether there is something of that name.
pub unsafe fn seen(path: *const c_char, pc: usize) {
    // SAFETY: the caller passes a path of the program's.
    if let Some(name) = unsafe { named(path) } {
        name.acquire(pc);
    }
}

/// The program has learned how long a file is, and when it was changed: it comes after whoever has written it.
fn sized(stat: &stat, pc: usize) {
    if axes::is_live() && stat.st_mode & libc::S_IFMT == libc::S_IFREG {
        Channel::data(stat.st_ino).acquire(pc);
    }
}

/// Functions that change what names there are: paths in brackets.
macro_rules! changes {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) [$($path:ident),*];)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> c_int |pc| {
                // SAFETY: the program's own arguments.
                unsafe {
                    $(changing($path, pc);)*
                    let result = real($($arg),*);
                    $(seen($path, pc);)*
                    result
                }
            }
        )*}
    };
}

type Path = *const c_char;

changes! {
    fn unlink(path: Path) [path];
    fn unlinkat(at: c_int, path: Path, flags: c_int) [path];
    fn remove(path: Path) [path];
    fn rmdir(path: Path) [path];
    fn mkdir(path: Path, mode: c_uint) [path];
    fn mkdirat(at: c_int, path: Path, mode: c_uint) [path];
    fn mkfifo(path: Path, mode: c_uint) [path];
    fn rename(old: Path, new: Path) [old, new];
    fn renameat(old_at: c_int, old: Path, new_at: c_int, new: Path) [old, new];
    fn renameat2(old_at: c_int, old: Path, new_at: c_int, new: Path, flags: c_uint) [old, new];
    fn link(old: Path, new: Path) [new];
    fn linkat(old_at: c_int, old: Path, new_at: c_int, new: Path, flags: c_int) [new];
    fn symlink(old: Path, new: Path) [new];
    fn symlinkat(old: Path, new_at: c_int, new: Path) [new];
}

/// Functions that only look.
macro_rules! looks {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $result:ty [$path:ident $(, fills $filled:ident)?];)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> $result |pc| {
                // SAFETY: the program's own arguments.
                unsafe {
                    reads_text(pc, $path);
                    let result = real($($arg),*);
                    seen($path, pc);
                    $(if result == 0 {
                        fills(pc, $filled);
                        sized(&*$filled, pc);
                    })?
                    result
                }
            }
        )*}
    };
}

looks! {
    fn stat(path: Path, stat: *mut stat) -> c_int [path, fills stat];
    fn stat64(path: Path, stat: *mut stat) -> c_int [path, fills stat];
    fn lstat(path: Path, stat: *mut stat) -> c_int [path, fills stat];
    fn lstat64(path: Path, stat: *mut stat) -> c_int [path, fills stat];
    fn fstatat(at: c_int, path: Path, stat: *mut stat, flags: c_int) -> c_int [path, fills stat];
    fn fstatat64(at: c_int, path: Path, stat: *mut stat, flags: c_int) -> c_int [path, fills stat];
    fn access(path: Path, mode: c_int) -> c_int [path];
    fn faccessat(at: c_int, path: Path, mode: c_int, flags: c_int) -> c_int [path];
    fn opendir(path: Path) -> *mut c_void [path];
    fn scandir(path: Path, list: *mut c_void, filter: *mut c_void, order: *mut c_void) -> c_int [path];
}

interpose! {
    fn fstat(fd: c_int, stat: *mut stat) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { looked(real(fd, stat), stat, pc) }
    }

    fn fstat64(fd: c_int, stat: *mut stat) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { looked(real(fd, stat), stat, pc) }
    }
}

/// The result of a look at an open file.
unsafe fn looked(result: c_int, stat: *mut stat, pc: usize) -> c_int {
    if result == 0 {
        fills(pc, stat);
        // SAFETY: the call has filled it in.
        sized(unsafe { &*stat }, pc);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn paths_have_a_last_part() {
        let cases: [(&str, &str, &str); 5] =
            [("a", "", "a"), ("a/b", "a/", "b"), ("/tmp/x//", "/tmp/", "x"), ("/", "", ""), ("./a", "./", "a")];
        for (path, before, last) in cases {
            assert_eq!(split(path.as_bytes()), (before.as_bytes(), last.as_bytes()), "{path}");
        }
    }
}
