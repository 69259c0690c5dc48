//! The pass for events of the user's own: text before and after.

use foretrace_instrumentation::Instrumentation;
use foretrace_llvm::{EmitEvents, run};

fn rewrite(specification: &str, module: &str) -> Result<Option<String>, String> {
    let orders = Instrumentation::parse(specification).unwrap().orders;
    run(module, &[&EmitEvents { orders }]).map_err(|failure| failure.to_string())
}

/// The text after the pass, with the spaces of each line as one.
fn after(specification: &str, module: &str) -> String {
    rewrite(specification, module).unwrap().expect("something is inserted")
}

/// These texts come in this order.
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is missing or too early in\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn floating_point_numbers_keep_their_bits() {
    let module = "define double @half(double %0, float %1, i32 %2, ptr %3) {
  ret double %0
}
";
    let text = after("half(#0 as double, #1 as double, #2 as double, *#3 as double) before body half\n", module);
    in_order(
        &text,
        &[
            "= bitcast double %0 to i64",
            "= fpext float %1 to double",
            "= sitofp i32 %2 to double",
            "= call i64 @__foretrace_load(ptr %3, i32 8, i32 0)",
            "to double",
            "= bitcast double",
            "@__foretrace_emit",
        ],
    );
}

const CALLS: &str = "define void @user(ptr %0) !dbg !4 {
  %2 = call ptr @open_file(ptr %0, i32 7), !dbg !5
  %3 = invoke i32 @use(ptr %2)
          to label %4 unwind label %5, !dbg !5

4:                                                ; preds = %1
  ret void, !dbg !5

5:                                                ; preds = %1
  %6 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %6
}

declare ptr @open_file(ptr, i32)
declare i32 @use(ptr)

!1 = !DIFile(filename: \"a.c\", directory: \"/\")
!4 = distinct !DISubprogram(name: \"user\", scope: !1, file: !1, line: 3, unit: !0)
!5 = !DILocation(line: 5, scope: !4)
";

#[test]
fn calls_before_and_after() {
    let text = after("open(#return, #1, kind) after call open_file\nopens before call open_file\n", CALLS);
    in_order(
        &text,
        &[
            "%foretrace.values = alloca [8 x i64]",
            "call void @__foretrace_emit(ptr @foretrace.constant.0, i32 0",
            "= call ptr @open_file",
            "= ptrtoint ptr %2 to i64, !dbg !5",
            "= sext i32 7 to i64",
            "= ptrtoint ptr @foretrace.constant.2 to i64",
            "call void @__foretrace_emit(ptr @foretrace.constant.1, i32 3, ptr %foretrace.values, i32 4, i32 1), !dbg !5",
            "= invoke i32 @use",
            "section \"ft_events\"",
            "declare void @__foretrace_emit(ptr, i32, ptr, i32, i32)",
        ],
    );
}

#[test]
fn an_invoke_emits_on_the_way_to_where_it_goes_on() {
    let text = after("used(#return) after call use when #return > 3\n", CALLS);
    in_order(
        &text,
        &[
            "to label %foretrace.",
            " unwind label %5",
            "\n5:",
            "\nforetrace.",
            "icmp sgt i64",
            "call void @__foretrace_emit",
            "br label %4",
        ],
    );
}

#[test]
fn bodies_begin_and_end() {
    let text = after("enter(#0) before body user\nexit after body user\n", CALLS);
    in_order(
        &text,
        &[
            "alloca",
            "ptrtoint ptr %0 to i64",
            "@__foretrace_emit",
            "@open_file",
            "\n4:",
            "@__foretrace_emit",
            "ret void",
            "\n5:",
            "resume",
        ],
    );
    assert_eq!(text.matches("call void @__foretrace_emit").count(), 2);
}

#[test]
fn what_does_not_match_stays() {
    for specification in
        ["a before call fopen", "a before body use", "a before read-global user", "a before line a.c:6"]
    {
        assert_eq!(rewrite(specification, CALLS).unwrap(), None, "{specification}");
    }
}

#[test]
fn lines_are_entered_and_left() {
    let text = after("before before line a.c:5\nafter after line a.c:5\n", CALLS);
    in_order(&text, &["@__foretrace_emit", "@open_file", "invoke", "\n4:", "@__foretrace_emit", "ret void"]);
    assert_eq!(text.matches("call void @__foretrace_emit").count(), 2);
}

#[test]
fn what_cannot_be_captured_is_refused_with_its_place() {
    let message = refused("used(#3) after call use\n");
    assert_eq!(
        message,
        "the pass `events` cannot instrument `user` (a.c:3): #3 does not exist: the last argument is #0 (line 1 of the \
         specification: `after call use`)"
    );
    assert!(
        refused("used(#0->fd) before call use\n").contains("the type of the structure is not known; compile with -g")
    );
    let message = refused("\n\nused(#0.fd) before call use\n");
    assert!(message.contains("use `->fd` behind a pointer (line 3 of the specification"), "{message}");
}

fn refused(specification: &str) -> String {
    rewrite(specification, CALLS).unwrap_err()
}

const GLOBALS: &str = "%struct.S = type { i8, i32, %struct.T }
%struct.T = type { i64, i16 }
@gs = global %struct.S zeroinitializer, !dbg !1
@x = global i32 0

define i32 @f(i64 %0) {
  store i16 3, ptr getelementptr inbounds (%struct.T, ptr getelementptr inbounds (%struct.S, ptr @gs, i32 0, i32 2), i32 0, i32 1), align 8
  %2 = getelementptr inbounds %struct.S, ptr @gs, i32 0, i32 1
  %3 = load i32, ptr %2, align 4
  %4 = atomicrmw add ptr @x, i32 1 seq_cst, align 4
  store atomic i32 4, ptr @x seq_cst, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 @gs, ptr align 8 %2, i64 24, i1 false)
  ret i32 %3
}

!1 = !DIGlobalVariableExpression(var: !2, expr: !DIExpression())
!2 = distinct !DIGlobalVariable(name: \"gs\", scope: !0, file: !0, line: 3, type: !14)
!8 = !DIBasicType(name: \"char\", size: 8, encoding: DW_ATE_signed_char)
!14 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", size: 192, elements: !15)
!15 = !{!16, !17, !19}
!16 = !DIDerivedType(tag: DW_TAG_member, name: \"c\", scope: !14, baseType: !8, size: 8)
!17 = !DIDerivedType(tag: DW_TAG_member, name: \"fd\", scope: !14, baseType: !18, size: 32, offset: 32)
!18 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
!19 = !DIDerivedType(tag: DW_TAG_member, name: \"in\", scope: !14, baseType: !20, size: 128, offset: 64)
!20 = distinct !DICompositeType(tag: DW_TAG_structure_type, scope: !14, size: 128, elements: !21)
!21 = !{!22, !24}
!22 = !DIDerivedType(tag: DW_TAG_member, name: \"a\", scope: !20, baseType: !23, size: 64)
!23 = !DIBasicType(name: \"long\", size: 64, encoding: DW_ATE_signed)
!24 = !DIDerivedType(tag: DW_TAG_member, name: \"b\", scope: !20, baseType: !25, size: 16, offset: 64)
!25 = !DIBasicType(name: \"short\", size: 16, encoding: DW_ATE_signed)
";

/// How many events are emitted.
fn count(specification: &str, module: &str) -> usize {
    rewrite(specification, module).unwrap().map_or(0, |text| text.matches("call void @__foretrace_emit").count())
}

#[test]
fn accesses_of_variables_and_their_members() {
    for (specification, expected) in [
        ("a before write-global gs", 2),
        ("a before read-global gs", 2),
        ("a before write-global gs.in.b", 2),
        ("a before write-global gs.fd", 1),
        ("a(#address, #size) after read-global gs.fd", 2),
        ("a before read-global gs.c", 0),
        ("a before write-global x", 2),
        ("a before read-global x", 1),
        ("a before write-global g*", 2),
        ("a before write-global y", 0),
    ] {
        assert_eq!(count(specification, GLOBALS), expected, "{specification}");
    }
    let text = after("a(#value) after read-global gs.fd\n", &GLOBALS.replace("call void @llvm", "; call void @llvm"));
    in_order(&text, &["%3 = load i32", "sext i32 %3 to i64", "@__foretrace_emit"]);
    assert!(rewrite("a(#value) before write-global gs.c\n", GLOBALS).unwrap_err().contains("copied or updated"));
}

#[test]
fn a_function_that_emits_is_not_pure() {
    let module = "define i32 @pure(i32 %0) #0 {
  ret i32 %0
}
define i32 @g() #1 {
  %1 = call i32 @pure(i32 3) #2
  ret i32 %1
}
attributes #0 = { nounwind willreturn memory(none) uwtable }
attributes #1 = { nounwind memory(read) }
attributes #2 = { nounwind memory(none) }
";
    let text = after("a(#0) before body pure\n", module);
    assert!(text.contains("attributes #0 = { nounwind willreturn uwtable }"), "{text}");
    assert!(
        text.contains("attributes #2 = { nounwind }") && text.contains("attributes #1 = { nounwind memory(read) }"),
        "{text}"
    );
}
