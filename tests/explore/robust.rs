//! Programs that do what programs do: they crash, exit in a thread, fork, take signals, throw exceptions and have many threads.

use crate::support::{self, Scratch};

/// Explores a program of `robust`, for a second or two; the exit code and the report.
fn explore(name: &str) -> (i32, String) {
    let scratch = Scratch::new();
    let compiler = if name.ends_with(".cc") { "g++" } else { "gcc" };
    let program = scratch.build_with(compiler, &format!("robust/{name}"), &["-O1"]);
    let explored = scratch.explore(&program, &[], &["--budget", "5s"]);
    (explored.code, explored.text)
}

#[test]
fn a_thread_may_end_the_process() {
    let (code, text) = explore("exit_in_thread.c");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no failure"), "{text}");
}

#[test]
fn a_crash_is_a_finding() {
    let (code, text) = explore("null.c");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("uses address 0x0"), "{text}");
}

#[test]
fn children_are_not_explored_and_that_is_said() {
    let (code, text) = explore("fork.c");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the program forks"), "{text}");
}

#[test]
fn exceptions_locals_and_statics_work() {
    let (code, text) = explore("exceptions.cc");
    assert_eq!(code, 0, "{text}");
}

/// Threads have storage of their own, and leave nested calls, one of which holds a lock.
#[test]
fn threads_may_jump_out_of_calls() {
    let (code, text) = explore("jumps.c");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no failure"), "{text}");
}

#[test]
fn output_to_files_is_noticed() {
    let (code, text) = explore("output.c");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the program writes files"), "{text}");
}

/// Its signals come when they come, so only the time limit or the last order ends the search.
#[test]
fn timers_do_no_harm() {
    let (code, text) = explore("timer.c");
    assert!(code == 0 || code == 2, "{text}");
    assert!(!text.contains("error:") && !text.contains("took too long"), "{text}");
}

#[test]
fn threads_talk_over_sockets() {
    let (code, text) = explore("sockets.c");
    assert!(code == 0 || text.contains("and there are more"), "{text}");
    assert!(!text.contains("error:") && !text.contains("took too long"), "{text}");
}

/// The program's own children, and ours, are gone with it.
#[test]
fn no_process_is_left() {
    let scratch = Scratch::new();
    for source in ["robust/fork.c", "robust/null.c", "robust/many.c", "robust/endless.c"] {
        let program = scratch.build(source, &["-O1"]);
        scratch.explore(&program, &[], &["--budget", "2s", "--timeout", "1s"]);
        let left = support::processes_of(&program);
        assert!(left.is_empty(), "{source}: {left:?} are left");
    }
}

#[test]
fn two_hundred_threads_run() {
    let (code, text) = explore("many.c");
    assert!(code == 0 || text.contains("and there are more"), "{text}");
    assert!(!text.contains("error:"), "{text}");
}

#[test]
fn a_loop_without_end_is_ended() {
    let scratch = Scratch::new();
    let program = scratch.build("robust/endless.c", &["-O1"]);
    let explored = scratch.explore(&program, &[], &["--budget", "5s", "--timeout", "1s"]);
    assert_eq!(explored.code, 2, "{}", explored.text);
    assert!(explored.text.contains("took too long"), "{}", explored.text);
}

#[test]
fn spinners_that_nobody_can_help_are_a_failure() {
    let (code, text) = explore("livelock.c");
    assert_eq!(code, 1, "{text}");
}

#[test]
fn a_program_with_one_thread_is_not_explored_in_silence() {
    let (code, text) = explore("alone.c");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("created no thread"), "{text}");
}

#[test]
fn signals_and_input_are_left_to_the_program() {
    let (code, text) = explore("signals.c");
    assert_eq!(code, 0, "{text}");
}

/// A loop that ends by itself is not stuck, and that it could end earlier is said.
#[test]
fn a_loop_with_a_bound_is_no_failure() {
    let (code, text) = explore("bounded_loop.c");
    assert_eq!(code, 2, "{text}");
    assert!(!text.contains("error:"), "{text}");
    assert!(text.contains("ended by itself"), "{text}");
}
