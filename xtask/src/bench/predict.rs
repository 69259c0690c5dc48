//! Prediction: how it grows with the length of the run, the number of threads and the number of cuts.
//!
//! The work is done by an optimised program of its own, `crates/predict/examples/scale.rs`.

use crate::run::{cargo, check};

/// Prints the tables.
pub fn run(_rounds: usize) -> anyhow::Result<()> {
    check(&mut cargo(&["run", "--quiet", "--release", "--package", "foretrace-predict", "--example", "scale"]))
}
