//! Waits in loops: which of them lose signals, by prediction, in builds with clang.

use crate::{out, root};
use std::path::Path;
use std::process::{Command, Output};

fn foretrace(words: &[&str], directory: &Path) -> Output {
    within("60", words, directory)
}

fn within(seconds: &str, words: &[&str], directory: &Path) -> Output {
    let mut command = Command::new("timeout");
    command.args([seconds, env!("CARGO_BIN_EXE_foretrace")]).args(words).current_dir(directory);
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().expect("the tool runs")
}

/// The name of a clang that is installed.
fn clang(name: &str) -> String {
    let runs = |name: &String| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let names = [name.to_owned(), format!("{name}-19")];
    names.into_iter().find(runs).expect("clang is installed")
}

/// Records until the recorded run waits, and returns its text. Some of these programs lose their signal, and never end.
fn waiting(scratch: &Path) -> String {
    for _ in 0..30 {
        let recorded = within("5", &["record", "-o", "run.ft", "./program"], scratch);
        assert!(recorded.status.success() || recorded.status.code() == Some(124), "{}", out(&recorded));
        let text = foretrace(&["trace", "convert", "run.ft", "--to", "text"], scratch);
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        if recorded.status.success() && text.lines().any(|line| line.contains(" wait ")) {
            return text;
        }
        std::fs::remove_dir_all(scratch.join("run.ft")).or_else(|_| std::fs::remove_file(scratch.join("run.ft"))).ok();
    }
    panic!("the program never waits");
}

#[test]
fn signals_are_lost_only_where_the_wait_does_not_check() {
    let directory = root().join("tests/properties/waits");
    let mut programs = 0;
    for file in std::fs::read_dir(&directory).expect("the programs are there") {
        let path = file.expect("a file").path();
        let source = std::fs::read_to_string(&path).expect("a program");
        let is_lost = source.contains("// lost: predicted");
        assert!(is_lost || source.contains("// lost: no"), "{}", path.display());
        let is_cxx = path.extension().is_some_and(|ending| ending == "cpp");
        let (driver, compiler) = if is_cxx { ("c++", clang("clang++")) } else { ("cc", clang("clang")) };
        let (compiler, program) = (format!("--compiler={compiler}"), path.display().to_string());
        for level in ["-O1", "-O2"] {
            let scratch = tempfile::tempdir().expect("a scratch directory");
            let words = [driver, &compiler, level, "-g", "-pthread", &program, "-o", "program"];
            let built = foretrace(&words, scratch.path());
            assert!(built.status.success(), "{}", out(&built));
            let text = waiting(scratch.path());
            let predicted = foretrace(&["predict", "run.ft"], scratch.path());
            let found = out(&predicted).contains("came before the wait");
            assert_eq!(found, is_lost, "{program} {level}: {}\n{text}", out(&predicted));
        }
        programs += 1;
    }
    assert_eq!(programs, 7);
}
