//! The budget of each assertion, from the flags.

use super::Args;
use crate::flags;
use foretrace_csp::budget::{Budget, Spilling};
use std::sync::atomic::AtomicBool;

pub fn of(args: &Args, interrupted: &'static AtomicBool) -> Budget {
    Budget {
        max_states: args.max_states.unwrap_or(u64::MAX),
        max_memory: args.max_memory,
        timeout: args.timeout,
        threads: flags::threads(args.jobs),
        counterexamples: args.counterexamples,
        spill: args.spill.clone().map(|directory| Spilling {
            directory,
            max_disk: args.max_disk,
            from: args.max_memory / 3,
        }),
        interrupted: Some(interrupted),
    }
}
