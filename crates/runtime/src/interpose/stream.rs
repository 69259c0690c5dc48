//! The locks of stdio streams, taken by hand.

use crate::gate::limit::Limit;
use crate::run::sync;
use core::ffi::c_int;
use foretrace_event::wire::{LockArg, Op};
use foretrace_event::{LockClass, Patience};
use libc::FILE;

const STREAM: LockArg = LockArg::blocking(LockClass::Stream);

interpose! {
    fn flockfile(stream: *mut FILE) |pc| {
        crate::interpose::arrive(Op::Lock, Op::FailedLock, stream as usize, STREAM.encode(), Limit::Forever, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(stream) };
        sync(Op::Lock, stream as usize, STREAM.encode(), pc);
    }

    fn ftrylockfile(stream: *mut FILE) -> c_int |pc| {
        let arg = LockArg { patience: Patience::Try, ..STREAM }.encode();
        let arrival = crate::interpose::arrive(Op::Lock, Op::FailedLock, stream as usize, arg, Limit::Now, pc);
        // SAFETY: the program's own arguments.
        let result = crate::interpose::insist(arrival, |result| result != 0, || unsafe { real(stream) });
        let op = if result == 0 { Op::Lock } else { Op::FailedLock };
        sync(op, stream as usize, arg, pc);
        result
    }

    fn funlockfile(stream: *mut FILE) |pc| {
        sync(Op::Unlock, stream as usize, STREAM.encode(), pc);
        // SAFETY: the program's own arguments.
        unsafe { real(stream) };
    }
}
