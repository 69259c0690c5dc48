//! Sockets: how connections come about. Data goes through them in `io` and `vector`.

use crate::axes;
use crate::interpose::fd::channel::{self, Channel, acquire, release};
use crate::interpose::fd::io::received;
use crate::op::access::{counts, fills, writes};
use crate::op::in_gate;
use core::ffi::{c_int, c_void};
use core::slice::from_raw_parts;
use libc::{sockaddr, socklen_t};

/// The bytes of an address.
unsafe fn bytes<'a>(address: *const sockaddr, length: socklen_t) -> &'a [u8] {
    if address.is_null() {
        return &[];
    }
    // SAFETY: the program passes an address of that length.
    unsafe { from_raw_parts(address.cast(), length as usize) }
}

/// A call has written an address.
unsafe fn filled(pc: usize, address: *const sockaddr, length: *const socklen_t) {
    if counts(pc) && !address.is_null() && !length.is_null() {
        // SAFETY: the call has filled in the length.
        writes(pc, address, unsafe { *length } as usize);
        fills(pc, length);
    }
}

/// A connection has been accepted: after it was asked for.
unsafe fn accepted(fd: c_int, new: c_int, address: *const sockaddr, length: *const socklen_t, pc: usize) -> c_int {
    if new >= 0 && axes::is_on() {
        if let Ok((here, length)) = crate::sys::socket_address(new, crate::sys::End::Here)
            && let Some(listener) = Channel::listener(&here[..length])
        {
            listener.acquire(pc);
        }
        acquire(fd, pc);
        channel::set(new, Channel::connection(new));
        // SAFETY: as the caller says.
        unsafe { filled(pc, address, length) };
    }
    new
}

interpose! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
        // SAFETY: the program's own arguments.
        let fd = unsafe { real(domain, kind, protocol) };
        if fd >= 0 {
            let datagrams = kind & 0xf == libc::SOCK_DGRAM && domain != libc::AF_NETLINK;
            channel::set(fd, datagrams.then(Channel::datagrams));
        }
        fd
    }

    fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let to = bytes(address, length);
            let stream = axes::is_on() && channel::of(fd) != Some(Channel::datagrams());
            in_gate::before_output(fd, pc);
            if stream && let Some(listener) = Channel::listener(to) {
                listener.release(pc);
            }
            let result = real(fd, address, length);
            if stream && (result == 0 || *libc::__errno_location() == libc::EINPROGRESS) {
                channel::set(fd, Channel::connection_to(fd, to));
            }
            result
        }
    }

    fn accept(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int |pc| {
        in_gate::await_input(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { accepted(fd, real(fd, address, length), address, length, pc) }
    }

    fn accept4(fd: c_int, address: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int |pc| {
        in_gate::await_input(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { accepted(fd, real(fd, address, length, flags), address, length, pc) }
    }

    fn shutdown(fd: c_int, how: c_int) -> c_int |pc| {
        release(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd, how) }
    }

    fn recvfrom(
        fd: c_int, buffer: *mut c_void, size: usize, flags: c_int, address: *mut sockaddr, length: *mut socklen_t,
    ) -> isize |pc| {
        in_gate::await_input(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe {
            let count = received(fd, buffer, real(fd, buffer, size, flags, address, length), pc);
            if count >= 0 {
                filled(pc, address, length);
            }
            count
        }
    }

    fn getsockname(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(fd, address, length);
            if result == 0 {
                filled(pc, address, length);
            }
            result
        }
    }

    fn getpeername(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(fd, address, length);
            if result == 0 {
                filled(pc, address, length);
            }
            result
        }
    }

    fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, length: *mut socklen_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(fd, level, name, value, length);
            if result == 0 {
                filled(pc, value.cast(), length);
            }
            result
        }
    }
}
