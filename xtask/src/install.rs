//! The compilers and tools that tests and benchmarks run, from the system's package manager.

use crate::run::{check, command, exists};
use anyhow::bail;

/// A program, and the Debian packages that provide it.
const TOOLS: [(&str, &[&str]); 13] = [
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
    ("chromedriver", &["chromium", "chromium-driver"]),
    ("pkg-config", &["pkg-config"]),
];

/// Libraries that programs of the corpus use, by their `pkg-config` names, and the packages that provide them.
const LIBRARIES: [(&str, &str); 2] = [("glib-2.0", "libglib2.0-dev"), ("tbb", "libtbb-dev")];

/// What clang needs for programs with OpenMP: its library, by the file name that it links, and the package that brings it.
const OPENMP: (&str, &str) = ("libomp.so", "libomp-19-dev");

/// clang prints a name as it is if it knows no such file.
fn has_openmp() -> bool {
    let asked = command("clang-19", &[&format!("-print-file-name={}", OPENMP.0)]).output();
    asked.is_ok_and(|output| output.stdout.starts_with(b"/"))
}

fn has_library(name: &str) -> bool {
    command("pkg-config", &["--exists", name]).status().is_ok_and(|status| status.success())
}

/// Installs what is missing, or lists exactly what to install.
pub fn run() -> anyhow::Result<()> {
    let tools = TOOLS.iter().filter(|(program, _)| !exists(program)).flat_map(|(_, packages)| *packages).copied();
    let libraries = LIBRARIES.iter().filter(|(name, _)| !has_library(name)).map(|(_, package)| *package);
    let openmp = (!has_openmp()).then_some(OPENMP.1);
    let missing: Vec<&str> = tools.chain(libraries).chain(openmp).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !(exists("apt-get") && is_root()) {
        bail!("missing: {0}; on Debian: sudo apt-get install {0}", missing.join(" "));
    }
    // An old package list names files that no longer exist; updating it takes seconds.
    check(&mut command("apt-get", &["update", "-q"]))?;
    let mut install = command("apt-get", &["install", "-y", "-q", "--no-install-recommends"]);
    check(install.args(missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn is_root() -> bool {
    command("id", &["-u"]).output().is_ok_and(|output| output.stdout == b"0\n")
}
