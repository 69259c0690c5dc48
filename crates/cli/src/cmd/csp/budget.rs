//! What each assertion may use, as it was asked for.

use super::Args;
use crate::flags;
use foretrace_csp::budget::Budget;

pub fn of(args: &Args) -> Budget {
    Budget {
        max_states: args.max_states.unwrap_or(u64::MAX),
        max_memory: args.max_memory,
        timeout: args.timeout,
        threads: flags::threads(args.jobs),
        counterexamples: args.counterexamples,
    }
}
