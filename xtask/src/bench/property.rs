//! Properties: one pass over ten million events, and the search over cuts and an automaton.

use crate::run::cargo;
use anyhow::ensure;

/// Prints a table.
pub fn run(_rounds: usize) -> anyhow::Result<()> {
    let mut example =
        cargo(&["run", "--quiet", "--release", "--package", "foretrace-predict", "--example", "properties"]);
    ensure!(example.status()?.success(), "the benchmark failed");
    Ok(())
}
