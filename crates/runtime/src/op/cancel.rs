//! Cancelled threads under the controlled gate. Where a thread waits for others, it ends instead if it has been cancelled; the
//! search decides when that comes about.
//!
//! Only waits are decided here. The kernel decides nothing, because a parked thread would be ended without having the turn: the
//! gate keeps the cancellation, and libc is told of it when the thread goes on.

use crate::gate::controlled::{self, Granted, Request};
use crate::thread::Thread;
use core::ffi::c_int;
use foretrace_event::visible::OpKind;

real_function!(fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int);
real_function!(fn pthread_testcancel());

const ENABLE: c_int = 0;
const DISABLE: c_int = 1;

/// May the current thread be cancelled?
fn is_enabled() -> bool {
    let (mut state, mut ours) = (ENABLE, 0);
    // SAFETY: both are locals; the second call undoes the first.
    unsafe {
        pthread_setcancelstate(DISABLE, &mut state);
        pthread_setcancelstate(state, &mut ours);
    }
    state == ENABLE
}

/// Asks for an operation that waits. If the thread has been cancelled, it ends here.
pub fn ask(player: &'static Thread, request: Request) -> Granted {
    let granted = try_ask(player, request);
    if granted.operation.kind != OpKind::Cancelled {
        return granted;
    }
    player.set_waiting(None);
    end(player);
    // It does not end twice, in what it does at its end.
    controlled::ask_for(player, request)
}

/// The same, but says that the thread is to end.
pub fn try_ask(player: &'static Thread, request: Request) -> Granted {
    controlled::ask_for(player, Request { cancellable: is_enabled(), ..request })
}

/// The current thread ends, unless it is about to end anyway.
pub fn end(player: &'static Thread) {
    controlled::notice(player);
    // SAFETY: it takes nothing. What it leaves by unwinding has nothing to drop.
    unsafe { pthread_testcancel() };
}
