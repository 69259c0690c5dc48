//! The compilers and tools that tests and benchmarks run, from the system's package manager.

use crate::run::{check, command, exists};
use anyhow::bail;

/// A program, and the Debian packages that bring it.
const TOOLS: [(&str, &[&str]); 11] = [
    ("gcc", &["gcc"]),
    ("g++", &["g++"]),
    ("clang-19", &["clang-19", "libclang-rt-19-dev"]),
    ("ld.lld-19", &["lld-19"]),
    ("objcopy", &["binutils"]),
    ("cmake", &["cmake", "make"]),
    ("meson", &["meson", "ninja-build"]),
    ("spin", &["spin"]),
    ("valgrind", &["valgrind"]),
    ("gdb", &["gdb"]),
    ("ccache", &["ccache"]),
];

/// Installs what is missing, or says exactly what to install.
pub fn run() -> anyhow::Result<()> {
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(program, _)| !exists(program)).flat_map(|(_, packages)| *packages).copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !(exists("apt-get") && is_root()) {
        bail!("missing: {0}; on Debian: sudo apt-get install {0}", missing.join(" "));
    }
    // An old list of packages names files that are gone; a new one costs seconds.
    check(&mut command("apt-get", &["update", "-q"]))?;
    let mut install = command("apt-get", &["install", "-y", "-q", "--no-install-recommends"]);
    check(install.args(missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn is_root() -> bool {
    command("id", &["-u"]).output().is_ok_and(|output| output.stdout == b"0\n")
}
