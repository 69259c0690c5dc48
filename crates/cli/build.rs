//! Builds the runtime and makes of it the files that the command line tool carries inside:
//!
//! | file | what it is |
//! | --- | --- |
//! | `foretrace-rt.o` | the runtime as one object, for programs linked by `foretrace cc` |
//! | `libforetrace-rt.so` | the same object as a shared library, for programs that are not rebuilt |
//! | `libforetrace-tsan.so` | the same again with what gcc's `libtsan.so` has besides, to stand in for it |
//! | `exports.list` | the symbols a program exports for the libraries it loads |
//! | `ubsan.ld` | clang's names of what undefined behaviour calls |
//! | `names.ld`, `names.o` | the names of functions that stand in front of other libraries than libc |
//! | `foretrace.h` | what programs say by themselves |
//! | `empty.o` | an object with nothing in it, to stand where gcc wants a part of its own sanitizer |
//!
//! The runtime stands in front of `memcpy` and its kin, and its own code calls them too (the compiler makes such calls
//! by itself), so the object is renamed in two steps: first what the runtime calls, then what the program calls.

#[path = "build/interface.rs"]
mod interface;
#[path = "build/symbols.rs"]
mod symbols;

use std::collections::HashSet;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use symbols::Symbols;

/// In every executable and library that holds the runtime; how `foretrace record` knows one.
const MARKER: &str = "__foretrace_runtime";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let crates = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    for watched in ["runtime", "event"] {
        println!("cargo:rerun-if-changed={}", crates.join(watched).display());
    }
    println!("cargo:rerun-if-changed={}", crates.join("../Cargo.toml").display());
    let archive = build_runtime(&crates.join("runtime"), &out);
    let names = crates.join("runtime/names");
    let symbols = read_symbols(&archive, interface::exported(&names));
    let interface = assemble(&out, "interface", &interface::assembly(&names));
    make_object(&archive, &interface, &symbols, &out);
    fs::write(out.join("names.ld"), symbols.script()).expect("names.ld can be written");
    fs::write(out.join("ubsan.ld"), symbols.undefined_behaviour()).expect("ubsan.ld can be written");
    assemble(&out, "names", &symbols.stubs());
    make_library(&symbols, &[], "libforetrace-rt.so", &out);
    make_libtsan(&symbols, &names, &out);
    assemble(&out, "empty", symbols::NO_STACK);
    fs::copy(crates.join("runtime/include/foretrace.h"), out.join("foretrace.h")).expect("the header can be copied");
    fs::write(out.join("exports.list"), symbols.dynamic_list()).expect("exports.list can be written");
    println!("cargo:rustc-env=RUNTIME_ASSETS={}", out.display());
    println!("cargo:rustc-env=RUNTIME_ASSETS_HASH={:016x}", hash(&out));
}

/// What the C library's own files define.
fn system_names() -> HashSet<String> {
    let file = |name: &str| {
        let path = Command::new("cc").arg(format!("-print-file-name={name}")).output().expect("gcc must be installed");
        PathBuf::from(String::from_utf8_lossy(&path.stdout).trim())
    };
    let files = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"].map(file);
    let files = files.iter().filter(|file| file.is_absolute());
    let listing = Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).args(files).output();
    let listing = listing.expect("nm is part of binutils, which must be installed");
    let names = String::from_utf8_lossy(&listing.stdout).into_owned();
    let name = |line: &str| Some(line.split([' ', '@']).next()?.to_owned());
    let names: HashSet<String> = names.lines().filter_map(name).collect();
    assert!(names.contains("pthread_create"), "the C library's symbols cannot be read");
    names
}

fn read_symbols(archive: &Path, interface: Vec<String>) -> Symbols {
    let listing = Command::new("nm").args(["--format=posix", "--extern-only", "--defined-only"]).arg(archive).output();
    let listing = listing.expect("nm is part of binutils, which must be installed");
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let symbols = Symbols::parse(&listing, "foretrace_runtime-", MARKER, system_names());
    assert!(symbols.len() > 0, "the runtime in {} exports nothing", archive.display());
    symbols.with(interface)
}

/// Builds the static library with a cargo of its own; what the outer build was told (flags, wrappers such as clippy,
/// the place of its files) is not meant for code that lives in someone else's process.
fn build_runtime(runtime: &Path, out: &Path) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo.args(["rustc", "--quiet", "--lib", "--crate-type", "staticlib", "--profile", "runtime", "--manifest-path"]);
    cargo.arg(runtime.join("Cargo.toml")).arg("--target-dir").arg(out.join("target"));
    // Cancellation unwinds the program's stack through our frames.
    cargo.args(["--", "-C", "force-unwind-tables=yes"]);
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"] {
        cargo.env_remove(name);
    }
    run(&mut cargo);
    out.join("target/runtime/libforetrace_runtime.a")
}

/// One object with the exported symbols global and all others local.
fn make_object(archive: &Path, interface: &Path, symbols: &Symbols, out: &Path) {
    let step = |name: &str| out.join(format!("runtime-{name}.o"));
    let list = |name: &str, text: String| {
        let path = out.join(name);
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    };
    let inner = list("inner.syms", symbols.inner_renames());
    let outer = list("outer.syms", symbols.outer_renames());
    let global = list("global.syms", symbols.names());
    let weak = list("weak.syms", symbols.weak_names());

    run(Command::new("ld").arg("-r").arg("-o").arg(step("all")).args(symbols.roots()).arg(archive));
    run(Command::new("objcopy").arg("--redefine-syms").arg(inner).arg(step("all")).arg(step("inner")));
    // Linked again, a call of the renamed function and its definition become one symbol.
    run(Command::new("ld")
        .args(["-r", "--defsym", &format!("{MARKER}=0"), "-o"])
        .arg(step("joined"))
        .arg(step("inner")));
    run(Command::new("objcopy").arg("--redefine-syms").arg(outer).arg(step("joined")).arg(step("outer")));
    let wishes = assemble(out, "wishes", &symbols.wishes());
    run(Command::new("ld").arg("-r").arg("-o").arg(step("whole")).arg(step("outer")).arg(interface).arg(wishes));
    run(Command::new("objcopy")
        .args(["--strip-debug", "--keep-global-symbols"])
        .arg(global)
        .arg("--weaken-symbols")
        .arg(weak)
        .arg(step("whole"))
        .arg(out.join("foretrace-rt.o")));
}

/// The same object as a shared library that exports the same symbols.
fn make_library(symbols: &Symbols, more: &[&str], file: &str, out: &Path) {
    let script = out.join("version.script");
    fs::write(&script, symbols.version_script()).expect("version.script can be written");
    run(Command::new("cc")
        .args(["-shared", "-nostartfiles", &format!("-Wl,-soname,{file}"), "-Wl,-z,now", "-o"])
        .arg(out.join(file))
        .args([out.join("foretrace-rt.o"), out.join("names.o")])
        .args(more)
        .arg(format!("-Wl,--version-script={}", script.display()))
        .args(["-ldl", "-lpthread"]));
}

/// The library that stands in for gcc's: a program that was linked with that may have found functions of the mathematical
/// library there, and nowhere else.
fn make_libtsan(symbols: &Symbols, names: &Path, out: &Path) {
    let (exported, code) = interface::libtsan(names);
    let object = assemble(out, "libtsan", &code);
    let object = object.to_str().expect("cargo's directories have plain names");
    let symbols = symbols.with(exported);
    make_library(&symbols, &[object, "-Wl,--no-as-needed", "-lm"], "libforetrace-tsan.so", out);
}

/// Makes an object of assembly.
fn assemble(out: &Path, name: &str, source: &str) -> PathBuf {
    let [from, to] = ["s", "o"].map(|extension| out.join(name).with_extension(extension));
    fs::write(&from, source).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    run(Command::new("cc").arg("-c").arg(from).arg("-o").arg(&to));
    to
}

const FILES: [&str; 9] = [
    "foretrace-rt.o",
    "libforetrace-rt.so",
    "libforetrace-tsan.so",
    "exports.list",
    "names.ld",
    "names.o",
    "ubsan.ld",
    "empty.o",
    "foretrace.h",
];

/// Names the contents of the files; another hash, another directory to unpack to.
fn hash(out: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in FILES {
        hasher.write(&fs::read(out.join(file)).expect("it was just written"));
    }
    hasher.finish()
}

fn run(command: &mut Command) {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().unwrap_or_else(|error| panic!("{name}: {error}; install gcc and binutils"));
    assert!(status.success(), "{command:?} failed: {status}");
}
