//! `foretrace explore --prune`: the programs of the paper's Table 1, with and without pruning.

use crate::support::Scratch;

/// Explores a program of `tests/explore/pruning`; its exit code, and how many orders were run.
fn explored(scratch: &Scratch, name: &str, flags: &[&str], prune: bool) -> (i32, u64, String) {
    let source = scratch.source(&format!("pruning/{name}.c"));
    let cflags = flags.join(" ");
    let prune = if prune { "--prune=races" } else { "--prune=nothing" };
    let (code, text) = scratch.explore_source(&[source.to_str().expect("a path"), prune, "--cflags", &cflags]);
    let orders = text.lines().find_map(|line| {
        let (before, _) =
            line.split_once(" orders explored").or_else(|| line.split_once(" orders of this input explored"))?;
        before.rsplit([' ', ';']).next()?.replace(',', "").parse().ok()
    });
    let one = text.contains("1 order explored") || text.contains("one order that matters");
    (code, orders.or(one.then_some(1)).unwrap_or_else(|| panic!("{name}: {text}")), text)
}

/// The same verdict with fewer orders.
fn compare(name: &str, flags: &[&str], verdict: i32) -> (u64, u64) {
    let scratch = Scratch::new();
    let (code, all, text) = explored(&scratch, name, flags, false);
    assert_eq!(code, verdict, "{name} {flags:?}: {text}");
    let (code, pruned, text) = explored(&scratch, name, flags, true);
    assert_eq!(code, verdict, "{name} {flags:?} pruned: {text}");
    assert!(text.contains("pruned: "), "{text}");
    assert!(pruned <= all, "{name}: {pruned} of {all}");
    (all, pruned)
}

/// The rows of the paper's Table 1: a program and its macros, the exit code, and how many orders are run without and with
/// pruning. The rows of docs/explore.md are these, with the counts that the reports say.
const TABLE: [(&str, &[&str], i32, u64, u64); 13] = [
    ("fdrd", &["-DROUNDS=2"], 1, 35, 7),
    ("fdrd", &["-DROUNDS=3"], 1, 126, 9),
    ("fdrd", &["-DROUNDS=4"], 1, 462, 11),
    ("fdrd", &["-DROUNDS=4", "-DFIXED"], 0, 462, 1),
    ("qsort", &[], 0, 6, 1),
    ("pfscan", &["-DFILES=1"], 0, 10, 1),
    ("pfscan", &[], 0, 452, 1),
    ("pfscan", &["-DBUG"], 1, 70, 70),
    ("aget", &["-DTHREADS=2"], 0, 20, 1),
    ("aget", &["-DTHREADS=3"], 0, 1_680, 1),
    ("bzip2smp", &["-DTHREADS=2"], 0, 24, 1),
    ("bzip2smp", &["-DTHREADS=3"], 0, 540, 1),
    ("bzip2smp", &["-DTHREADS=4"], 0, 16_128, 1),
];

#[test]
fn table_1() {
    for (name, macros, verdict, all, pruned) in TABLE {
        let flags = [&["-O1"], macros].concat();
        assert_eq!(compare(name, &flags, verdict), (all, pruned), "{name} {macros:?}");
    }
}

/// With other text of the compiler the numbers may be others, the verdicts not.
#[test]
fn the_verdicts_are_the_same_at_every_level() {
    for level in ["-O0", "-O2"] {
        let (all, pruned) = compare("fdrd", &["-DROUNDS=2", level], 1);
        assert!(pruned < all, "{pruned} of {all}");
        let (all, pruned) = compare("fdrd", &["-DROUNDS=2", "-DFIXED", level], 0);
        assert!(2 * pruned <= all, "{pruned} of {all}");
        assert_eq!(compare("qsort", &[level], 0).1, 1, "qsort {level}");
        assert_eq!(compare("aget", &["-DTHREADS=2", level], 0).1, 1, "aget {level}");
        let (all, pruned) = compare("bzip2smp", &["-DTHREADS=2", level], 0);
        assert!(pruned < all, "bzip2smp {level}: {pruned} of {all}");
        compare("pfscan", &["-DFILES=1", level], 0);
        compare("pfscan", &["-DFILES=1", "-DBUG", level], 1);
    }
}

/// gcc makes no table: nothing is pruned, and that is said.
#[test]
fn without_a_table_pruning_is_off() {
    let scratch = Scratch::new();
    let program = scratch.build("pruning/fdrd.c", &[]);
    let explored = scratch.explore(&program, &[], &["--prune"]);
    assert_eq!(explored.code, 1, "{}", explored.text);
    assert!(explored.text.contains("pruning is off: "), "{}", explored.text);
}
