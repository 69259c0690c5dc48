//! The subcommands, one file each.

pub mod cc;
pub mod check;
pub mod csp;
pub mod monitor;
pub mod predict;
pub mod record;
pub mod replay;
pub mod trace;
