//! Formatting and clippy, with warnings as errors.

use crate::run::{cargo, check};

/// Fails on the first complaint.
pub fn run() -> anyhow::Result<()> {
    check(&mut cargo(&["fmt", "--all", "--check"]))?;
    check(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}
