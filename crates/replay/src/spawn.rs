//! How processes are started.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::Signal;

/// Starts a command that is killed when the calling thread ends, as a debugger's child is when the debugger is killed.
///
/// # Errors
/// If the command cannot be run.
#[allow(unsafe_code)]
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let tool = rustix::process::getpid();
    // SAFETY: between fork and exec the closure makes two system calls and touches no memory of others.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // The tool may have died before that.
            if rustix::process::getppid() == Some(tool) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
        });
    }
    command.spawn()
}
