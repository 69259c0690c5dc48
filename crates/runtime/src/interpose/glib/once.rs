//! `g_once`, and initialisation between `g_once_init_enter` and `g_once_init_leave`. Code that finds the work done loads a
//! word and calls nobody, so that word's store is noted, too.

use crate::gate::limit::Limit;
use crate::interpose::arrive;
use crate::interpose::glib::{Boolean, Pointer};
use crate::op::atomic::{note_load, stored_by};
use crate::run::sync;
use foretrace_event::wire::Op;

type Routine = unsafe extern "C-unwind" fn(Pointer) -> Pointer;

/// GLib's record of work that is done once. The layout is part of its interface.
#[repr(C)]
struct Once {
    status: u32,
    value: Pointer,
}

const READY: u32 = 2;

/// A call under way, in the frame of the function that makes it.
struct Call {
    once: *mut Once,
    function: Routine,
    argument: Pointer,
    pc: usize,
    ran: bool,
}

unsafe extern "C-unwind" fn run(call: Pointer) -> Pointer {
    // SAFETY: the calling frame's, and nobody else's while the function runs.
    let call = unsafe { &mut *call.cast::<Call>() };
    call.ran = true;
    let at = call.once as usize;
    sync(Op::OnceRun, at, 0, call.pc);
    // SAFETY: the program asked for this call.
    let value = unsafe { (call.function)(call.argument) };
    sync(Op::OnceDone, at, 0, call.pc);
    // SAFETY: GLib writes the same two words when this returns. Until then it is this thread that may write them.
    unsafe {
        (&raw mut (*call.once).value).write_volatile(value);
        let status = &raw mut (*call.once).status;
        stored_by(status, READY, call.pc, || core::sync::atomic::AtomicU32::from_ptr(status).store(READY, RELEASE));
    }
    value
}

const RELEASE: core::sync::atomic::Ordering = core::sync::atomic::Ordering::Release;

interpose! {
    fn g_once_impl(once: Pointer, function: Routine, argument: Pointer) -> Pointer |pc| {
        arrive(Op::OncePass, Op::OncePass, once as usize, 0, Limit::Forever, pc);
        let mut call = Call { once: once.cast(), function, argument, pc, ran: false };
        // SAFETY: the program's own arguments; the call outlives the function.
        let value = unsafe { real(once, run, (&raw mut call).cast()) };
        if !call.ran {
            sync(Op::OncePass, once as usize, 0, pc);
            // SAFETY: as above.
            unsafe { note_load(&raw mut (*once.cast::<Once>()).status, pc) };
        }
        value
    }
}

macro_rules! initialisation {
    ($($enter:ident $leave:ident;)*) => {
        interpose! {$(
            fn $enter(at: Pointer) -> Boolean |pc| {
                arrive(Op::OncePass, Op::OncePass, at as usize, 0, Limit::Forever, pc);
                // SAFETY: the program's own arguments.
                let mine = unsafe { real(at) };
                sync(if mine == 0 { Op::OncePass } else { Op::OnceRun }, at as usize, 0, pc);
                if mine == 0 {
                    // SAFETY: as above.
                    unsafe { note_load(at.cast::<u64>(), pc) };
                }
                mine
            }

            fn $leave(at: Pointer, value: u64) |pc| {
                sync(Op::OnceDone, at as usize, 0, pc);
                // SAFETY: the program's own arguments.
                unsafe { stored_by(at.cast::<u64>(), value, pc, || real(at, value)) };
            }
        )*}
    };
}

initialisation! {
    g_once_init_enter g_once_init_leave;
    g_once_init_enter_pointer g_once_init_leave_pointer;
}
