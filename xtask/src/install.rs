//! The compilers and tools that tests and benchmarks run, from the system's package manager.

use crate::run::{check, command, exists};
use anyhow::bail;

/// A program, and the Debian packages that provide it.
const TOOLS: [(&str, &[&str]); 14] = [
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
    ("z3", &["z3"]),
];

/// Libraries that programs of the corpus use, by their `pkg-config` names, and the packages that provide them.
const LIBRARIES: [(&str, &str); 3] =
    [("glib-2.0", "libglib2.0-dev"), ("tbb", "libtbb-dev"), ("sqlite3", "libsqlite3-dev")];

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

/// What tests of pages use of npm's registry, in exactly these versions. It checks roles and contrast.
const FROM_NPM: [&str; 1] = ["axe-core@4.10.3"];

/// Installs what tests of pages use. A machine without npm goes without, and those tests say so.
fn from_npm() {
    let installed = std::path::Path::new("target/npm/node_modules/axe-core/axe.min.js").exists();
    if installed {
        return;
    }
    let options = ["install", "--prefix", "target/npm", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    let made = std::fs::create_dir_all("target/npm");
    let done = made.is_ok() && exists("npm") && check(command("npm", &options).args(FROM_NPM)).is_ok();
    if !done {
        eprintln!(
            "SKIPPED: {} could not be installed with npm; tests of pages will not check roles and contrast",
            FROM_NPM[0]
        );
    }
}

/// Installs what is missing, or lists exactly what to install.
pub fn run() -> anyhow::Result<()> {
    from_npm();
    packages()
}

fn packages() -> anyhow::Result<()> {
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
