//! What a report says of programs of the corpus is true of their sources.

use crate::support::Scratch;
use std::path::Path;

/// The report on a program of the corpus, as people read it.
fn report(program: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/fail").join(program);
    let scratch = Scratch::with(&[]);
    // Which access of `count++` is reported depends on the compiler's hooks.
    let check = "FORETRACE_CC=clang-19 FORETRACE_CXX=clang++-19 foretrace check";
    let ran = scratch.shell(&format!("{check} {}", path.canonicalize().expect("it is there").display()));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(!ran.err().contains("values were not followed"), "{}", ran.err());
    ran.err()
}

fn says(program: &str, all: &[&str]) {
    let report = report(program);
    for what in all {
        assert!(report.contains(what), "{program}: no `{what}` in\n{report}");
    }
}

fn does_not_say(program: &str, all: &[&str]) {
    let report = report(program);
    for what in all {
        assert!(!report.contains(what), "{program}: `{what}` in\n{report}");
    }
}

/// Where texts stand in a report, in this order.
fn says_in_order(program: &str, all: &[&str]) {
    let report = report(program);
    let mut rest = report.split_once("how it happens").unwrap_or_else(|| panic!("{report}")).1;
    for what in all {
        rest = rest.split_once(what).unwrap_or_else(|| panic!("{program}: no `{what}` at its place in\n{report}")).1;
    }
}

#[test]
fn a_block_from_before_the_first_thread_is_told_with_its_size_and_place() {
    let all = [
        "use after free in a heap block of 4 bytes",
        "delete_while_used.cc:4",
        "t1 writes `job.state` (4 bytes)",
        "t2 frees the block",
    ];
    says("cxx/delete_while_used.cc", &all);
    let all = ["in a heap block of 32 bytes", "byte 12 of", "realloc_while_used.c:20 in main"];
    says("memory/realloc_while_used.c", &all);
}

#[test]
fn a_block_is_still_one_after_its_end() {
    says(
        "memory/used_after_free.c",
        &["use after free in a heap block of", "used_after_free.c:14 in main", "t1 frees the block"],
    );
}

#[test]
fn the_call_of_new_is_told_and_not_the_library_that_allocates() {
    says(
        "cxx/static_then_changed.cc",
        &["data race in a heap block of 4 bytes", "static_then_changed.cc:4 in counter()"],
    );
}

#[test]
fn only_a_stack_is_called_a_stack() {
    says("memory/use_after_return.c", &["data race on `local`, a local variable of main"]);
    says(
        "memory/unmap_while_used.c",
        &["data race in mapped memory of 4096 bytes", "byte 100 of", "unmaps the memory"],
    );
    does_not_say("memory/thread_local_shared.c", &["stack"]);
    says("memory/thread_local_shared.c", &["data race on `mine` of t1", "writes `mine` :9"]);
}

#[test]
fn uses_of_freed_memory_have_their_names() {
    let error = "error: use after free in a heap block of 96 bytes, at `task.cond";
    says("memory/condition_freed.c", &[error, "frees the block"]);
}

#[test]
fn each_access_has_its_own_size() {
    says("memory/bytes_and_word.c", &["t1 writes `u+5` (1 byte)\n", "t2 writes 8 bytes, `u+5` among them"]);
    says("memory/memcpy.c", &["t1 writes 32 bytes, `copy[7]` among them", "t2 writes `copy[7]` (1 byte)\n"]);
}

#[test]
fn parts_of_variables_have_their_names() {
    says("deadlock/hawknl.c", &["waits for `sockets[1]`", "unlocks `sockets[0]` :20"]);
    says("memory/array_halves.c", &["data race on `array[10]`"]);
    says("memory/unaligned.c", &["data race on `p.value+3`"]);
    says("memory/bytes_and_word.c", &["data race on `u+5`"]);
}

#[test]
fn both_accesses_tell_their_locks() {
    says(
        "locks/different_locks.c",
        &["t1 writes `count` (4 bytes), holding `m`", "t2 writes `count` (4 bytes), holding `n`"],
    );
    says("rwlock/write_under_read.c", &["(4 bytes), holding `rw` for reading"]);
    says("cxx/timed_mutex.cc", &["holding `m`", "holding `n`", "locks `m` :9", "locks `n` :9"]);
}

/// The schedule may end before the lock is taken.
#[test]
fn every_lock_that_is_held_has_its_step() {
    says_in_order("../../../examples/cache.c", &["locks `cache.lock` :22", "writes `cache."]);
}

/// What a thread does after an access is not told before it. Which of it was done before the failure is not the same in every
/// run.
#[test]
fn an_access_stands_where_its_thread_made_it() {
    let never_before = |program: &str, access: &str, later: &str| {
        let report = report(program);
        let steps = report.split_once("how it happens").unwrap_or_else(|| panic!("{report}")).1;
        let before = steps.split_once(access).unwrap_or_else(|| panic!("{report}")).0;
        assert!(!before.contains(later), "{program}: {later} before {access}\n{report}");
    };
    never_before("atomics/fence_on_one_side.c", "writes `data` :6", "passes a fence :7");
    never_before("atomics/relaxed_flag.c", "writes `data` :7", "stores `ready`");
    never_before("atomics/refcount_relaxed.c", "reads `data` :7", "changes `references`");
}

#[test]
fn a_lock_is_not_got_only_while_another_thread_has_it() {
    says_in_order("locks/timedlock_ignored.c", &["locks `m` :5", "cannot lock `m` in time :12", "writes `count"]);
}

#[test]
fn whoever_gave_or_lost_a_signal_has_a_column() {
    says_in_order("condition/no_predicate.c", &["signals `c` :14", "locks `m` :6", "waits for a signal of `c` :7"]);
    says_in_order("semaphore/two_posters.c", &["posts `s` :12", "takes `s` :16"]);
}

#[test]
fn what_a_library_does_with_variables_of_its_own_is_left_out() {
    does_not_say("cxx/async.cc", &["changes a", "changes `", "initialises "]);
}

#[test]
fn threads_are_told_with_the_call_that_creates_them() {
    says("cxx/async.cc", &["t1 was created by main at", "async.cc:6 in main"]);
    says("threads/grandchild_not_joined.c", &["t2 was created by t1 at"]);
}
