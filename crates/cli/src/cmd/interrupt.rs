//! Ctrl-C: the first asks for an orderly end with what is known so far, the second ends the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A flag that the first Ctrl-C, or the first request to terminate, raises.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    let flag: &'static Arc<AtomicBool> = Box::leak(Box::new(Arc::new(AtomicBool::new(false))));
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, INTERRUPTED, flag.clone())?;
        register(signal, flag.clone())?;
    }
    Ok(flag)
}
