//! The subcommands, one file each.

pub mod besides;
pub mod cc;
pub mod check;
pub mod csp;
pub mod doctor;
pub mod events;
pub mod explain;
pub mod explore;
pub mod include_dir;
mod interrupt;
mod memory;
pub mod monitor;
pub mod predict;
mod probes;
mod progress;
mod properties;
pub mod questions;
pub mod record;
pub mod replay;
pub mod report;
mod reporting;
mod script;
pub mod shell;
mod sources;
mod symbolic;
pub mod trace;
mod watchdog;
