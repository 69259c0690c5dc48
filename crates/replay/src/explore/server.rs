//! A fork server, from the tool's side: a program that stands before its first thread, and forks for each execution.

use crate::{Program, TimeLimit, spawn};
use foretrace_event::channel::Answer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A running fork server. It ends when this is dropped.
pub struct Server {
    child: Child,
    requests: File,
    answers: File,
    /// The process that runs executions, if there was one.
    process: Option<Pid>,
}

/// What came of a request.
pub enum Served {
    /// The execution ended with this status.
    Ended(u32),
    /// It had to be killed: it took too long, or somebody asked to stop.
    Killed,
    /// The server is gone, with this status: the program has no second thread, or ended before.
    Gone(ExitStatus),
}

/// How long the tool waits for an answer before it looks whether all is well.
const GLANCE: Duration = Duration::from_millis(50);

impl Server {
    /// Starts the program on one core.
    pub fn start(program: &Program, directory: &Path, core: usize, fast: bool) -> io::Result<Self> {
        let [requests, answers] = ["requests", "answers"].map(|name| {
            let path = directory.join(name);
            let _ = std::fs::remove_file(&path);
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
            // Open for both, so that neither side waits for the other here.
            File::options().read(true).write(true).open(path)
        });
        let settings =
            format!("explore server=1 fast={} only_started={} dir=", u8::from(fast), u8::from(program.started_only));
        let mut command = program.with_settings(&padded(&settings, directory));
        bind_now(&mut command);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        program.input.give(&mut command)?;
        prepare(&mut command, Some(core));
        let child = spawn(&mut command)?;
        Ok(Self { child, requests: requests?, answers: answers?, process: None })
    }

    /// Has one execution run.
    pub fn run(&mut self, limit: &TimeLimit) -> io::Result<Served> {
        self.requests.write_all(&1u64.to_le_bytes())?;
        let begin = Instant::now();
        let mut killed = false;
        loop {
            match self.answer()? {
                Some(Answer::Begun(number)) => self.process = Pid::from_raw(number.cast_signed()),
                Some(Answer::Ended(_)) if killed => return Ok(Served::Killed),
                Some(Answer::Ended(status)) => return Ok(Served::Ended(status)),
                None => {}
            }
            if let Some(status) = self.child.try_wait()? {
                return Ok(Served::Gone(status));
            }
            if begin.elapsed() > limit.time || limit.is_stopped() {
                match self.process {
                    Some(process) if !killed => {
                        killed = kill_process(process, Signal::KILL).is_ok();
                    }
                    Some(_) => {}
                    // It does not come to its first thread.
                    None => return Ok(Served::Killed),
                }
            }
        }
    }

    /// Waits a while for an answer.
    fn answer(&mut self) -> io::Result<Option<Answer>> {
        let wait = Timespec { tv_sec: 0, tv_nsec: GLANCE.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&self.answers, PollFlags::IN)], Some(&wait)) {
            Err(rustix::io::Errno::INTR) | Ok(0) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(_) => {
                let mut word = [0; 8];
                self.answers.read_exact(&mut word)?;
                Ok(Answer::from_word(u64::from_le_bytes(word)))
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Settings of one length, whatever they say: the stack begins below them, and its addresses are to be the same in all runs.
pub fn padded(settings: &str, directory: &Path) -> OsString {
    const LENGTH: usize = 1024;
    let rest = LENGTH.saturating_sub(settings.len() + directory.as_os_str().len());
    let mut padded = OsString::from(settings);
    // More slashes at the beginning of a path mean nothing.
    padded.push("/".repeat(rest));
    padded.push(directory);
    padded
}

/// The loader binds functions at once, and not in each execution anew.
pub fn bind_now(command: &mut Command) {
    command.env("LD_BIND_NOW", "1");
}

/// The command will run without randomised addresses, so that objects are where they were, and on one core, if one is named.
#[allow(unsafe_code)]
pub fn prepare(command: &mut Command, core: Option<usize>) {
    // SAFETY: between fork and exec the closure makes two system calls and touches no memory of others.
    unsafe {
        command.pre_exec(move || {
            const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x004_0000;
            libc::personality(ADDR_NO_RANDOMIZE);
            if let Some(core) = core {
                let mut cores: libc::cpu_set_t = std::mem::zeroed();
                libc::CPU_SET(core, &mut cores);
                libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores);
            }
            Ok(())
        });
    }
}

/// The calling thread, which waits for a server most of the time, runs on the server's core: to wake a thread on another
/// core takes ten times as long.
#[allow(unsafe_code)]
pub fn stay_on(core: usize) {
    thread_local! {
        static STAYS: Cell<Option<usize>> = const { Cell::new(None) };
    }
    if STAYS.replace(Some(core)) == Some(core) {
        return;
    }
    // SAFETY: the set is a local.
    unsafe {
        let mut cores: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut cores);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores);
    }
}
