//! Large specifications cost in proportion to their size: a sum of ten times the terms allocates at most fifteen times the
//! bytes. A test of its own, because the count is the whole process's.
use foretrace_stream::{Options, compile};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The bytes that compiling a sum allocates, all in all: more than it ever holds at once.
fn bytes(terms: usize) -> usize {
    let sum = vec!["x"; terms].join(" + ");
    let text = format!("in x: Events[Int]\nout {sum} as total");
    let region = Region::new(COUNTED);
    compile("sum", &text, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    region.change().bytes_allocated
}

#[test]
fn a_sum_of_many_terms_is_compiled_in_proportion() {
    let (few, many) = (bytes(800), bytes(8_000));
    assert!(many < few * 15, "{few} bytes for 800 terms, {many} for 8,000");
    assert!(many < 500 << 20, "{many} bytes for 8,000 terms");
}
