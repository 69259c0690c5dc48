//! System calls in an execution that is not forked.
//!
//! A filter lets through those that neither leave traces nor write to memory; all others come to [`on_call`]. What leaves
//! traces (files, sockets, mappings) is done, but the process ends with the execution, and later ones are forked. What
//! depends on the thread that calls (signals, sleeping in the kernel, new threads) cannot be done by a coroutine: the
//! execution is done again, forked.

use super::area::{Area, PAGE, Reason, area, shared};
use super::pages::{save, touch, unprotect};
use super::switch::{call, call_site};
use super::threads;
use crate::thread::signals::sigaction;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use libc::{sigaction as Action, siginfo_t, sock_filter, sock_fprog, ucontext_t};

/// Bytes of `struct seccomp_data` before these.
const NUMBER: u32 = 0;
const PLACE: u32 = 8;
const ARGUMENTS: u32 = 16;
const ALLOW: u32 = 0x7fff_0000;
const TRAP: u32 = 0x0003_0000;

const fn load(at: u32) -> sock_filter {
    sock_filter { code: 0x20, jt: 0, jf: 0, k: at }
}

const fn answer(what: u32) -> sock_filter {
    sock_filter { code: 0x06, jt: 0, jf: 0, k: what }
}

/// Goes on at the next instruction if the value is this, else so many further.
const fn unless_equal(value: u32, skip: u8) -> sock_filter {
    sock_filter { code: 0x15, jt: 0, jf: skip, k: value }
}

const fn unless_greater(value: u32, skip: u8) -> sock_filter {
    sock_filter { code: 0x25, jt: 0, jf: skip, k: value }
}

const fn and(value: u32) -> sock_filter {
    sock_filter { code: 0x54, jt: 0, jf: 0, k: value }
}

/// The filter; see the module.
fn filter(place: usize) -> [sock_filter; 27] {
    let number = |number: i64, skip| unless_equal(number as u32, skip);
    [
        load(PLACE),
        unless_equal(place as u32, 3),
        load(PLACE + 4),
        unless_equal((place >> 32) as u32, 1),
        answer(ALLOW),
        load(NUMBER),
        number(libc::SYS_rt_sigreturn, 1),
        answer(ALLOW),
        number(libc::SYS_sched_yield, 1),
        answer(ALLOW),
        number(libc::SYS_getpid, 1),
        answer(ALLOW),
        // Standard output and error are thrown away.
        number(libc::SYS_write, 4),
        load(ARGUMENTS),
        unless_greater(2, 1),
        answer(TRAP),
        answer(ALLOW),
        number(libc::SYS_tgkill, 3),
        load(ARGUMENTS + 16),
        unless_equal(libc::SIGABRT as u32, 6),
        answer(ALLOW),
        number(libc::SYS_futex, 4),
        load(ARGUMENTS + 8),
        and(libc::FUTEX_CMD_MASK as u32),
        unless_equal(libc::FUTEX_WAKE as u32, 1),
        answer(ALLOW),
        answer(TRAP),
    ]
}

/// From now on system calls of this thread are seen.
pub fn watch() -> bool {
    let mut filter = filter(call_site());
    let program = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: a filter of this length; the handlers are ours.
    unsafe {
        catch(libc::SIGSYS, on_call as *const () as usize);
        catch(libc::SIGSEGV, on_write as *const () as usize);
        call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as u64, 1, 0, 0, 0, 0]) == 0
            && call(libc::SYS_prctl, [libc::PR_SET_SECCOMP as u64, 2, &raw const program as u64, 0, 0, 0]) == 0
    }
}

unsafe fn catch(signal: c_int, handler: usize) {
    // SAFETY: as the caller says; zero bytes are an action that blocks nothing.
    unsafe {
        let mut action: Action = core::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        sigaction(signal, &action, core::ptr::null_mut());
    }
}

/// A page is written for the first time, or the program goes wrong.
unsafe extern "C" fn on_write(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    const ACCESS: c_int = 2;
    let area = area();
    // SAFETY: the kernel passes the information.
    let (code, page) = unsafe { ((*info).si_code, (*info).si_addr() as usize & !(PAGE - 1)) };
    if code == ACCESS && !area.is_last.get() {
        if save(area, page) {
            return;
        }
        if area.pages.get() == super::area::MOST_PAGES {
            unsuited(Reason::Memory as u32);
        }
    }
    // It comes again, and ends the process.
    let default = [0u64; 4];
    // SAFETY: the kernel's form of the default action.
    unsafe { call(libc::SYS_rt_sigaction, [signal as u64, default.as_ptr() as u64, 0, 8, 0, 0]) };
}

unsafe extern "C" fn on_call(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the context.
    let registers = unsafe { &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs };
    let register = |number: c_int| registers[number as usize] as u64;
    let names = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9];
    let result = perform(register(libc::REG_RAX) as i64, names.map(register));
    registers[libc::REG_RAX as usize] = result;
}

/// What is done with a call.
enum Kind {
    /// It is made: it leaves no traces.
    Plain,
    /// The same; it writes so many bytes where that argument points.
    Writes(usize, usize),
    /// It is made, and the process ends with the execution.
    Traces,
    /// A coroutine cannot make it.
    Unsuited,
}

fn perform(number: i64, arguments: [u64; 6]) -> i64 {
    let area = area();
    match number {
        libc::SYS_exit_group => super::finish(arguments[0] as i32),
        libc::SYS_gettid => return threads::tid().into(),
        libc::SYS_brk => return move_heap(area, arguments),
        _ => {}
    }
    match kind(number, &arguments) {
        Kind::Plain => {}
        Kind::Writes(argument, size) => touch(arguments[argument] as usize, size),
        Kind::Traces => leave_traces(area, number),
        Kind::Unsuited => unsuited(number as u32 + 1),
    }
    // SAFETY: the program's own call.
    unsafe { call(number, arguments) }
}

fn kind(number: i64, arguments: &[u64; 6]) -> Kind {
    match number {
        libc::SYS_getppid | libc::SYS_getuid | libc::SYS_geteuid | libc::SYS_getgid | libc::SYS_getegid => Kind::Plain,
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep | libc::SYS_faccessat | libc::SYS_access => Kind::Plain,
        libc::SYS_fstat | libc::SYS_stat | libc::SYS_lstat => Kind::Writes(1, 144),
        libc::SYS_newfstatat => Kind::Writes(2, 144),
        libc::SYS_ioctl if arguments[1] == libc::TCGETS => Kind::Writes(2, 64),
        libc::SYS_clock_gettime | libc::SYS_clock_getres => Kind::Writes(1, 16),
        libc::SYS_gettimeofday => Kind::Writes(0, 16),
        libc::SYS_getrusage => Kind::Writes(1, 144),
        libc::SYS_uname => Kind::Writes(0, 390),
        libc::SYS_sysinfo => Kind::Writes(0, 112),
        libc::SYS_getrandom => Kind::Writes(0, arguments[1] as usize),
        libc::SYS_sched_getaffinity => Kind::Writes(2, arguments[1] as usize),
        libc::SYS_rt_sigprocmask if only_asks(arguments) => Kind::Writes(2, 8),
        libc::SYS_rt_sigprocmask if allows_abort(arguments) => Kind::Plain,
        libc::SYS_rt_sigprocmask | libc::SYS_rt_sigaction | libc::SYS_sigaltstack | libc::SYS_futex => Kind::Unsuited,
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork | libc::SYS_exit => Kind::Unsuited,
        libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill | libc::SYS_rt_tgsigqueueinfo => Kind::Unsuited,
        libc::SYS_alarm | libc::SYS_setitimer | libc::SYS_timer_create | libc::SYS_pause => Kind::Unsuited,
        libc::SYS_rt_sigtimedwait | libc::SYS_rt_sigsuspend | libc::SYS_prctl | libc::SYS_arch_prctl => Kind::Unsuited,
        libc::SYS_sched_setaffinity | libc::SYS_set_robust_list | libc::SYS_rseq => Kind::Unsuited,
        _ => Kind::Traces,
    }
}

/// Does `rt_sigprocmask` only say which signals are blocked?
const fn only_asks(arguments: &[u64; 6]) -> bool {
    arguments[1] == 0
}

/// Is this how `abort` begins? The process ends with it.
fn allows_abort(arguments: &[u64; 6]) -> bool {
    const ABORT: u64 = 1 << (libc::SIGABRT - 1);
    let [how, set, old, ..] = *arguments;
    // SAFETY: the program's own set of signals.
    how == libc::SIG_UNBLOCK as u64 && old == 0 && unsafe { (set as *const u64).read_unaligned() } == ABORT
}

/// The heap may grow: it is made smaller again after the execution.
fn move_heap(area: &Area, arguments: [u64; 6]) -> i64 {
    let end = arguments[0] as usize;
    if end != 0 && end < area.heap_end.get() {
        leave_traces(area, libc::SYS_brk);
    }
    area.heap_moved.set(true);
    // SAFETY: the program's own call.
    unsafe { call(libc::SYS_brk, arguments) }
}

/// The execution leaves traces: the process ends with it. If it gives up, that is no reason to fork those that follow.
fn leave_traces(area: &Area, number: i64) {
    if !area.is_last.replace(true) {
        unprotect(area);
        if !super::has_given_up() {
            shared().last.store(number as u32 + 1, Ordering::Relaxed);
        }
    }
}

/// Executions of this program cannot be done by coroutines.
pub fn unsuited(reason: u32) -> ! {
    shared().unsuited.store(reason, Ordering::Relaxed);
    leave(0)
}

/// Ends the process.
pub fn leave(status: i32) -> ! {
    loop {
        // SAFETY: nothing comes after it.
        unsafe { call(libc::SYS_exit_group, [status as u64, 0, 0, 0, 0, 0]) };
    }
}
