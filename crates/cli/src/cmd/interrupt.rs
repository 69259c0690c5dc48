//! Signals: the first asks for an orderly end with what is known so far, a later one ends the tool.

use crate::scratch;
use anyhow::Context;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Added to the signal's number, what a shell says of a program that it ended.
const SIGNALLED: i32 = 128;

/// `timeout` and its kin send a signal to the process and to its group: two that come together are one.
const TOGETHER: Duration = Duration::from_millis(300);

static STOP: AtomicBool = AtomicBool::new(false);
/// The signal that came last; zero: none.
static LAST: AtomicI32 = AtomicI32::new(0);

/// A flag that Ctrl-C raises, and every other signal that would end the tool and can be caught. If it is raised already, the
/// tool ends, and leaves nothing behind.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2];
    let mut signals = Signals::new(all).context("cannot handle signals")?;
    std::thread::spawn(move || {
        let mut last: Option<Instant> = None;
        for signal in signals.forever() {
            LAST.store(signal, Ordering::Relaxed);
            let again = last.is_some_and(|last| last.elapsed() > TOGETHER);
            if STOP.swap(true, Ordering::Relaxed) && again {
                scratch::remove_all();
                std::process::exit(SIGNALLED + signal);
            }
            last = Some(Instant::now());
        }
    });
    Ok(&STOP)
}

/// Was the last signal Ctrl-C, which may be meant for a part of the work alone?
pub fn was_ctrl_c() -> bool {
    LAST.load(Ordering::Relaxed) == SIGINT
}
