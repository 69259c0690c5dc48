//! Ctrl-C: the first asks for an orderly end with what is known so far, a later one ends the program.

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// `timeout` and its kin send a signal to the process and to its group: two that come together are one.
const TOGETHER: Duration = Duration::from_millis(300);

static STOP: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C, or a request to terminate, raises. If it is raised already, the program ends.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
    std::thread::spawn(move || {
        let mut last: Option<Instant> = None;
        for _ in signals.forever() {
            let again = last.is_some_and(|last| last.elapsed() > TOGETHER);
            if STOP.swap(true, Ordering::Relaxed) && again {
                std::process::exit(INTERRUPTED);
            }
            last = Some(Instant::now());
        }
    });
    Ok(&STOP)
}
