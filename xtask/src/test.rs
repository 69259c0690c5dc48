//! Everything that continuous integration checks, cheapest first.

use crate::run::{cargo, check};
use crate::{attack, install, lint, miri, tidy};

/// Installs, lints, tests.
pub fn run() -> anyhow::Result<()> {
    install::run()?;
    tidy::run()?;
    lint::run()?;
    miri::run()?;
    // All failures of a run are listed, not those of the first binary alone.
    check(&mut cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"]))?;
    attack::run(&attack::Args::of_ci())
}

/// Runs the tests so that those with golden files write them instead of comparing, with the variable that `expect-test`
/// reads.
pub fn bless() -> anyhow::Result<()> {
    check(cargo(&["test", "--quiet", "--workspace"]).env("UPDATE_EXPECT", "1"))
}
