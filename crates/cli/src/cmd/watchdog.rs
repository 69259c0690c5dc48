//! Enforces the budget and signals in phases that check neither often enough: if such a phase goes on for a second, the tool
//! ends with a message that names the phase.

use super::memory;
use crate::scratch;
use foretrace_replay::BUDGET_SPENT;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a phase may continue after it should have ended.
const GRACE: Duration = Duration::from_millis(700);
/// How often the watchdog checks.
const GLANCE: Duration = Duration::from_millis(50);

/// The phase that is watched, while this lives.
pub struct Watched(Arc<Mutex<bool>>);

/// Watches a phase in which nothing has been found yet.
pub fn watch(phase: &'static str, stop: &'static AtomicBool, deadline: Option<Instant>) -> Watched {
    let done = Arc::new(Mutex::new(false));
    let watched = Watched(done.clone());
    std::thread::spawn(move || {
        let mut over_since: Option<Instant> = None;
        loop {
            std::thread::sleep(GLANCE);
            let stopped = stop.load(Ordering::Relaxed);
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let full = memory::is_spent();
            over_since = if stopped || late || full { over_since.or(Some(Instant::now())) } else { None };
            // Held, so that the phase does not end meanwhile.
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            if *done {
                return;
            }
            if over_since.is_some_and(|since| since.elapsed() > GRACE) {
                let why = match full {
                    _ if stopped => "interrupted",
                    true => memory::SPENT,
                    false => BUDGET_SPENT,
                };
                give_up(&format!("foretrace: {why} while {phase}; nothing was checked\n"));
            }
        }
    });
    watched
}

fn give_up(words: &str) -> ! {
    let _ = std::io::stderr().write_all(words.as_bytes());
    scratch::remove_all();
    std::process::exit(i32::from(crate::FAILED));
}

impl Drop for Watched {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}
