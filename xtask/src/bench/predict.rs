//! Prediction: how it grows with the length of the run, the number of threads and the number of cuts.
//!
//! An optimised program, `crates/predict/examples/scale.rs`, does the work. Its allocator keeps freed memory: repeated
//! runs of a small trace find their memory warm in any case, and those of a large one would otherwise pay for new pages
//! from the kernel every time. So each table has its own process, because memory that the allocator kept for one table
//! would count as the memory of the next. The table that measures memory runs with an allocator that returns it.

use crate::run::{cargo, check};
use std::process::Command;

/// More bytes than any of the tables needs.
const KEEP: &str = "4294967296";

/// Prints the tables.
pub fn run(_rounds: usize) -> anyhow::Result<()> {
    for table in ["race", "philosophers", "cuts"] {
        check(scale(table).env("MALLOC_MMAP_THRESHOLD_", KEEP).env("MALLOC_TRIM_THRESHOLD_", KEEP))?;
    }
    check(&mut scale("stream"))
}

fn scale(table: &str) -> Command {
    let program = ["run", "--quiet", "--release", "--package", "foretrace-predict", "--example", "scale", "--"];
    let mut command = cargo(&program);
    command.arg(table);
    command
}

#[cfg(test)]
mod tests {
    #[test]
    fn its_program_is_there() {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/predict/examples/scale.rs");
        assert!(std::path::Path::new(program).is_file(), "{program}");
    }
}
