//! What each assertion may use, as it was asked for.

use super::Args;
use foretrace_csp::budget::Budget;
use std::time::Duration;

/// A time limit; none if it is longer than can be measured.
#[derive(Clone, Copy, Debug)]
pub struct Timeout(Option<Duration>);

/// Reads a number of seconds.
pub fn seconds(text: &str) -> Result<Timeout, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds: use a form such as 30 or 0.5".to_owned())?;
    if seconds.is_nan() || seconds < 0.0 {
        return Err("not a number of seconds: it must be zero or more".into());
    }
    // Beyond a century, and for `inf`, nobody waits for the end.
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|d| d.as_secs() < 100 * 365 * 24 * 3600);
    Ok(Timeout(limit))
}

pub fn of(args: &Args) -> Budget {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Budget {
        max_states: args.max_states.unwrap_or(u64::MAX),
        max_memory: args.max_memory.saturating_mul(1 << 20),
        timeout: args.timeout.and_then(|t| t.0),
        threads: args.threads.unwrap_or(cores),
        counterexamples: args.counterexamples,
    }
}
