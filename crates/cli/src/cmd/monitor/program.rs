//! The program that is monitored.

use crate::cmd::record;
use crate::environment::Environment;
use crate::way::{Way, find_program, way_into};
use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::iterator::{Handle, SignalsInfo, exfiltrator::WithOrigin};
use signal_hook::low_level::siginfo::Cause;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The niceness of the evaluation: the highest there is. With 10, a program whose threads meet at barriers
/// took up to 1.3 times as long as when it is recorded.
const NICER: i32 = 19;

/// What is recorded of the program.
pub struct Detail {
    /// How much may wait to be evaluated.
    pub backlog: u64,
    /// Accesses are kept apart by the place they are made from.
    pub locations: bool,
    /// Each access is a record of its own.
    pub every: bool,
    /// From the beginning, not from the first thread on.
    pub early: bool,
    pub clock: bool,
    /// The specification looks at memory.
    pub memory: bool,
}

/// A program while it runs, and after.
pub struct Program {
    child: Child,
    status: Option<ExitStatus>,
    began: Instant,
    ran: Duration,
    clock: Option<JoinHandle<Duration>>,
    /// A signal sent to the monitor is the program's until that has ended, and then ends the evaluation.
    ended: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
    signals: Handle,
}

impl Program {
    /// Starts it; what it does is recorded into the directory.
    pub fn start(command: &[OsString], detail: &Detail, directory: &Path) -> anyhow::Result<Program> {
        let signals = record::signals()?;
        let handle = signals.handle();
        let began = Instant::now();
        let child = spawn(command, detail, directory)?;
        let clock = Some(when_it_ends(&child, began));
        let _ = rustix::process::nice(NICER);
        let (ended, interrupted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        watch(signals, Pid::from_child(&child), ended.clone(), interrupted.clone());
        let ran = Duration::ZERO;
        Ok(Program { child, status: None, began, ran, clock, ended, interrupted, signals: handle })
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> anyhow::Result<bool> {
        self.status = self.child.try_wait().context("cannot wait for the program")?;
        self.ended.store(self.status.is_some(), Ordering::Relaxed);
        Ok(self.status.is_some())
    }

    /// Ends it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// It has ended: the evaluation need not give way any more. How it ended is said, unless we ended it.
    pub fn over(&mut self, killed: bool) {
        // Without the permission for it, the rest takes longer on a busy machine.
        let _ = rustix::process::nice(-NICER);
        self.ran = self.clock.take().and_then(|clock| clock.join().ok()).unwrap_or_default();
        if let Some(status) = self.status.filter(|status| !status.success() && !killed) {
            crate::output::say!("the program ended with {status}");
        }
    }

    /// Whether a signal came after its end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// How long it ran, and how long ago it ended.
    pub fn times(&self) -> (Duration, Duration) {
        (self.ran, self.began.elapsed().saturating_sub(self.ran))
    }
}

impl Drop for Program {
    /// A program that nobody watches any more, because the evaluation failed, is ended.
    fn drop(&mut self) {
        if self.status.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        self.signals.close();
    }
}

/// Passes on the signals that were sent to us alone; those of the terminal reach the program by themselves.
fn watch(mut signals: SignalsInfo<WithOrigin>, child: Pid, ended: Arc<AtomicBool>, interrupted: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        for origin in signals.forever() {
            if ended.load(Ordering::Relaxed) {
                interrupted.store(true, Ordering::Relaxed);
            } else if matches!(origin.cause, Cause::Sent(_))
                && let Some(signal) = Signal::from_named_raw(origin.signal)
            {
                let _ = rustix::process::kill_process(child, signal);
            }
        }
    });
}

/// How long the program ran, from a thread that only waits: the evaluation looks too rarely.
fn when_it_ends(child: &Child, began: Instant) -> JoinHandle<Duration> {
    let child = WaitId::Pid(Pid::from_child(child));
    std::thread::spawn(move || {
        let _ = rustix::process::waitid(child, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        began.elapsed()
    })
}

fn spawn(command: &[OsString], detail: &Detail, directory: &Path) -> anyhow::Result<Child> {
    use std::os::unix::process::CommandExt;
    let program = find_program(&command[0])?;
    let way = way_into(&program)?;
    if detail.memory && way == Way::Preload {
        bail!(
            "{} is not instrumented: its memory accesses, which the specification looks at, cannot be seen; build it with `foretrace cc`",
            program.display()
        );
    }
    let number = u8::from;
    let mut settings = OsString::from(format!(
        "record limit={} ring=1 locations={} every={} early={} clock={} follow=0 dir=",
        detail.backlog,
        number(detail.locations),
        number(detail.every),
        number(detail.early),
        number(detail.clock)
    ));
    settings.push(directory);
    let mut process = Command::new(&program);
    process.arg0(&command[0]).args(&command[1..]).env("FORETRACE_RUNTIME", settings);
    process.envs(way.environment(&Environment::own())?);
    process.env("FORETRACE_TOOL", std::process::id().to_string());
    process.spawn().with_context(|| format!("cannot run {}", program.display()))
}
