//! Streams: the buffers that are read and written through them, and order through what they stand for.
//!
//! *What it misses*: races on a stream between functions that do not lock it and those that do; order through single
//! characters (`getc`, `putc`), whose calls are too many to look at, and the arguments of formats.

mod print;
mod scan;

use crate::axes;
use crate::interpose::fd::channel;
use crate::interpose::fd::dup::closing;
use crate::interpose::fd::path::{changing, seen};
use crate::op::access::{fills, reads, writes};
use crate::op::in_gate;
use crate::op::text::{reads_text, writes_text};
use core::ffi::{c_char, c_int, c_void};
use libc::FILE;

real_function!(fn fileno(stream: *mut FILE) -> c_int);

/// Something is about to be written to a stream.
pub unsafe fn releases(stream: *mut FILE, pc: usize) {
    if axes::is_live() && !stream.is_null() {
        // SAFETY: the program passes a stream.
        let fd = unsafe { fileno(stream) };
        in_gate::note_output(fd);
        channel::release(fd, pc);
    }
}

/// Something has been read from a stream.
pub unsafe fn acquires(stream: *mut FILE, pc: usize) {
    if axes::is_live() {
        // SAFETY: the program passes a stream.
        channel::acquire(unsafe { fileno(stream) }, pc);
    }
}

/// Does the function of this name leave it to its caller to lock the stream?
const fn is_unlocked(name: &str) -> bool {
    let (name, mut at) = (name.as_bytes(), 0);
    while at + 2 < name.len() {
        if name[at] == b'_' && name[at + 1] == b'u' && name[at + 2] == b'n' {
            return true;
        }
        at += 1;
    }
    false
}

/// A function that does not lock the stream changes it. Those that lock it do not count: their lock is invisible.
fn changes_stream(stream: *mut FILE, pc: usize) {
    writes(pc, stream.cast::<u8>(), 1);
}

/// The stream's file is about to be closed.
unsafe fn closes(stream: *mut FILE, pc: usize) {
    if axes::is_on() && !stream.is_null() {
        // SAFETY: the program passes a stream.
        let fd = unsafe { fileno(stream) };
        if fd >= 0 {
            closing(fd, pc);
        }
    }
}

/// Opens a stream of a file by its name.
unsafe fn open_stream(
    path: *const c_char,
    mode: *const c_char,
    pc: usize,
    real: impl FnOnce(*const c_char, *const c_char) -> *mut FILE,
) -> *mut FILE {
    // SAFETY: the program passes strings.
    unsafe {
        reads_text(pc, mode);
        match *mode as u8 {
            b'w' | b'a' => changing(path, pc),
            _ => reads_text(pc, path),
        }
        let stream = real(path, mode);
        seen(path, pc);
        stream
    }
}

/// Functions that read into a buffer of elements.
macro_rules! readers {
    ($(fn $name:ident($($room:ident: usize,)? ..);)*) => {
        interpose! {$(
            fn $name(
                buffer: *mut c_void, $($room: usize,)? size: usize, count: usize, stream: *mut FILE,
            ) -> usize |pc| {
                if const { is_unlocked(stringify!($name)) } {
                    changes_stream(stream, pc);
                }
                // SAFETY: the program's own arguments.
                unsafe {
                    let got = real(buffer, $($room,)? size, count, stream);
                    acquires(stream, pc);
                    writes(pc, buffer, size.saturating_mul(got));
                    got
                }
            }
        )*}
    };
}

readers! {
    fn fread(..);
    fn fread_unlocked(..);
    fn __fread_chk(room: usize, ..);
    fn __fread_unlocked_chk(room: usize, ..);
}

/// Functions that read a line into a buffer.
macro_rules! line_readers {
    ($(fn $name:ident($($room:ident: usize)?);)*) => {
        interpose! {$(
            fn $name(buffer: *mut c_char, $($room: usize,)? size: c_int, stream: *mut FILE) -> *mut c_char |pc| {
                if const { is_unlocked(stringify!($name)) } {
                    changes_stream(stream, pc);
                }
                // SAFETY: the program's own arguments.
                unsafe {
                    let line = real(buffer, $($room,)? size, stream);
                    acquires(stream, pc);
                    writes_text(pc, line);
                    line
                }
            }
        )*}
    };
}

line_readers! {
    fn fgets();
    fn fgets_unlocked();
    fn __fgets_chk(room: usize);
    fn __fgets_unlocked_chk(room: usize);
}

/// A line of any length has been read.
unsafe fn got_line(line: *mut *mut c_char, size: *mut usize, count: isize, stream: *mut FILE, pc: usize) -> isize {
    if count >= 0 {
        // SAFETY: the call has filled in the line.
        unsafe {
            acquires(stream, pc);
            fills(pc, line);
            fills(pc, size);
            writes(pc, *line, count as usize + 1);
        }
    }
    count
}

interpose! {
    fn getline(line: *mut *mut c_char, size: *mut usize, stream: *mut FILE) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe { got_line(line, size, real(line, size, stream), stream, pc) }
    }

    fn getdelim(line: *mut *mut c_char, size: *mut usize, end: c_int, stream: *mut FILE) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe { got_line(line, size, real(line, size, end, stream), stream, pc) }
    }

    fn __getdelim(line: *mut *mut c_char, size: *mut usize, end: c_int, stream: *mut FILE) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe { got_line(line, size, real(line, size, end, stream), stream, pc) }
    }

    fn fwrite(buffer: *const c_void, size: usize, count: usize, stream: *mut FILE) -> usize |pc| {
        reads(pc, buffer, size.saturating_mul(count));
        // SAFETY: the program's own arguments.
        unsafe {
            releases(stream, pc);
            real(buffer, size, count, stream)
        }
    }

    fn fwrite_unlocked(buffer: *const c_void, size: usize, count: usize, stream: *mut FILE) -> usize |pc| {
        changes_stream(stream, pc);
        reads(pc, buffer, size.saturating_mul(count));
        // SAFETY: the program's own arguments.
        unsafe {
            releases(stream, pc);
            real(buffer, size, count, stream)
        }
    }

    fn fputs(text: *const c_char, stream: *mut FILE) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            releases(stream, pc);
            real(text, stream)
        }
    }

    fn fputs_unlocked(text: *const c_char, stream: *mut FILE) -> c_int |pc| {
        changes_stream(stream, pc);
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            releases(stream, pc);
            real(text, stream)
        }
    }

    fn puts(text: *const c_char) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, text);
            real(text)
        }
    }

    fn fflush(stream: *mut FILE) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            releases(stream, pc);
            real(stream)
        }
    }

    fn fclose(stream: *mut FILE) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            closes(stream, pc);
            real(stream)
        }
    }

    fn pclose(stream: *mut FILE) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            closes(stream, pc);
            real(stream)
        }
    }

    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, path);
            closes(stream, pc);
            real(path, mode, stream)
        }
    }

    fn freopen64(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            reads_text(pc, path);
            closes(stream, pc);
            real(path, mode, stream)
        }
    }

    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE |pc| {
        // SAFETY: the program's own arguments.
        unsafe { open_stream(path, mode, pc, |path, mode| real(path, mode)) }
    }

    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE |pc| {
        // SAFETY: the program's own arguments.
        unsafe { open_stream(path, mode, pc, |path, mode| real(path, mode)) }
    }
}
