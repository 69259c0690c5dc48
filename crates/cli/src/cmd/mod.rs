//! The subcommands, one file each.

pub mod besides;
pub mod cc;
pub mod check;
pub mod csp;
pub mod explore;
mod interrupt;
mod memory;
pub mod monitor;
pub mod predict;
mod progress;
pub mod record;
pub mod replay;
mod reporting;
mod sources;
pub mod trace;
mod watchdog;
