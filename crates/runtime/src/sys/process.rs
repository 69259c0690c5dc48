//! This process, its children and its signals.

use super::{own_call, tid};

/// Ends the process at once.
pub fn exit(status: i32) -> ! {
    loop {
        let _ = call!(SYS_exit_group, status);
    }
}

/// Waits for the end of a child, and tells its status.
pub fn wait_for_child(child: u32) -> u32 {
    let mut status = 0u32;
    while call!(SYS_wait4, child, &raw mut status, 0, 0) == Err(libc::EINTR) {}
    status
}

/// Kills a group of processes.
pub fn kill_group(leader: u32) {
    let _ = call!(SYS_kill, -i64::from(leader), libc::SIGKILL);
}

/// This process leads a group of its own, and is killed when its parent ends.
pub fn die_with_parent() {
    let _ = call!(SYS_setpgid, 0, 0);
    let _ = call!(SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL);
}

/// The process; zero if the kernel does not say.
pub fn pid() -> u32 {
    call!(SYS_getpid).unwrap_or(0) as u32
}

/// The process that made this one.
pub fn parent() -> u32 {
    call!(SYS_getppid).unwrap_or(0) as u32
}

/// Ends the process as `abort` would, calling nothing.
pub fn abort() -> ! {
    let tid = call!(SYS_gettid).unwrap_or(0);
    let _ = call!(SYS_tgkill, pid(), tid, libc::SIGABRT);
    loop {
        let _ = call!(SYS_exit_group, 134);
    }
}

/// Sends a signal to the current thread.
pub fn send_to_self(signal: i32) {
    let _ = call!(SYS_tgkill, pid(), tid(), signal);
}

/// Is there a thread of this process with that number?
pub fn is_there(tid: u32) -> bool {
    call!(SYS_tgkill, pid(), tid, 0).is_ok()
}
