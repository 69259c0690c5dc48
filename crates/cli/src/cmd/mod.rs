//! The subcommands, one file each.

pub mod cc;
pub mod record;
