//! Reading and writing many buffers at a time, and messages.

use crate::interpose::fd::channel::{acquire, release};
use crate::op::access::{counts, fills, reads, writes};
use core::ffi::{c_int, c_uint};
use core::slice::from_raw_parts;
use libc::{iovec, mmsghdr, msghdr, timespec};

/// The parts that the first `bytes` bytes of the buffers make up.
unsafe fn parts(buffers: *const iovec, count: usize, mut bytes: usize, mut part: impl FnMut(*const u8, usize)) {
    if buffers.is_null() || count == 0 {
        return;
    }
    // SAFETY: the program passes that many buffers.
    for buffer in unsafe { from_raw_parts(buffers, count) } {
        let taken = buffer.iov_len.min(bytes);
        part(buffer.iov_base.cast(), taken);
        bytes -= taken;
    }
}

unsafe fn takes(buffers: *const iovec, count: usize, pc: usize) {
    if counts(pc) {
        reads(pc, buffers, count * size_of::<iovec>());
        // SAFETY: as the caller says.
        unsafe { parts(buffers, count, usize::MAX, |at, bytes| reads(pc, at, bytes)) };
    }
}

unsafe fn received(fd: c_int, buffers: *const iovec, count: usize, bytes: isize, pc: usize) -> isize {
    if bytes >= 0 {
        acquire(fd, pc);
        if counts(pc) {
            reads(pc, buffers, count * size_of::<iovec>());
            // SAFETY: as the caller says.
            unsafe { parts(buffers, count, bytes as usize, |at, bytes| writes(pc, at, bytes)) };
        }
    }
    bytes
}

unsafe fn sending(fd: c_int, buffers: *const iovec, count: usize, pc: usize) {
    // SAFETY: as the caller says.
    unsafe { takes(buffers, count, pc) };
    release(fd, pc);
}

/// Functions that read into buffers.
macro_rules! readers {
    ($(fn $name:ident(fd, buffers, count $(, $more:ident: $ty:ty)*);)*) => {
        interpose! {$(
            fn $name(fd: c_int, buffers: *const iovec, count: c_int $(, $more: $ty)*) -> isize |pc| {
                // SAFETY: the program's own arguments.
                unsafe { received(fd, buffers, count.max(0) as usize, real(fd, buffers, count $(, $more)*), pc) }
            }
        )*}
    };
}

readers! {
    fn readv(fd, buffers, count);
    fn preadv(fd, buffers, count, offset: i64);
    fn preadv64(fd, buffers, count, offset: i64);
}

/// Functions that write from buffers.
macro_rules! writers {
    ($(fn $name:ident(fd, buffers, count $(, $more:ident: $ty:ty)*);)*) => {
        interpose! {$(
            fn $name(fd: c_int, buffers: *const iovec, count: c_int $(, $more: $ty)*) -> isize |pc| {
                // SAFETY: the program's own arguments.
                unsafe {
                    sending(fd, buffers, count.max(0) as usize, pc);
                    real(fd, buffers, count $(, $more)*)
                }
            }
        )*}
    };
}

writers! {
    fn writev(fd, buffers, count);
    fn pwritev(fd, buffers, count, offset: i64);
    fn pwritev64(fd, buffers, count, offset: i64);
}

/// A message is about to be sent.
unsafe fn takes_message(message: *const msghdr, pc: usize) {
    if counts(pc) && !message.is_null() {
        // SAFETY: the program passes a message.
        unsafe {
            reads_head(pc, message);
            reads(pc, (*message).msg_name, (*message).msg_namelen as usize);
            takes((*message).msg_iov, (*message).msg_iovlen, pc);
            reads(pc, (*message).msg_control, (*message).msg_controllen);
        }
    }
}

/// The head of a message is read.
fn reads_head(pc: usize, message: *const msghdr) {
    reads(pc, message, size_of::<msghdr>());
}

/// A message of this many bytes has been received.
unsafe fn filled_message(message: *const msghdr, bytes: usize, pc: usize) {
    if counts(pc) && !message.is_null() {
        fills(pc, message);
        // SAFETY: the program passes a message, and the call has filled it in.
        unsafe {
            writes(pc, (*message).msg_name, (*message).msg_namelen as usize);
            parts((*message).msg_iov, (*message).msg_iovlen, bytes, |at, bytes| writes(pc, at, bytes));
            writes(pc, (*message).msg_control, (*message).msg_controllen);
        }
    }
}

interpose! {
    fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            takes_message(message, pc);
            release(fd, pc);
            real(fd, message, flags)
        }
    }

    fn sendmmsg(fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            for index in 0..count as usize {
                takes_message(&raw const (*messages.add(index)).msg_hdr, pc);
            }
            release(fd, pc);
            real(fd, messages, count, flags)
        }
    }

    fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> isize |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let bytes = real(fd, message, flags);
            if bytes >= 0 {
                acquire(fd, pc);
                filled_message(message, bytes as usize, pc);
            }
            bytes
        }
    }

    fn recvmmsg(
        fd: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, timeout: *mut timespec,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let received = real(fd, messages, count, flags, timeout);
            if received > 0 {
                acquire(fd, pc);
            }
            for index in 0..received.max(0) as usize {
                let message = messages.add(index);
                filled_message(&raw const (*message).msg_hdr, (*message).msg_len as usize, pc);
                fills(pc, &raw const (*message).msg_len);
            }
            received
        }
    }
}
