//! Every function that a compiler may call is there, and the program's own definitions come first.

use crate::support::{Scratch, compilers};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;

/// The names of the ThreadSanitizer ABI, as far as gcc and clang know it.
fn abi() -> Vec<String> {
    let mut names: Vec<String> = "init func_entry func_exit ignore_thread_begin ignore_thread_end vptr_read vptr_update \
        read_range write_range read_range_pc write_range_pc memcpy memset memmove atomic_thread_fence atomic_signal_fence"
        .split_whitespace()
        .map(|name| format!("__tsan_{name}"))
        .collect();
    for size in [1, 2, 4, 8, 16] {
        for kind in ["read", "write"] {
            for form in ["", "unaligned_", "volatile_", "unaligned_volatile_"] {
                names.push(format!("__tsan_{form}{kind}{size}"));
            }
            names.push(format!("__tsan_{kind}{size}_pc"));
        }
        names.push(format!("__tsan_read_write{size}"));
        names.push(format!("__tsan_unaligned_read_write{size}"));
    }
    let operations = "load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand \
        compare_exchange_strong compare_exchange_weak compare_exchange_val";
    for bits in [8, 16, 32, 64, 128] {
        names.extend(operations.split_whitespace().map(|name| format!("__tsan_atomic{bits}_{name}")));
    }
    names
}

#[test]
fn every_function_of_the_abi_is_defined() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n")]);
    scratch.run("foretrace-cc a.c -o a").succeeds();
    let bytes = std::fs::read(scratch.path("a")).expect("the program can be read");
    let file = object::File::parse(&*bytes).expect("it is an executable");
    let symbols = file.symbols().filter(|symbol| symbol.is_definition());
    let defined: BTreeSet<_> = symbols.filter_map(|symbol| symbol.name().ok()).collect();
    let names = abi();
    assert_eq!(names.len(), 136);
    let missing: Vec<_> = names.iter().filter(|name| !defined.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

const OWN: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stddef.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t size) { void *at = pool + used; used += (size + 15) & ~15ul; return at; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *at, size_t size) { (void)at; return malloc(size); }
void free(void *at) { (void)at; }
int RunningOnValgrind(void) { return 7; }
static void *work(void *arg) { return malloc(1) ? arg : 0; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, pool);
    pthread_join(thread, 0);
    printf("%d %d\n", RunningOnValgrind(), used != 0);
    return 0;
}
"#;

#[test]
fn a_program_may_define_what_the_runtime_defines() {
    for compiler in compilers() {
        let scratch = Scratch::with(&[("own.c", OWN)]);
        scratch.run(&format!("foretrace-cc --compiler={compiler} -O2 -pthread own.c -o own")).succeeds();
        scratch.records("./own", "7 1\n");
    }
}
