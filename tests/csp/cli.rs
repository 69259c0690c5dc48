//! `foretrace csp` as a program: exit codes, the readable and the machine-readable form, state spaces.

#[path = "../browser.rs"]
mod browser;
mod page;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(args: &[&str], script: &str) -> (Output, tempfile::TempDir) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, script).expect("the script can be written");
    let output = Command::new(Path::new(env!("CARGO_BIN_EXE_foretrace"))).arg("csp").args(args).arg(&file).output();
    (output.expect("foretrace can be run"), scratch)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const VENDING: &str = "channel coin, choc\nV = coin -> choc -> V\nB = coin -> (choc -> B |~| B)\n";

#[test]
fn exit_codes_tell_how_it_went() {
    let holds = run(&[], &format!("{VENDING}assert V [T= V\n")).0;
    assert_eq!(holds.status.code(), Some(0), "{}", said(&holds));
    let fails = run(&[], &format!("{VENDING}assert V [T= V\nassert V [T= B\n")).0;
    assert_eq!(fails.status.code(), Some(1), "{}", said(&fails));
    assert!(said(&fails).contains("after <coin>"), "{}", said(&fails));
    assert!(said(&fails).contains("then does coin, which the specification does not allow"));
    let wrong = run(&[], "P = \n").0;
    assert_eq!(wrong.status.code(), Some(2));
    let endless = "channel up : {0,1}\nP(n) = up.n%2 -> P(n+1)\nassert P(0) :[deadlock free]\n";
    let undecided = run(&["--max-states", "1000"], endless).0;
    assert_eq!(undecided.status.code(), Some(2));
    assert!(said(&undecided).contains("raise --max-states"), "{}", said(&undecided));
}

#[test]
fn json_has_stable_fields() {
    let output = run(&["--format", "json"], &format!("{VENDING}assert V [F= B\n")).0;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let one = &value["scripts"][0]["assertions"][0];
    assert_eq!(value["version"], 1);
    assert_eq!(one["result"], "fails");
    assert_eq!(one["counterexample"]["kind"], "trace");
    assert_eq!(one["counterexample"]["trace"][0], "coin");
    assert_eq!(one["counterexample"]["event"], "coin");
    assert!(one["statistics"]["states"].as_u64().is_some_and(|n| n > 0));
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    assert_eq!(keys(&value), ["scripts", "version"]);
    assert_eq!(keys(&value["scripts"][0]), ["assertions", "file", "prints"]);
    assert_eq!(keys(one), ["assertion", "counterexample", "file", "further", "line", "result", "statistics", "why"]);
    assert_eq!(keys(&one["statistics"]), ["bytes", "depth", "seconds", "states", "transitions"]);
    let fields =
        ["allowed", "components", "cycle", "demanded", "event", "kind", "offered", "steps", "summary", "trace"];
    assert_eq!(keys(&one["counterexample"]), fields);
    let wrong = run(&["--format", "json"], "P = Q\n").0;
    let value: serde_json::Value = serde_json::from_slice(&wrong.stdout).expect("it is JSON");
    assert_eq!(value["scripts"][0]["errors"][0]["line"], 1);
}

#[test]
fn state_spaces_can_be_printed_and_drawn() {
    let aut = run(&["--explore", "V", "--graph", "aut"], VENDING).0;
    assert_eq!(said(&aut), "des (0,2,2)\n(0,\"coin\",1)\n(1,\"choc\",0)\n");
    let dot = run(&["--explore", "V", "--graph", "dot"], VENDING).0;
    assert!(said(&dot).starts_with("digraph") && said(&dot).contains("0 -> 1 [label = \"coin\"];"));
    let text = run(&["--explore", "B \\ {coin}"], VENDING).0;
    assert!(said(&text).contains("-τ->"), "{}", said(&text));
}

/// Runs with a standard output that nobody reads: the exit code, and what was complained about.
fn unread(args: &[&str], script: &str) -> (Option<i32>, String) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, script).expect("the script can be written");
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_foretrace")));
    let output = command.args(args).arg(&file).stdout(writer).stderr(Stdio::piped()).output();
    let output = output.expect("foretrace can be run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_reader_that_has_left_is_no_error() {
    let quiet = |code| (Some(code), String::new());
    let fails = format!("{VENDING}print 1\nassert V [T= B\nassert V [T= V\n");
    // The first value printed ends it; without one, the first assertion does.
    assert_eq!(unread(&["csp"], &fails), quiet(0));
    assert_eq!(unread(&["csp"], &fails.replace("print 1\n", "")), quiet(1));
    assert_eq!(unread(&["csp", "--format", "json"], &fails), quiet(1));
    for graph in ["text", "dot", "aut"] {
        assert_eq!(unread(&["csp", "--explore", "V", "--graph", graph], VENDING), quiet(0));
    }
    assert_eq!(unread(&["trace", "info"], "main write x\n"), quiet(0));
    assert_eq!(unread(&["trace", "dump"], "main write x\n"), quiet(0));
}

/// Runs with a script on the standard input.
fn piped(args: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_foretrace")));
    let mut child = command
        .arg("csp")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("foretrace can be run");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_script_can_come_from_the_standard_input() {
    let output = piped(&["--brief", "-"], &format!("{VENDING}assert V [T= V\nassert V [T= B\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said(&output), "-:4:8: holds: V [T= V\n-:5:8: FAILS: V [T= B\n");
}

#[test]
fn assertions_are_chosen_by_number_or_text() {
    let script = format!("{VENDING}assert V [T= B\nassert B [T= V\nassert V :[deadlock free]\n");
    let chosen = |only: &str| said(&run(&["--brief", "--assert", only], &script).0).matches("model.csp").count();
    assert_eq!((chosen("2"), chosen("[T="), chosen("deadlock")), (1, 2, 1));
    assert_eq!(run(&["--assert", "9"], &script).0.status.code(), Some(2));
}

#[test]
fn expressions_are_evaluated_with_and_without_a_script() {
    let value = |output: &Output| said(output).trim().to_owned();
    assert_eq!(value(&run(&["--eval", "card({| coin, choc |})"], VENDING).0), "2");
    assert_eq!(value(&piped(&["--eval", "<x * x | x <- <1..3>>"], "")), "<1, 4, 9>");
    assert_eq!(piped(&["--eval", "1 + true"], "").status.code(), Some(2));
}

#[test]
fn lines_of_json_come_one_by_one_with_what_was_printed() {
    let output = run(&["--format", "jsonl"], &format!("{VENDING}print 1 + 1\nassert V [T= V\nassert V [T= B\n")).0;
    let lines: Vec<serde_json::Value> =
        said(&output).lines().map(|l| serde_json::from_str(l).expect("each line is JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        (&lines[0]["value"], &lines[1]["result"], &lines[2]["result"]),
        (&"2".into(), &"holds".into(), &"fails".into())
    );
    assert_eq!(lines[2]["counterexample"]["allowed"][1][0], "choc");
}

#[test]
fn several_counterexamples_of_one_length_are_shown() {
    // One of each state that breaks the claim.
    let script = "channel c, b : {0..4}\nSPEC = c?x -> STOP\nP = c?x -> b.x -> STOP\nassert SPEC [T= P\n";
    let count = |n: &str| said(&run(&["--counterexamples", n], script).0).matches("then does b.").count();
    assert_eq!((count("1"), count("3")), (1, 3));
}

#[test]
fn the_prompt_tells_values_types_answers_and_steps() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, VENDING).expect("the script can be written");
    let name = file.to_string_lossy().into_owned();
    let output = piped_repl(&name, "1 + 1\n:type \\ x @ x + 1\n:assert V [T= B\n:probe V\n1\n:nonsense\n:quit\n");
    let text = said(&output);
    for part in
        ["2\n", "(Int) -> Int\n", "FAILS: V [T= B", "1: coin -> 1", "1: choc -> 0", "there is no command :nonsense"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

fn piped_repl(name: &str, input: &str) -> Output {
    piped(&["--repl", name], input)
}

#[test]
fn a_limit_on_time_that_makes_no_sense_is_refused() {
    for wrong in ["-1", "nan", "soon", "inf", "1e30"] {
        let output = run(&[&format!("--timeout={wrong}")], VENDING).0;
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("not a duration: use a form such as"), "{wrong}");
    }
    for right in ["0.5", "500ms", "1m"] {
        let output = run(&[&format!("--timeout={right}")], &format!("{VENDING}assert V [T= V\n")).0;
        assert_eq!(output.status.code(), Some(0), "{right}");
    }
}

/// With little room for a stack it takes less.
#[test]
fn little_virtual_memory_is_enough() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, format!("{VENDING}assert V [T= V\n")).expect("the script can be written");
    for kilobytes in [2_000_000, 300_000] {
        let tool = env!("CARGO_BIN_EXE_foretrace");
        let command = format!("ulimit -v {kilobytes}; exec {tool} csp {}", file.display());
        let output = Command::new("sh").arg("-c").arg(command).output().expect("a shell can be run");
        assert_eq!(output.status.code(), Some(0), "{kilobytes}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Modules of which each has two instances of the one before.
fn modules(count: usize) -> String {
    let module = |i: usize| {
        let inside = format!("instance A = M{0}\ninstance B = M{0}", i.wrapping_sub(1));
        format!("module M{i}\nexports\n{}\nendmodule\n", if i == 0 { "x = 1" } else { &inside })
    };
    (0..count).map(module).collect::<String>() + "print 1\n"
}

/// Functions of which each gives a pair of what the next one gives: the type of the first has two to the power of
/// their number parts.
fn pairs(count: usize) -> String {
    let function = |i: usize| format!("f{i}(x) = (f{0}(x), f{0}(x))\n", i + 1);
    (0..count).map(function).collect::<String>() + &format!("f{count}(x) = (x, x)\nprint 1\n")
}

/// Nine counters side by side, with more states than anybody waits for.
const COUNTERS: &str = "channel a : {0..8}.{0..9}
P(i, n) = a.i.n -> P(i, (n + 1) % 10)
ALL = ||| i : {0..8} @ P(i, 0)
";

/// Scripts that are slow in one phase each: all end when their time is up, undecided.
#[test]
fn every_phase_ends_when_its_time_is_up() {
    let slow = [
        ("evaluation", "f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1)\nprint f(60)\n".to_owned()),
        ("sets", "channel c : {0..1}\nS(0) = {<>}\nS(n) = {<x>^s | x <- {0..9}, s <- S(n - 1)}\nprint card(S(7))\n".to_owned()),
        ("leaves", "channel c : {0..9}\nP(n) = c?x -> P(n * 10 + x)\nassert P(1) :[deadlock free]\n".to_owned()),
        (
            "search",
            "channel a : {0..39}.{0..1}\nP(i) = a.i.0 -> a.i.1 -> P(i)\nassert ||| i : {0..39} @ P(i) :[deadlock free]\n"
                .to_owned(),
        ),
        (
            "normalisation",
            "channel a, b\nP(n) = a -> P(n) [] b -> P(n) [] a -> Q(n)\nQ(0) = STOP\nQ(n) = a -> Q(n-1) [] b -> Q(n-1)\n\
             assert P(40) [T= P(40)\n"
                .to_owned(),
        ),
        (
            "compression",
            "transparent diamond\nchannel a : {0..11}.{0..1}\nP(i) = a.i.0 -> a.i.1 -> P(i)\n\
             assert not STOP [T= diamond((||| i : {0..25} @ P(i % 12)) \\ {| a |})\n"
                .to_owned(),
        ),
        ("reading", format!("X = {{{}0}}\nprint 1\n", "1, 2, 3, 4, 5, 6, 7, 8, 9,\n".repeat(2_000_000))),
        ("modules", modules(40)),
        ("types", pairs(40)),
        ("determinism", format!("{COUNTERS}assert ALL \\ {{| a.0.0 |}} :[deterministic]\n")),
        ("revivals", format!("{COUNTERS}assert ALL [V= ALL\n")),
        ("divergence", format!("{COUNTERS}assert ALL \\ {{| a.0.0, a.1 |}} :[divergence free]\n")),
        ("trace", format!("{COUNTERS}channel b\nassert (ALL \\ {{| a |}}) ||| b -> STOP :[has trace]: <b, b>\n")),
    ];
    for (phase, script) in slow {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let file = scratch.path().join("model.csp");
        std::fs::write(&file, script).expect("the script can be written");
        let mut command = Command::new("timeout");
        command.args(["30", env!("CARGO_BIN_EXE_foretrace"), "csp", "--timeout", "1"]).arg(&file);
        let output = command.output().expect("foretrace can be run");
        assert_eq!(output.status.code(), Some(2), "{phase}: {}", said(&output));
        let told = said(&output) + &String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("more than 1.0 s"), "{phase}: {told}");
    }
}

#[test]
fn a_process_that_only_grows_is_named() {
    let endless = "channel up : {0,1}\nCOUNT(n) = up.n%2 -> COUNT(n+1)\nassert COUNT(0) :[deadlock free]\n";
    let output = run(&["--max-states", "5000"], endless).0;
    assert!(said(&output).contains("COUNT seems to have no end of states"), "{}", said(&output));
}

#[test]
fn the_page_holds_results_and_graphs() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let page = scratch.path().join("page.html");
    let target = page.to_string_lossy().into_owned();
    run(&["--html", &target], &format!("{VENDING}assert V [T= B\n"));
    let text = std::fs::read_to_string(&page).expect("the page was written");
    assert!(text.contains(r#""assertion":"V [T= B""#) && text.contains(r#""process":"V""#), "{text}");
}

/// Ctrl-C ends the assertion at hand; what was decided before, and that the rest is undecided, is in the document.
#[test]
fn an_interrupt_loses_no_result() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    let script = format!("{COUNTERS}assert STOP [T= STOP\nassert ALL :[deadlock free]\nassert ALL [F= ALL\n");
    std::fs::write(&file, script).expect("the script can be written");
    let (page, results) = (scratch.path().join("page.html"), scratch.path().join("results"));
    let mut command = Command::new("timeout");
    command.args(["--foreground", "--signal=INT", "2", env!("CARGO_BIN_EXE_foretrace"), "csp", "--format", "json"]);
    command.arg("--html").arg(&page).arg(&file).stdout(std::fs::File::create(&results).expect("a file"));
    command.status().expect("foretrace can be run");
    let results = std::fs::read_to_string(&results).expect("the results were written");
    let results: serde_json::Value = serde_json::from_str(&results).expect("a document");
    let told: Vec<&str> = (0..3)
        .map(|i| &results["scripts"][0]["assertions"][i])
        .map(|a| a["why"].as_str().or(a["result"].as_str()).unwrap_or_default())
        .collect();
    assert_eq!(told, ["holds", "interrupted", "interrupted"]);
    assert!(page.exists());
}

/// The largest that a process has been, in megabytes, and what it answered.
fn with_peak(args: &[&str], script: &str) -> (u64, String) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, script).expect("the script can be written");
    let python = "import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, timeout=300)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.stdout.write(done.stdout.decode())";
    let mut command = Command::new("python3");
    command.args(["-c", python, env!("CARGO_BIN_EXE_foretrace"), "csp", "--jobs", "2"]).args(args);
    command.arg("model.csp").current_dir(&scratch);
    let told = said(&command.output().expect("python can be run"));
    let (peak, rest) = told.split_once('\n').unwrap_or_default();
    (peak.parse().unwrap_or_else(|_| panic!("{told}")), rest.to_owned())
}

/// Six counters: three million states.
const MILLIONS: &str = "channel a : {0..5}.{0..11}
P(i, n) = a.i.n -> P(i, (n + 1) % 12)
ALL = ||| i : {0..5} @ P(i, 0)
";

#[test]
fn memory_has_a_bound_in_every_phase() {
    let scripts = [
        format!("{COUNTERS}assert RUN({{| a |}}) [T= ALL\n"),
        format!("{COUNTERS}assert ALL [F= ALL\n"),
        format!("transparent sbisim, normal\n{COUNTERS}assert RUN({{| a |}}) [T= sbisim(ALL)\n"),
        "channel c : {0..9}\nP(s) = c?x -> P(s^<x>)\nassert P(<>) :[deadlock free]\n".to_owned(),
        "S(0) = {<>}\nS(n) = {<x>^s | x <- {0..9}, s <- S(n - 1)}\nprint card(S(7))\n".to_owned(),
    ];
    for script in scripts {
        let (peak, told) = with_peak(&["--max-memory", "100M"], &script);
        assert!(peak < 100 * 11 / 10 + 20, "{peak} MB: {told}");
    }
}

#[test]
fn states_that_do_not_fit_are_stored_in_files() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let directory = scratch.path().to_string_lossy().into_owned();
    let script = format!("{MILLIONS}assert RUN({{| a |}}) [T= ALL\nassert RUN({{| a.0 |}}) [T= ALL \\ {{| a.1 |}}\n");
    let free = with_peak(&["--brief"], &script).1;
    let (peak, spilt) = with_peak(&["--brief", "--max-memory", "40M", "--spill", &directory], &script);
    assert_eq!(free, spilt);
    assert!(with_peak(&["--brief", "--max-memory", "40M"], &script).1.contains("undecided"));
    assert!(free.contains("holds") && free.contains("FAILS"), "{free}");
    assert!(peak < 40 * 11 / 10 + 20, "{peak} MB");
    let none = std::fs::read_dir(scratch.path()).expect("a directory").count();
    assert_eq!(none, 0, "the files have no names");
}
