//! What people see of a trace: listings, sizes, the STD form, names from a program's own symbols.

use std::io::Cursor;
use std::path::Path;
use std::sync::atomic::AtomicU32;

use foretrace_trace::convert::{Form, print, record};
use foretrace_trace::{Info, Module, Recording, Symbols, Trace, dump, text};

fn source() -> Trace {
    text::parse(include_str!("../../../tests/traces/form/every_operation.trace")).expect("a good trace")
}

fn recorded() -> Recording {
    let bytes = record(&source(), Cursor::new(Vec::new())).expect("memory takes all writes").into_inner();
    Recording::from_vec(Path::new("events"), bytes, None).expect("a whole recording")
}

/// Compares with a file under `tests/traces/form`.
#[track_caller]
fn golden(name: &str, found: Vec<u8>) {
    let found = String::from_utf8(found).expect("text is text");
    expect_test::expect_file![format!("../../../tests/traces/form/{name}")].assert_eq(&found);
}

#[test]
fn a_trace_is_listed_event_by_event() {
    let mut out = Vec::new();
    dump::trace(&source(), &Symbols::none(), &mut out).expect("memory takes all writes");
    golden("every_operation.dump", out);
}

#[test]
fn a_recording_is_listed_record_by_record() {
    let mut out = Vec::new();
    dump::recording(&recorded(), &Symbols::none(), &mut out).expect("memory takes all writes");
    golden("every_operation.raw", out);
}

#[test]
fn sizes_are_told() {
    golden("every_operation.info", Info::new(&recorded()).expect("good records").to_string().into_bytes());
}

#[test]
fn the_std_form_says_what_it_could_not_spell() {
    let mut out = Vec::new();
    let notes = print(&source(), Form::Std, &mut out).expect("memory takes all writes");
    notes.iter().for_each(|note| out.extend(format!("# {note}\n").into_bytes()));
    golden("every_operation.std", out);
}

#[used]
static FORETRACE_LISTING_TEST: AtomicU32 = AtomicU32::new(7);

/// This test's own program, as a recording would map it.
fn own_module() -> Module {
    let path = std::env::current_exe().expect("a program has a path");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux tells what is mapped");
    let mine: Vec<&str> = maps.lines().filter(|line| line.ends_with(&*path.to_string_lossy())).collect();
    let bound = |line: &str, end| {
        let range = line.split_once(' ').expect("a range").0.split_once('-').expect("two bounds");
        u64::from_str_radix(if end { range.1 } else { range.0 }, 16).expect("a number")
    };
    let start = bound(mine.first().expect("it is mapped"), false);
    let end = bound(mine.last().expect("it is mapped"), true) + (1 << 20);
    Module { start, end, bias: start, build_id: String::new(), path }
}

#[test]
fn addresses_have_the_names_of_the_program() {
    let symbols = Symbols::of_modules(vec![own_module()], None);
    let variable = symbols.variable(&raw const FORETRACE_LISTING_TEST as u64 + 2);
    assert!(variable.is_some_and(|(name, offset)| name.contains("FORETRACE_LISTING_TEST") && offset == 2));
    let place = symbols.location(own_module as *const () as u64 + 1);
    assert!(place.to_string().contains("listing.rs:"), "{place}");
    assert!(place.function.is_some_and(|name| name.contains("own_module")));
}

#[test]
fn what_has_no_symbols_is_an_offset() {
    let module =
        |path: &str| Module { start: 0x1000, end: 0x3000, bias: 0x800, build_id: "ab".into(), path: path.into() };
    let missing = Symbols::of_modules(vec![module("/nowhere/libgone.so.1")], None);
    assert_eq!(missing.location(0x1234).to_string(), "libgone.so.1+0xa34");
    assert_eq!(missing.location(0x9999).to_string(), "0x9999");
    let changed = Symbols::of_modules(vec![module(&std::env::current_exe().expect("a path").to_string_lossy())], None);
    assert!(changed.location(0x1234).to_string().ends_with("+0xa34"));
}
