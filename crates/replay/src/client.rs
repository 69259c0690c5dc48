//! The client of a server: a command that runs beside the program, from when the program waits for input until the
//! client ends.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::spawn::spawn;
use crate::standstill::waits_outside;

/// A program that never waits for input gets its client after this time.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a server goes on after its client has ended.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// A client that is to be started, runs, or has run.
#[derive(Debug)]
pub struct Client<'a> {
    command: Option<&'a str>,
    began: Instant,
    child: Option<Child>,
    ended: Option<Instant>,
}

impl<'a> Client<'a> {
    /// The client of a program that has just been started.
    pub fn new(command: Option<&'a str>) -> Self {
        Self { command, began: Instant::now(), child: None, ended: None }
    }

    /// Is there a client that has not started or has not ended?
    pub fn is_busy(&self) -> bool {
        self.command.is_some() && self.ended.is_none()
    }

    /// Starts it when the program waits for it, and notices when it ends.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn look(&mut self, program: u32) -> io::Result<()> {
        let Some(command) = self.command else { return Ok(()) };
        match &mut self.child {
            None if waits_outside(program) || self.began.elapsed() > PATIENCE => {
                let mut shell = Command::new("sh");
                shell.arg("-c").arg(command).env("FORETRACE_PROGRAM", program.to_string());
                shell.env_remove("FORETRACE_RUNTIME").env_remove("LD_PRELOAD");
                shell.process_group(0).stdin(Stdio::null()).stdout(Stdio::null());
                self.child = Some(spawn(&mut shell)?);
            }
            Some(child) if self.ended.is_none() => self.ended = child.try_wait()?.map(|_| Instant::now()),
            _ => {}
        }
        Ok(())
    }

    /// Has it ended so long ago that the program has nothing left to serve?
    pub fn is_over(&self) -> bool {
        self.ended.is_some_and(|ended| ended.elapsed() > AFTERWARDS)
    }
}

impl Drop for Client<'_> {
    /// The client ends with the program.
    fn drop(&mut self) {
        if let Some(child) = self.child.as_mut().filter(|_| self.ended.is_none()) {
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
