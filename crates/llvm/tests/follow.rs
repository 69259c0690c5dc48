//! The pass that follows values: what it inserts, and what it leaves alone.

use foretrace_llvm::{FollowValues, run};

fn optimised(text: &str) -> String {
    run(text, &[&FollowValues]).unwrap().unwrap()
}

/// A module that is not optimised has one version of each function.
fn followed(text: &str) -> String {
    optimised(&format!("{text}attributes #0 = {{ noinline optnone uwtable }}\n"))
}

const HEAD: &str = "declare void @__assert_fail(ptr, ptr, i32, ptr)\n";

#[test]
fn what_is_read_has_an_expression_and_a_branch_to_a_failure_is_a_check() {
    let text = followed(&format!(
        "{HEAD}define void @f(ptr %p) {{
  call void @__tsan_read4(ptr %p)
  %1 = load i32, ptr %p, align 4
  %2 = add nsw i32 %1, 3
  %3 = icmp sgt i32 %2, 7
  br i1 %3, label %bad, label %good

bad:                                              ; preds = %0
  call void @__assert_fail(ptr null, ptr null, i32 1, ptr null)
  unreachable

good:                                             ; preds = %0
  ret void
}}
"
    ));
    for line in [
        "  %foretrace.s.p = call i32 @__foretrace_symbolic_parameter(i32 0)",
        "  %foretrace.s.1 = call i32 @__foretrace_symbolic_load(i64 %foretrace.v.3, i64 4)",
        // Addition has the number 2, and 32 bits are 32 << 8.
        "  %foretrace.s.2 = call i32 @__foretrace_symbolic_binary(i32 8194, i32 %foretrace.s.1, i64 %foretrace.v.4, i32 0, i64 %foretrace.v.5)",
        // The assertion is the sixth reason; its condition is that the branch is not taken.
        "  call void @__foretrace_symbolic_fact(i32 6, i32 ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn what_depends_on_no_read_costs_nothing() {
    let text = followed(
        "define i32 @f() {
  br label %1

1:                                                ; preds = %1, %0
  %2 = phi i32 [ 0, %0 ], [ %3, %1 ]
  %3 = add i32 %2, 1
  %4 = icmp eq i32 %3, 10
  br i1 %4, label %5, label %1

5:                                                ; preds = %1
  ret i32 %3
}
",
    );
    // That the function is instrumented is said once.
    assert_eq!(text.lines().filter(|line| line.contains("call ")).count(), 1, "{text}");
}

#[test]
fn phis_stay_at_the_beginning_of_their_block() {
    let text = followed(
        "define i32 @f(i32 %a, i1 %c) {
  br i1 %c, label %1, label %2

1:                                                ; preds = %0
  br label %2

2:                                                ; preds = %1, %0
  %3 = phi i32 [ %a, %1 ], [ 5, %0 ]
  %4 = phi i1 [ true, %1 ], [ %c, %0 ]
  %5 = select i1 %4, i32 %3, i32 %a
  ret i32 %5
}
",
    );
    let phis = "  %3 = phi i32 [ %a, %1 ], [ 5, %0 ]
  %foretrace.s.3 = phi i32 [ %foretrace.s.a, %1 ], [ 0, %0 ]
  %4 = phi i1 [ true, %1 ], [ %c, %0 ]
  %foretrace.s.4 = phi i32 [ 0, %1 ], [ %foretrace.s.c, %0 ]
";
    assert!(text.contains(phis), "{text}");
    assert!(text.contains("%foretrace.s.5 = call i32 @__foretrace_symbolic_select(i32 32, "), "{text}");
}

#[test]
fn what_is_not_followed_becomes_a_fact() {
    let text = followed(
        "define double @f(ptr %p) {
  %1 = load i32, ptr %p, align 4
  %2 = sitofp i32 %1 to double
  ret double %2
}
",
    );
    // The reason of an instruction has the number 3.
    assert!(text.contains("call void @__foretrace_symbolic_fact(i32 3, i32 %foretrace.s.1, "), "{text}");
}

#[test]
fn debug_records_use_no_values() {
    let text = followed(
        "define i32 @f(i32 %a) {
    #dbg_value(i32 %1, !1, !DIExpression(), !2)
  %1 = add i32 %a, 1
  ret i32 %1
}
",
    );
    assert!(!text.contains("call void @__foretrace_symbolic_fact"), "{text}");
}

#[test]
fn a_run_that_is_not_followed_goes_on_as_it_was() {
    let text = optimised(
        "define i32 @f(ptr %0) !dbg !3 {
  %2 = load i32, ptr %0, align 4
  br label %3

3:                                                ; preds = %3, %1
  %4 = phi i32 [ %2, %1 ], [ %5, %3 ]
  %5 = add i32 %4, 1
  %6 = icmp eq i32 %5, 9
  br i1 %6, label %7, label %3

7:                                                ; preds = %3
  ret i32 %5
}
",
    );
    for line in [
        "  br i1 %foretrace.is, label %foretrace.f.1, label %1\n\n1:\n  %2 = load i32, ptr %0, align 4\n  br label %3\n",
        "\nforetrace.f.1:\n",
        "  %foretrace.f.4 = phi i32 [ %foretrace.f.2, %foretrace.f.1 ], [ %foretrace.f.5, %foretrace.f.3 ]\n",
        "  %foretrace.f.foretrace.s.2 = call i32 @__foretrace_symbolic_load(",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
