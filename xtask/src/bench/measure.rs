//! Measurements: wall time and peak memory of a command, medians, geometric means.

use crate::run::{check, command};
use anyhow::{Context, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One run, or the medians of several.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Wall time.
    pub seconds: f64,
    /// The peak memory of the program or of one of its children.
    pub megabytes: f64,
}

/// The small C program that runs another and measures its resources.
pub struct Meter {
    program: PathBuf,
    result: PathBuf,
}

impl Meter {
    /// Compiles it.
    pub fn build(scratch: &Path) -> anyhow::Result<Self> {
        let program = scratch.join("measure");
        check(command("gcc", &["-O2", "bench/support/measure.c", "-o"]).arg(&program))?;
        Ok(Self { program, result: scratch.join("measured") })
    }

    /// Runs a command, which must succeed; also returns its output.
    pub fn run(&self, line: &[OsString]) -> anyhow::Result<(Cost, String)> {
        let mut measured = Command::new(&self.program);
        let output = measured.arg(&self.result).args(line).stdin(Stdio::null()).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{line:?}: {}\n{errors}", output.status);
        let text = std::fs::read_to_string(&self.result)?;
        let cost = parse(&text).with_context(|| format!("the meter wrote {text:?}"))?;
        Ok((cost, String::from_utf8_lossy(&output.stdout).into_owned()))
    }
}

fn parse(text: &str) -> Option<Cost> {
    let (nanoseconds, kilobytes) = text.trim().split_once(' ')?;
    Some(Cost { seconds: nanoseconds.parse::<f64>().ok()? / 1e9, megabytes: kilobytes.parse::<f64>().ok()? / 1024.0 })
}

/// The median of each quantity separately.
pub fn median(costs: &[Cost]) -> Cost {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Cost {
        seconds: middle(costs.iter().map(|cost| cost.seconds).collect()),
        megabytes: middle(costs.iter().map(|cost| cost.megabytes).collect()),
    }
}

/// The geometric mean of ratios.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_means() {
        let cost = |seconds, megabytes| Cost { seconds, megabytes };
        assert_eq!(median(&[cost(3.0, 1.0), cost(1.0, 2.0), cost(2.0, 3.0)]), cost(2.0, 2.0));
        assert!((geometric_mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert_eq!(parse("2000000000 2048\n"), Some(cost(2.0, 2.0)));
    }
}
