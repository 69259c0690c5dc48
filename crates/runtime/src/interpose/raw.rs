//! System calls that a program makes by number, `clone` and `prctl`: those that make or end processes, name threads, or
//! give up system calls.
//!
//! A child that shares the parent's memory is a thread that libc does not know; what it does is taken for its creator's.

use crate::gate::limit::Limit;
use crate::op::in_gate::futex;
use crate::run;
use crate::run::process::{born, forking};
use crate::sink::stamp;
use crate::sys::bpf::Instruction;
use crate::sys::sandbox::{self, Set};
use crate::watch::{names, unseen};
use crate::{axes, sys, thread};
use core::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use libc::{CLONE_VM, timespec};

type Entry = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

/// What a process made by `clone` does first. The child has a copy of it.
struct Birth {
    entry: Entry,
    argument: *mut c_void,
}

unsafe extern "C-unwind" fn enter(birth: *mut c_void) -> c_int {
    born();
    // SAFETY: `clone` passes a birth that its caller's stack holds, of which this process has a copy.
    let Birth { entry, argument } = unsafe { birth.cast::<Birth>().read() };
    // SAFETY: the program asked for this call.
    unsafe { entry(argument) }
}

/// Does this system call make a process with memory of its own, in which it returns as well?
unsafe fn forks(number: c_long, first: c_ulong) -> bool {
    match number {
        libc::SYS_fork | libc::SYS_vfork => true,
        libc::SYS_clone => first & CLONE_VM as c_ulong == 0,
        // SAFETY: the kernel reads the flags there, and says so if it cannot; a null pointer is not looked at.
        libc::SYS_clone3 => first != 0 && unsafe { *(first as *const u64) } & CLONE_VM as u64 == 0,
        _ => false,
    }
}

/// A call that is of no interest. Allocators make such calls before functions of libc can be looked up.
unsafe fn plain(number: c_long, arguments: [c_ulong; 6]) -> c_long {
    // SAFETY: the program's own arguments; every thread has its `errno`.
    unsafe {
        match sys::any_call(number, arguments) {
            Ok(result) => result as c_long,
            Err(error) => {
                *libc::__errno_location() = error;
                -1
            }
        }
    }
}

/// What the controlled gate makes of a call of `futex`. None: the kernel is to do it.
unsafe fn futex_in_gate([word, operation, value, time, other]: [c_ulong; 5], pc: usize) -> Option<c_long> {
    let word = word as usize;
    let flags = operation as c_int;
    match flags & libc::FUTEX_CMD_MASK {
        command @ (libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) => {
            // SAFETY: the program passes a time, or null.
            let limit =
                unsafe { futex_limit(command, flags & libc::FUTEX_CLOCK_REALTIME != 0, time as *const timespec) };
            futex::wait(word, value as u32, limit, pc).map(finished)
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => futex::wake(word, value as u32, pc).map(c_long::from),
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            futex::disturb(word, pc);
            None
        }
        libc::FUTEX_WAKE_OP => {
            [word, other as usize].into_iter().for_each(|word| futex::disturb(word, pc));
            None
        }
        _ => None,
    }
}

/// Until when a call of `futex` waits. The plain one says for how long, the other until when.
unsafe fn futex_limit(command: c_int, real_time: bool, time: *const timespec) -> Limit {
    let clock = if real_time { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
    // SAFETY: as the caller says.
    match unsafe { time.as_ref() } {
        None => Limit::Forever,
        Some(time) if command == libc::FUTEX_WAIT => Limit::in_a_while(time),
        // SAFETY: as the caller says.
        Some(time) => unsafe { Limit::until(clock, time) },
    }
}

/// What a system call of that result returns.
fn finished(result: sys::Result<()>) -> c_long {
    let Err(error) = result else { return 0 };
    // SAFETY: every thread has its `errno`.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// A filter of system calls, as it is handed to the kernel.
#[repr(C)]
struct Filter {
    length: u16,
    instructions: *const Instruction,
}

/// What a call is about to refuse to the program's later ones.
unsafe fn refused(number: c_long, a: c_ulong, b: c_ulong, c: c_ulong) -> Set {
    const STRICT: c_ulong = libc::SECCOMP_SET_MODE_STRICT as c_ulong;
    const FILTER: c_ulong = libc::SECCOMP_SET_MODE_FILTER as c_ulong;
    let (mode, filter) = match number {
        // `prctl` counts the modes from one.
        libc::SYS_prctl if a == libc::PR_SET_SECCOMP as c_ulong => (b.wrapping_sub(1), c),
        libc::SYS_seccomp => (a, c),
        _ => return Set::default(),
    };
    match (mode, filter as *const Filter) {
        (STRICT, _) => sandbox::refused_by_strict(),
        // SAFETY: the kernel will read the filter there.
        (FILTER, filter) if !filter.is_null() => unsafe {
            let Filter { length, instructions } = filter.read();
            if instructions.is_null() {
                return Set::default();
            }
            sandbox::refused_by(core::slice::from_raw_parts(instructions, length.into()))
        },
        _ => Set::default(),
    }
}

/// Does this call take the processor's clock away? So does seccomp's strict mode.
fn takes_clock(number: c_long, a: c_ulong, b: c_ulong) -> bool {
    const STRICT: c_ulong = libc::SECCOMP_MODE_STRICT as c_ulong;
    match number {
        libc::SYS_prctl if a == libc::PR_SET_TSC as c_ulong => b == libc::PR_TSC_SIGSEGV as c_ulong,
        libc::SYS_prctl if a == libc::PR_SET_SECCOMP as c_ulong => b == STRICT,
        libc::SYS_seccomp => a == libc::SECCOMP_SET_MODE_STRICT as c_ulong,
        _ => false,
    }
}

/// Makes a call that may take the processor's clock away.
fn with_clock(takes: bool, call: impl FnOnce() -> c_long) -> c_long {
    if !takes {
        return call();
    }
    let had = stamp::has_clock();
    stamp::give_clock_up();
    let result = call();
    if result < 0 && had {
        stamp::take_clock_back();
    }
    result
}

/// Makes a call that refuses others, for which the recorder prepares.
fn give_up(set: Set, call: impl FnOnce() -> c_long) -> c_long {
    if set.is_empty() || !axes::is_on() {
        return call();
    }
    run::before_filter();
    let new = sandbox::refuse(set);
    let result = call();
    if result < 0 {
        sandbox::allow(new);
    }
    result
}

interpose! {
    fn syscall(
        number: c_long, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong, e: c_ulong, f: c_ulong,
    ) -> c_long |pc| {
        match number {
            libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => {}
            libc::SYS_seccomp | libc::SYS_prctl | libc::SYS_exit_group => {}
            libc::SYS_futex if axes::is_replaying() => {
                // SAFETY: the program's own arguments.
                return unsafe { futex_in_gate([a, b, c, d, e], pc).unwrap_or_else(|| plain(number, [a, b, c, d, e, f])) };
            }
            // SAFETY: the program's own arguments.
            _ => return unsafe {
                unseen::touch(pc);
                plain(number, [a, b, c, d, e, f])
            },
        }
        // SAFETY: as above.
        let forks = unsafe { forks(number, a) };
        if forks {
            forking(pc);
        }
        if number == libc::SYS_exit_group {
            run::finish(a as c_int, pc);
            run::last_moment();
        }
        // The child of a `vfork` would return on its parent's stack.
        let number = if number == libc::SYS_vfork { libc::SYS_fork } else { number };
        // SAFETY: as above.
        let call = || unsafe { real(number, a, b, c, d, e, f) };
        // SAFETY: as above.
        let result = with_clock(takes_clock(number, a, b), || give_up(unsafe { refused(number, a, b, c) }, call));
        if forks && result == 0 {
            born();
        }
        result
    }

    fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int {
        // SAFETY: the program's own arguments; those that it did not pass are not looked at.
        unsafe {
            if option == libc::PR_SET_NAME {
                names::name_thread(thread::current_id(), a as *const c_char);
            }
            let refused = refused(libc::SYS_prctl, option as c_ulong, a, b);
            let takes = takes_clock(libc::SYS_prctl, option as c_ulong, a);
            with_clock(takes, || give_up(refused, || real(option, a, b, c, d).into())) as c_int
        }
    }

    fn clone(
        entry: Entry, stack: *mut c_void, flags: c_int, argument: *mut c_void,
        parent: *mut c_void, storage: *mut c_void, child: *mut c_void,
    ) -> c_int |pc| {
        if flags & CLONE_VM != 0 {
            // SAFETY: the program's own arguments.
            return unsafe { real(entry, stack, flags, argument, parent, storage, child) };
        }
        forking(pc);
        let mut birth = Birth { entry, argument };
        // SAFETY: the program's own arguments; the child's copy of this stack holds the birth.
        unsafe { real(enter, stack, flags, (&raw mut birth).cast(), parent, storage, child) }
    }
}
