//! Small programs and the exact events that each must give.
//!
//! `tests/record/**/NAME.c` is built with every compiler there is, run under `foretrace record`, on all cores and on
//! one, and what its threads did must be what `NAME.events` says: operations in their order, and between them the bytes
//! of the program's global variables that were read and written. Every recording must also be a legal history.
//! `BLESS=1` writes the `.events` files. A first line `// flags: …` adds to the command line of the compiler.

#![forbid(unsafe_code)]

mod libraries;
mod listing;
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;
mod symbols;

use foretrace_trace::Recording;
use listing::Listing;
use std::fs;
use std::path::{Path, PathBuf};
use support::{FORETRACE, Scratch, compilers, exists};

/// The programs, in the order of their paths.
fn programs(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compiles a program; calls stay calls.
fn build(scratch: &Scratch, source: &Path, compiler: &str) {
    let text = fs::read_to_string(source).expect("the program can be read");
    let flags = text.lines().next().and_then(|line| line.strip_prefix("// flags: ")).unwrap_or("");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    let line = format!(
        "foretrace-cc --compiler={compiler} -g -O1 -fno-builtin -pthread -I{} {} -o program {flags}",
        include.display(),
        source.display()
    );
    scratch.run(&line).succeeds();
}

/// Records the program and lists what it did.
fn record(scratch: &Scratch, prefix: &str) -> String {
    scratch.run(&format!("{prefix}{FORETRACE} record -o out.ft -- ./program")).succeeds();
    let recording = Recording::open(&scratch.path("out.ft")).expect("the recording opens");
    let violations = foretrace_trace::check::recording(&recording).expect("the recording can be read");
    assert!(violations.is_empty(), "not a legal history: {violations:?}");
    Listing::of(&recording, &scratch.path("program")).to_string()
}

/// Compares with the golden file, or writes it.
fn compare(source: &Path, how: &str, listing: &str) -> Result<(), String> {
    let golden = source.with_extension("events");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, listing).expect("the golden file can be written");
        return Ok(());
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    if expected == listing {
        return Ok(());
    }
    Err(format!("{} ({how}):\n--- expected\n{expected}--- got\n{listing}", source.display()))
}

#[test]
fn programs_give_their_events() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/record");
    let one_core = if exists("taskset") { Some("taskset -c 0 ") } else { None };
    let mut wrong = Vec::new();
    for source in programs(&directory) {
        for compiler in compilers() {
            let scratch = Scratch::new();
            build(&scratch, &source, compiler);
            for prefix in [Some(""), one_core].into_iter().flatten() {
                let listing = record(&scratch, prefix);
                wrong.extend(compare(&source, &format!("{prefix}{compiler}"), &listing).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
