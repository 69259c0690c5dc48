//! Enforces the budget and signals in phases that check neither often enough: if such a phase goes on for a second, the tool
//! ends with a message that names the phase.

use super::memory;
use crate::scratch;
use foretrace_replay::{BUDGET_SPENT, waited_for_processor};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a phase may continue after it should have ended. Time in which it waits for a processor is not counted.
const GRACE: Duration = Duration::from_millis(700);
/// How long it may continue in any case.
const CEILING: Duration = Duration::from_secs(7);
/// How often the watchdog checks.
const GLANCE: Duration = Duration::from_millis(50);

/// The phase that is watched, while this lives.
pub struct Watched(Arc<Mutex<bool>>);

/// Watches a phase in which nothing has been found yet.
pub fn watch(phase: &'static str, stop: &'static AtomicBool, deadline: Option<Instant>) -> Watched {
    let done = Arc::new(Mutex::new(false));
    let watched = Watched(done.clone());
    std::thread::spawn(move || {
        let mut over: Option<Over> = None;
        loop {
            std::thread::sleep(GLANCE);
            let stopped = stop.load(Ordering::Relaxed);
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let full = memory::is_spent();
            over = if stopped || late || full { over.or_else(|| Some(Over::begin())) } else { None };
            // Held, so that the phase does not end meanwhile.
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            if *done {
                return;
            }
            if over.as_ref().is_some_and(Over::is_too_long) {
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

/// A phase that should have ended.
struct Over {
    since: Instant,
    /// How long it had waited for a processor by then.
    waited: Duration,
}

impl Over {
    fn begin() -> Self {
        Self { since: Instant::now(), waited: waited_for_processor(std::process::id()) }
    }

    fn is_too_long(&self) -> bool {
        let elapsed = self.since.elapsed();
        elapsed > GRACE && is_too_long(elapsed, waited_for_processor(std::process::id()).saturating_sub(self.waited))
    }
}

/// Is this too long, if so much of it was spent without a processor?
fn is_too_long(elapsed: Duration, waited: Duration) -> bool {
    elapsed > CEILING || elapsed.saturating_sub(waited) > GRACE
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

#[cfg(test)]
mod tests {
    use super::{CEILING, GRACE, is_too_long};

    #[test]
    fn time_without_a_processor_is_not_counted_up_to_a_bound() {
        assert!(!is_too_long(GRACE, GRACE / 2));
        assert!(is_too_long(GRACE * 2, GRACE / 2) && !is_too_long(GRACE * 2, GRACE * 3 / 2));
        assert!(is_too_long(CEILING * 2, CEILING * 2));
    }
}
