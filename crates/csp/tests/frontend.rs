//! Small scripts that must be accepted, and small scripts that must be refused with the message beside them.
//!
//! `BLESS=1 cargo test` writes the messages anew.

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
        let golden = path.with_extension("err");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&golden, &said).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(said, expected, "{}", path.display());
    }
    assert!(files.len() >= 150, "{} files", files.len());
}
