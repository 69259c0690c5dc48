//! Small scripts that must be accepted, and small scripts that must be refused with the message beside them.
//!
//! `cargo xtask bless` writes the messages anew.

mod common;

use common::files;
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};
use std::path::Path;

/// What is said about a script: its errors, or those of its prints and assertions.
fn complaints(path: &Path) -> String {
    let text = foretrace_csp::source::read(path).expect("it can be read");
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let script = match Script::load(&name, &text, Vec::new()) {
        Ok(script) => script,
        Err(error) => return error.render(),
    };
    let budget = Budget { max_states: 10_000, ..Budget::default() };
    let mut out = String::new();
    for (_, value) in script.prints(&budget) {
        if let Err(d) = value {
            out += &d.render(&script.sources);
        }
    }
    for assertion in script.assertions() {
        match script.check(&assertion, &budget, &|_| {}).verdict {
            Verdict::Error(d) => out += &d.render(&script.sources),
            Verdict::Unknown(why) => out += &format!("gave up: {why}\n"),
            Verdict::Fails(_) => out += &format!("fails: {}\n", script.sources.text(assertion.span)),
            Verdict::Holds => {}
        }
    }
    out
}

#[test]
fn accepted() {
    let files = files("accept");
    for path in &files {
        let said = with_stack(|| complaints(path));
        assert!(said.is_empty(), "{} should be accepted:\n{said}", path.display());
    }
    assert!(files.len() >= 150, "{} files", files.len());
}

#[test]
fn refused() {
    let files = files("reject");
    for path in &files {
        let said = with_stack(|| complaints(path));
        assert!(!said.is_empty(), "{} should be refused", path.display());
        expect_test::expect_file![path.with_extension("err")].assert_eq(&said);
    }
    assert!(files.len() >= 150, "{} files", files.len());
}

#[test]
fn a_file_that_includes_itself_is_told_with_the_way_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/csp/include");
    let name = folder.join("here.csp").to_string_lossy().into_owned();
    let text = foretrace_csp::source::read(Path::new(&name)).expect("it can be read");
    let error = Script::load(&name, &text, Vec::new()).map(|_| ()).expect_err("it includes itself");
    let [only] = &error.diagnostics[..] else { panic!("{error}") };
    assert_eq!(only.message, format!("{name} includes itself"));
    let hint = only.hint.as_deref().expect("the way back");
    let names: Vec<&str> = hint.split(" includes ").map(|n| n.rsplit('/').next().unwrap_or(n)).collect();
    assert_eq!(names, ["here.csp", "there.csp", "here.csp"]);
}

/// Long chains are read; nesting without end is refused, never a stack overflow.
#[test]
fn nesting_is_bounded() {
    let load = |text: String| Script::load("deep.csp", &text, Vec::new()).map(|_| ()).map_err(|e| e.render());
    with_stack(|| {
        let chain = |n: usize| format!("channel a\nP = {}STOP\n", "a -> ".repeat(n));
        assert_eq!(load(chain(10_000)), Ok(()));
        assert!(load(chain(100_000)).is_err_and(|e| e.contains("nested too deeply")));
        let sequence = |n: usize| format!("P = SKIP{}\n", " ; SKIP".repeat(n));
        assert_eq!(load(sequence(10_000)), Ok(()));
        assert!(load(sequence(100_000)).is_err_and(|e| e.contains("nested too deeply")));
        let choice = |n: usize| format!("P = STOP{}\n", " [] STOP".repeat(n));
        assert_eq!(load(choice(20_000)), Ok(()));
        assert!(load(choice(200_000)).is_err_and(|e| e.contains("operators")));
        let brackets = |n: usize| format!("x = {}1{}\n", "(".repeat(n), ")".repeat(n));
        assert_eq!(load(brackets(1_000)), Ok(()));
        assert!(load(brackets(100_000)).is_err_and(|e| e.contains("nested too deeply")));
        let types = |n: usize| format!("f :: {}Int{}\nf = 1\n", "(".repeat(n), ")".repeat(n));
        assert_eq!(load(types(1_000)), Ok(()));
        assert!(load(types(100_000)).is_err_and(|e| e.contains("nested too deeply")));
        let modules = |n: usize| format!("{}x = 1\n{}", "module M\n".repeat(n), "endmodule\n".repeat(n));
        assert_eq!(load(modules(100)), Ok(()));
        assert!(load(modules(100_000)).is_err_and(|e| e.contains("this module is nested too deeply")));
        let timed = |n: usize| format!("{}x = 1\n{}", "Timed {\n".repeat(n), "}\n".repeat(n));
        assert!(load(timed(100_000)).is_err_and(|e| e.contains("this section is nested too deeply")));
    });
}
