//! Tests of the runtime under Miri, which notices undefined behaviour: those of its memory and tables. The others need system
//! calls and inline assembly, which Miri does not execute, or have no unsafe code.

use crate::run::{check, command, target};

/// The modules whose tests are run.
const MODULES: [&str; 5] = ["memory::", "sink::", "watch::names", "sys::bpf", "interpose::"];

/// Runs them; without Miri, says so.
pub fn run() -> anyhow::Result<()> {
    let there = command("cargo", &["+nightly", "miri", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: no nightly toolchain with Miri is installed (rustup component add --toolchain nightly miri rust-src)"
        );
        return Ok(());
    }
    let mut miri = command("cargo", &["+nightly", "miri", "test", "--quiet", "-p", "foretrace-runtime", "--lib", "--"]);
    miri.args(MODULES).env("MIRIFLAGS", "-Zmiri-permissive-provenance").env("CARGO_TARGET_DIR", target().join("miri"));
    // Cargo names the toolchain that runs this command to those that it starts.
    check(miri.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC"))
}
