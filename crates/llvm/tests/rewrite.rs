//! What is rewritten, and what must not be. `tests/semantics` shows with programs that the result reports the same
//! accesses.

use foretrace_llvm::{FASTER, run};

fn rewrite(module: &str) -> Option<String> {
    run(module, &FASTER).expect("passes for speed refuse nothing")
}

/// A function with one loop over `%3` from 0 to the second argument; `body` is the code of a round.
fn counted(body: &str) -> String {
    format!(
        "define void @f(ptr %0, i64 %1) {{
  br label %entry

entry:
  br label %loop

loop:
  %3 = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add nuw nsw i64 %3, 1
  %end = icmp eq i64 %next, %1
  br i1 %end, label %out, label %loop

out:
  ret void
}}
"
    )
}

fn calls(module: &str, name: &str) -> usize {
    module.matches(&format!("call void @{name}(")).count()
}

#[test]
fn an_address_that_stays_is_told_once_before_the_loop() {
    let module = counted("  call void @__tsan_write8(ptr %0), !dbg !7");
    let rewritten = rewrite(&module).expect("there is something to gain");
    let (hook, head) = (rewritten.find("__tsan_write8(ptr %0), !dbg !7"), rewritten.find("\nloop:"));
    assert!(hook.is_some() && hook < head, "{rewritten}");
}

#[test]
fn debug_records_are_not_part_of_what_they_follow() {
    let body = "  %at = getelementptr i32, ptr %0, i64 %3\n    #dbg_value(ptr %at, !4, !DIExpression(), !5)\n  \
                call void @__tsan_read4(ptr %at)\n    #dbg_value(i64 %3, !6, !DIExpression(), !5)";
    let rewritten = rewrite(&counted(body)).expect("there is something to gain");
    assert_eq!(calls(&rewritten, "__foretrace_loop"), 1, "{rewritten}");
}

#[test]
fn an_address_that_takes_steps_is_a_series() {
    let body = "  %at = getelementptr inbounds [4 x i32], ptr %0, i64 %3, i64 2\n  call void @__tsan_read4(ptr %at)";
    let rewritten = rewrite(&counted(body)).expect("there is something to gain");
    assert_eq!((calls(&rewritten, "__tsan_read4"), calls(&rewritten, "__foretrace_loop")), (0, 1));
    // Flags of the loop's arithmetic need not hold for the copies.
    assert!(!rewritten.contains("foretrace.1.0 = getelementptr inbounds"), "{rewritten}");
    assert_eq!(rewritten.matches("declare void @__foretrace_loop").count(), 1);
}

#[test]
fn what_may_end_a_segment_keeps_accesses_where_they_are() {
    for barrier in [
        "call void @g()",
        "%8 = call i32 @__tsan_atomic32_load(ptr %0, i32 5)",
        "fence seq_cst",
        "call void asm sideeffect \"\", \"~{memory}\"()",
    ] {
        let module =
            counted(&format!("  call void @__tsan_write8(ptr %0)\n  {barrier}\n  call void @__tsan_write8(ptr %0)"));
        assert_eq!(rewrite(&module), None, "{barrier}");
    }
}

#[test]
fn a_loop_that_may_be_left_early_is_not_counted() {
    let module = "define void @f(ptr %0, i64 %1) {
  br label %loop

loop:
  %3 = phi i64 [ 0, %2 ], [ %next, %rest ]
  call void @__tsan_read8(ptr %0)
  %early = icmp eq i64 %3, 7
  br i1 %early, label %out, label %rest

rest:
  %next = add nuw nsw i64 %3, 1
  %end = icmp eq i64 %next, %1
  br i1 %end, label %out, label %loop

out:
  ret void
}
";
    assert_eq!(rewrite(module), None);
}

#[test]
fn an_address_that_is_loaded_stays() {
    let body = "  %at = load ptr, ptr %0\n  call void @__tsan_read4(ptr %at)";
    assert_eq!(rewrite(&counted(body)), None);
}

/// Straight code with two accesses.
fn pair(first: &str, second: &str) -> String {
    format!(
        "define void @f(ptr %0) {{\n  %2 = getelementptr i8, ptr %0, i64 4\n  {first}\n  {second}\n  ret void\n}}\n"
    )
}

#[test]
fn neighbours_are_merged_if_they_stand_on_one_line() {
    let hook = |value: &str, place: &str| format!("call void @__tsan_read4(ptr {value}), !dbg !{place}");
    let merged = rewrite(&pair(&hook("%2", "5"), &hook("%0", "5"))).expect("there is something to gain");
    assert_eq!((calls(&merged, "__tsan_read4"), calls(&merged, "__tsan_unaligned_read8")), (0, 1));
    assert_eq!(rewrite(&pair(&hook("%2", "5"), &hook("%0", "6"))), None);
    let write = "call void @__tsan_write4(ptr %2), !dbg !5";
    assert_eq!(rewrite(&pair(write, &hook("%0", "5"))), None);
}

#[test]
fn the_edge_from_an_entry_without_a_name_gets_a_block() {
    let module = "define void @f(ptr %0, i64 %1) {
  %3 = icmp sgt i64 %1, 0
  br i1 %3, label %4, label %8

4:                                                ; preds = %2, %4
  %5 = phi i64 [ %6, %4 ], [ 0, %2 ]
  call void @__tsan_write8(ptr %0)
  %6 = add nuw nsw i64 %5, 1
  %7 = icmp eq i64 %6, %1
  br i1 %7, label %8, label %4

8:                                                ; preds = %4, %2
  ret void
}
";
    let rewritten = rewrite(module).expect("there is something to gain");
    assert!(rewritten.contains("br i1 %3, label %foretrace.1, label %8"), "{rewritten}");
    assert!(rewritten.contains("[ 0, %foretrace.1 ]"), "{rewritten}");
}

#[test]
fn what_is_not_understood_is_left() {
    for module in [
        "",
        "define",
        "define void @f() {\n",
        "define void @f() {\nx\n}\n",
        "define void @f() {\n  call void @__tsan_read8(\n}\n",
    ] {
        assert_eq!(rewrite(module), None, "{module}");
    }
}
