//! Reading and writing one buffer.
//!
//! What a write takes from memory, it takes before whoever reads it can answer; what a read puts there, it puts after
//! the writer's doing. So the accesses stand on the far sides of the release and the acquire.

use crate::interpose::fd::channel::{acquire, release};
use crate::op::access::{reads, writes};
use crate::op::in_gate;
use core::ffi::{c_int, c_uint, c_void};

/// Bytes have come from a descriptor: this many, or an error.
pub fn received<T>(fd: c_int, buffer: *const T, count: isize, pc: usize) -> isize {
    if count >= 0 {
        acquire(fd, pc);
        writes(pc, buffer, count as usize);
    }
    count
}

/// Bytes are about to go to a descriptor.
pub fn sending<T>(fd: c_int, buffer: *const T, size: usize, pc: usize) {
    reads(pc, buffer, size);
    in_gate::before_output(fd, pc);
    release(fd, pc);
}

/// Functions that read into a buffer.
macro_rules! readers {
    ($(fn $name:ident(fd, buffer, size $(, $more:ident: $ty:ty)*);)*) => {
        interpose! {$(
            fn $name(fd: c_int, buffer: *mut c_void, size: usize $(, $more: $ty)*) -> isize |pc| {
                in_gate::await_input(fd, pc);
                // SAFETY: the program's own arguments.
                received(fd, buffer, unsafe { real(fd, buffer, size $(, $more)*) }, pc)
            }
        )*}
    };
}

readers! {
    fn read(fd, buffer, size);
    fn __read_chk(fd, buffer, size, room: usize);
    fn pread(fd, buffer, size, offset: i64);
    fn pread64(fd, buffer, size, offset: i64);
    fn __pread_chk(fd, buffer, size, offset: i64, room: usize);
    fn __pread64_chk(fd, buffer, size, offset: i64, room: usize);
    fn recv(fd, buffer, size, flags: c_int);
    fn __recv_chk(fd, buffer, size, room: usize, flags: c_int);
    fn getdents64(fd, buffer, size);
}

/// Functions that write from a buffer.
macro_rules! writers {
    ($(fn $name:ident(fd, buffer, size $(, $more:ident: $ty:ty)*);)*) => {
        interpose! {$(
            fn $name(fd: c_int, buffer: *const c_void, size: usize $(, $more: $ty)*) -> isize |pc| {
                sending(fd, buffer, size, pc);
                // SAFETY: the program's own arguments.
                unsafe { real(fd, buffer, size $(, $more)*) }
            }
        )*}
    };
}

writers! {
    fn write(fd, buffer, size);
    fn pwrite(fd, buffer, size, offset: i64);
    fn pwrite64(fd, buffer, size, offset: i64);
    fn send(fd, buffer, size, flags: c_int);
    fn sendto(fd, buffer, size, flags: c_int, to: *const libc::sockaddr, length: libc::socklen_t);
}

/// Bytes have gone from one descriptor to another.
fn moved(from: c_int, count: isize, pc: usize) -> isize {
    if count >= 0 {
        acquire(from, pc);
    }
    count
}

interpose! {
    fn eventfd_read(fd: c_int, value: *mut u64) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = unsafe { real(fd, value) };
        if result == 0 {
            acquire(fd, pc);
            writes(pc, value, size_of::<u64>());
        }
        result
    }

    fn eventfd_write(fd: c_int, value: u64) -> c_int |pc| {
        release(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd, value) }
    }

    fn sendfile(to: c_int, from: c_int, offset: *mut i64, size: usize) -> isize |pc| {
        release(to, pc);
        // SAFETY: the program's own arguments.
        moved(from, unsafe { real(to, from, offset, size) }, pc)
    }

    fn sendfile64(to: c_int, from: c_int, offset: *mut i64, size: usize) -> isize |pc| {
        release(to, pc);
        // SAFETY: the program's own arguments.
        moved(from, unsafe { real(to, from, offset, size) }, pc)
    }

    fn splice(
        from: c_int, from_offset: *mut i64, to: c_int, to_offset: *mut i64, size: usize, flags: c_uint,
    ) -> isize |pc| {
        release(to, pc);
        // SAFETY: the program's own arguments.
        moved(from, unsafe { real(from, from_offset, to, to_offset, size, flags) }, pc)
    }

    fn tee(from: c_int, to: c_int, size: usize, flags: c_uint) -> isize |pc| {
        release(to, pc);
        // SAFETY: the program's own arguments.
        moved(from, unsafe { real(from, to, size, flags) }, pc)
    }
}
