//! Reading recordings: from file to trace, over growing sizes.

use crate::run::cargo;
use anyhow::ensure;
use foretrace_testkit::measure;

/// Access records of the synthetic recordings.
const SIZES: [u64; 5] = [500_000, 2_000_000, 8_000_000, 16_000_000, 32_000_000];

/// Prints a table; each size is read once, because the sizes are compared with each other.
pub fn run(_rounds: usize) -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        return optimised();
    }
    let scratch = tempfile::tempdir()?;
    measure::reading(scratch.path(), &SIZES, &mut std::io::stdout())?;
    Ok(())
}

/// Runs this command again in an optimised build.
fn optimised() -> anyhow::Result<()> {
    let status = cargo(&["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "trace"]).status()?;
    ensure!(status.success(), "the benchmark failed");
    Ok(())
}
