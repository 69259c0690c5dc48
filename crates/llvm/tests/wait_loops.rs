//! Which waits are marked, on modules in the form of clang's output.

use foretrace_llvm::{MarkWaitLoops, Pass, Unmet, run, unmarked_waits};

const PASSES: [&dyn Pass; 1] = [&MarkWaitLoops];

/// A function with these blocks.
fn function(blocks: &str) -> String {
    format!(
        "@c = global i64 0\n@m = global i64 0\n@other = global i64 0\n@ready = global i32 0\n\ndefine void @f(i1 %0, ptr %1) {{\n{blocks}}}\n\
         declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\ndeclare i32 @pthread_cond_wait(ptr, ptr)\n"
    )
}

/// Why the only wait is not marked; none if it is.
#[track_caller]
fn unmet(blocks: &str) -> Option<Unmet> {
    let module = function(blocks);
    let rewritten = run(&module, &PASSES).expect("a pass for speed refuses nothing");
    let marks =
        rewritten.as_deref().unwrap_or("").matches("call void @__foretrace_wait_in_loop()\n  %w = call").count();
    let unmarked = unmarked_waits(&module);
    assert_eq!(marks + unmarked.len(), 1, "{rewritten:?}");
    unmarked.first().map(|wait| wait.why)
}

const WAIT: &str = "  %w = call i32 @pthread_cond_wait(ptr noundef @c, ptr noundef @m)\n";
const LOCK: &str = "  %l = call i32 @pthread_mutex_lock(ptr noundef @m)\n";
const UNLOCK: &str = "  %u = call i32 @pthread_mutex_unlock(ptr noundef @m)\n";

/// `while`, with these at the beginning, in the body and at the end.
fn while_loop(before: &str, body: &str, after: &str) -> String {
    format!(
        "{before}  br label %head\n\nhead:\n  %r = load i32, ptr @ready, align 4\n  %is = icmp eq i32 %r, 0\n  br i1 %is, label %body, \
         label %out\n\nbody:\n{body}  br label %head\n\nout:\n{after}  ret void\n"
    )
}

#[test]
fn a_loop_between_lock_and_unlock() {
    assert_eq!(unmet(&while_loop(LOCK, WAIT, UNLOCK)), None);
}

#[test]
fn an_optimised_loop_checks_before_it_and_in_it() {
    let rotated = format!(
        "{LOCK}  %r = load i32, ptr @ready, align 4\n  %is = icmp eq i32 %r, 0\n  br i1 %is, label %body, label %out\n\nbody:\n{WAIT}  \
         %s = load i32, ptr @ready, align 4\n  %js = icmp eq i32 %s, 0\n  br i1 %js, label %body, label %out\n\nout:\n{UNLOCK}  ret void\n"
    );
    assert_eq!(unmet(&rotated), None);
}

#[test]
fn a_thread_that_never_returns_checks_again_in_each_round() {
    let forever = while_loop(LOCK, WAIT, UNLOCK).replace("  ret void\n", "  br label %again\n");
    assert_eq!(unmet(&format!("  br label %again\n\nagain:\n{forever}")), None);
}

#[test]
fn each_condition_can_be_missing() {
    let alone = format!("{LOCK}{WAIT}{UNLOCK}  ret void\n");
    assert_eq!(unmet(&alone), Some(Unmet::NoLoop));
    assert_eq!(unmet(&while_loop("", WAIT, UNLOCK)), Some(Unmet::NoLock));
    let other = LOCK.replace("@m", "@other");
    assert_eq!(unmet(&while_loop(&other, WAIT, UNLOCK)), Some(Unmet::NoLock));
    assert_eq!(unmet(&while_loop(LOCK, WAIT, "")), Some(Unmet::NoUnlock));
    let inside = format!("{LOCK}{WAIT}{UNLOCK}");
    assert_eq!(unmet(&while_loop("", &inside, "")), Some(Unmet::NoLock));
    let first_waits = format!(
        "{LOCK}  br label %body\n\nbody:\n{WAIT}  %s = load i32, ptr @ready, align 4\n  %js = icmp eq i32 %s, 0\n  br i1 %js, label \
         %body, label %out\n\nout:\n{UNLOCK}  ret void\n"
    );
    assert_eq!(unmet(&first_waits), Some(Unmet::NoCheck));
}

#[test]
fn locks_are_the_same_if_their_addresses_are_computed_in_the_same_way() {
    let member = |name: &str, at: u32| {
        format!(
            "  %a{name} = load ptr, ptr %1, align 8\n  %b{name} = getelementptr inbounds %struct.Q, ptr %a{name}, i32 0, i32 {at}\n"
        )
    };
    let shape = |waited: u32| {
        let lock = format!("{}{}", member("1", 1), LOCK.replace("@m", "%b1"));
        let wait = format!("{}{}", member("2", waited), WAIT.replace("@m", "%b2"));
        let unlock = format!("{}{}", member("3", waited), UNLOCK.replace("@m", "%b3"));
        while_loop(&lock, &wait, &unlock)
    };
    assert_eq!(unmet(&shape(1)), None);
    assert_eq!(unmet(&shape(2)), Some(Unmet::NoLock));
}

#[test]
fn the_predicate_forms_of_the_standard_library_are_loops() {
    let wait = WAIT
        .replace("pthread_cond_wait", "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE")
        .replace("i32", "void");
    let module = function(&while_loop("", &wait.replace("%w = ", ""), ""));
    let named = module.replace("@f(", "@_ZNSt18condition_variable4waitIZ4mainEUlvE_EEvRSt11unique_lockISt5mutexET_(");
    assert!(unmarked_waits(&named).is_empty());
    assert_eq!(unmarked_waits(&module).first().map(|wait| wait.why), Some(Unmet::NoLock));
}
