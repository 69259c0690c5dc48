//! The names that ThreadSanitizer's own libraries export.

use crate::support::Scratch;
use std::collections::BTreeSet;

/// What is deliberately not there: parts of the library that are no interface.
fn is_inner(name: &str) -> bool {
    // The library's own demangler and reader of debugging information, methods of its classes, a variable of its own, and
    // a name that is a macro in every header.
    ["__asan_", "_ZN6__tsan", "__sancov_lowest_stack", "xdr_destroy"].iter().any(|prefix| name.starts_with(prefix))
}

fn defined(scratch: &Scratch, file: &str) -> BTreeSet<String> {
    let listing = scratch.run(&format!("nm -D --defined-only --format=posix {file}")).succeeds().out();
    listing.lines().filter_map(|line| line.split([' ', '@']).next()).map(str::to_owned).collect()
}

fn library(scratch: &Scratch, name: &str) -> String {
    scratch.run(&format!("gcc -print-file-name={name}")).succeeds().out().trim().to_owned()
}

/// A program that was linked with gcc's library finds everything that it found there: in ours, or in what comes with the
/// system.
#[test]
fn all_of_libtsan() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n")]);
    let theirs = library(&scratch, "libtsan.so");
    if !theirs.starts_with('/') {
        return eprintln!("not tried: gcc has no libtsan here");
    }
    scratch.run("gcc a.c -o plain").succeeds();
    scratch.run("foretrace record ./plain").succeeds();
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let newest =
        std::fs::read_dir(cache).expect("the runtime was unpacked").flatten().filter(|entry| entry.path().is_dir());
    let newest = newest.max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok()).expect("a runtime");
    let ours = newest.path().join("libtsan/libtsan.so.2");
    let mut known = defined(&scratch, &ours.display().to_string());
    for name in ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libcrypt.so.1", "ld-linux-x86-64.so.2"] {
        let file = library(&scratch, name);
        if file.starts_with('/') {
            known.extend(defined(&scratch, &file));
        }
    }
    let missing: Vec<_> =
        defined(&scratch, &theirs).into_iter().filter(|name| !known.contains(name) && !is_inner(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
