//! What the sides of branches may do: text before and after the pass.

use foretrace_llvm::{SummariseBranches, run};

const HEAD: &str = "@x = dso_local global i32 0, align 4
@y = dso_local global i32 0, align 4
@m = dso_local global i64 0, align 8
@a = dso_local global [10 x i32] zeroinitializer, align 16
";

fn rewritten(functions: &str) -> String {
    let text = format!(
        "{HEAD}{functions}\ndefine internal void @tsan.module_ctor() {{\n  call void @__tsan_init()\n  ret void\n}}\n"
    );
    run(&text, &[&SummariseBranches]).expect("nothing is refused").expect("it changes something")
}

/// The words of the entries of the table.
fn entries(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with("@foretrace.branch."));
    let words = |line: &str| {
        let (_, list) = line.split_once("] [").expect("a list");
        let (list, _) = list.rsplit_once("], section").expect("a section");
        list.split(", i64 ").map(|word| word.trim_start_matches("i64 ").to_owned()).collect()
    };
    let mut entries: Vec<(usize, Vec<String>)> = lines
        .map(|line| {
            let number = line["@foretrace.branch.".len()..].split(' ').next().and_then(|number| number.parse().ok());
            (number.expect("a number"), words(line))
        })
        .collect();
    entries.sort();
    entries.into_iter().map(|(_, words)| words).collect()
}

const GUARDED: &str = "define void @f(i32 %0) {
  %2 = icmp eq i32 %0, 0
  br i1 %2, label %3, label %5

3:                                                ; preds = %1
  %4 = call i32 @pthread_mutex_lock(ptr @m)
  call void @__tsan_write4(ptr @y)
  store i32 1, ptr @y, align 4
  %x = call i32 @pthread_mutex_unlock(ptr @m)
  br label %5

5:                                                ; preds = %3, %1
  ret void
}
";

/// Figure 3: a side that locks, writes and unlocks; seen from the other side.
#[test]
fn a_side_with_a_critical_section() {
    let text = rewritten(GUARDED);
    let entries = entries(&text);
    assert_eq!(entries.len(), 2, "{text}");
    // Of the side that does nothing: the other takes m, writes y, and gives m back.
    let skipped = entries.iter().find(|words| words[4] == "1").expect("one has an access");
    let (m, y) = ("ptrtoint (ptr @m to i64)", "ptrtoint (ptr @y to i64)");
    assert_eq!(skipped[2..], ["0", "1", "1", "1", m, "0", y, "256", "4", "1", "0", "1", "1", "0"]);
    let nothing = entries.iter().find(|words| words[4] == "0").expect("one has none");
    assert_eq!(nothing[2..], ["0", "0", "0", "1", "0", "0", "0"]);
    assert!(
        text.contains("  %foretrace.1 = select i1 %2, ptr @foretrace.branch.0, ptr @foretrace.branch.1\n"),
        "{text}"
    );
    assert!(
        text.contains("  call void @__foretrace_branch(ptr %foretrace.1, ptr null, ptr null, ptr null)\n  br i1 %2")
    );
    assert_eq!(text.matches("call void @__foretrace_join(i64").count(), 1);
    assert!(text.contains("call void @__foretrace_branches(ptr @foretrace.branches, i64 2)"));
}

fn with_body(body: &str) -> String {
    format!(
        "define void @f(i32 %0, ptr %p) {{\n  %2 = icmp eq i32 %0, 0\n  br i1 %2, label %3, label %5\n\n3:\n{body}  br label %5\n\n5:\n  ret void\n}}\n"
    )
}

/// Is some side of the only branch unknown?
fn is_unknown(functions: &str) -> bool {
    entries(&rewritten(functions)).iter().any(|words| words[2] == "1")
}

#[test]
fn what_is_not_known_is_unknown() {
    let known = with_body("  call void @__tsan_write4(ptr @y)\n");
    assert!(!is_unknown(&known));
    let loaded = "  %q = load ptr, ptr %p, align 8\n  call void @__tsan_write4(ptr %q)\n";
    assert!(is_unknown(&with_body(loaded)), "a pointer from memory");
    assert!(is_unknown(&with_body("  call void @elsewhere()\n")), "another module");
    assert!(is_unknown(&with_body("  call void %p()\n")), "a function pointer");
    let recursive = "define void @r() {\n  call void @__tsan_write4(ptr @y)\n  call void @r()\n  ret void\n}\n";
    assert!(is_unknown(&format!("{recursive}{}", with_body("  call void @r()\n"))), "recursion");
    assert!(!is_unknown(&with_body("  %q = call i32 (ptr, ...) @printf(ptr @.str)\n")), "a literal");
    assert!(is_unknown(&with_body("  %q = call i32 (ptr, ...) @printf(ptr %p)\n")), "a string of anyone");
    assert!(is_unknown(&with_body("  %q = call i32 @pthread_create(ptr null, ptr null, ptr @f, ptr null)\n")));
}

#[test]
fn an_index_reaches_the_whole_array() {
    let body = "  %i = getelementptr inbounds [10 x i32], ptr @a, i64 0, i64 %n\n  call void @__tsan_write4(ptr %i)\n";
    let entries = entries(&rewritten(&with_body(body)));
    let whole = "ptrtoint (ptr getelementptr ([10 x i32]";
    assert!(entries.iter().flatten().any(|word| word.starts_with(whole)), "{entries:?}");
}

/// Calls are summarised with the arguments of the caller, and an unknown lock that is given back may be any.
#[test]
fn calls_of_the_module_are_summarised() {
    let add = "define internal void @add(ptr %s) {
  %l = getelementptr inbounds i64, ptr %s, i64 1
  %1 = call i32 @pthread_mutex_lock(ptr %l)
  call void @__tsan_write8(ptr %s)
  %2 = call i32 @pthread_mutex_unlock(ptr %l)
  ret void
}
";
    let entries = entries(&rewritten(&format!("{add}{}", with_body("  call void @add(ptr @x)\n"))));
    let lock = "ptrtoint (ptr getelementptr (i64, ptr @x, i64 1) to i64)";
    assert!(
        entries.iter().flatten().any(|word| word.replace(", i64", ",i64") == lock.replace(", i64", ",i64"))
            || entries.iter().any(|words| words.join(", i64 ").contains("getelementptr (i64, ptr @x")),
        "{entries:?}"
    );
    let unlock = with_body("  %q = load ptr, ptr %p, align 8\n  %u = call i32 @pthread_mutex_unlock(ptr %q)\n");
    let any = (1_u64 << 62).to_string();
    assert!(entries_of(&unlock).iter().flatten().any(|word| *word == any));
}

fn entries_of(functions: &str) -> Vec<Vec<String>> {
    entries(&rewritten(functions))
}

/// Loops are sides as well: from the exit, another round.
#[test]
fn a_loop_may_go_on() {
    let body = "define void @f(i32 %0) {
  br label %2

2:                                                ; preds = %4, %1
  %3 = icmp eq i32 %0, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %2
  call void @__tsan_write4(ptr @y)
  br label %2

5:                                                ; preds = %2
  ret void
}
";
    let entries = entries_of(body);
    assert_eq!(entries.iter().filter(|words| words[4] == "1").count(), 1, "{entries:?}");
}

/// Accesses say whether their address may be another.
#[test]
fn accesses_have_hints() {
    let text = rewritten(
        "define void @f(ptr %p, i64 %n) {
  call void @__tsan_write4(ptr @y)
  %i = getelementptr inbounds [10 x i32], ptr @a, i64 0, i64 %n
  call void @__tsan_write4(ptr %i)
  %q = load ptr, ptr %p, align 8
  call void @__tsan_write4(ptr %q)
  %1 = call i32 @pthread_mutex_lock(ptr @m)
  call void @elsewhere()
  ret void
}
",
    );
    let hints: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("@__foretrace_hint(i64 ")).map(|(_, hint)| &hint[..1]).collect();
    assert_eq!(hints, ["1", "2", "0", "3", "0", "5", "0", "i"][..hints.len()], "{text}");
    assert!(hints.len() >= 7);
}
