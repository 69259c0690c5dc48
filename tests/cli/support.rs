//! A scratch directory, and commands run in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const FORETRACE: &str = env!("CARGO_BIN_EXE_foretrace");
pub const FORETRACE_CC: &str = env!("CARGO_BIN_EXE_foretrace-cc");
pub const FORETRACE_CXX: &str = env!("CARGO_BIN_EXE_foretrace-cxx");

/// Two threads add to a counter under a lock.
pub const COUNTER: &str = r#"
#include <pthread.h>
#include <stdio.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg) {
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
"#;

/// A directory that is gone when the test ends.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory can be made"))
    }

    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let scratch = Self::new();
        for (name, text) in files {
            std::fs::write(scratch.path(name), text).expect("a file can be written");
        }
        scratch
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command in it. The runtime is unpacked once for all tests.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.0.path());
        for name in ["FORETRACE_CC", "FORETRACE_CXX", "FORETRACE_RUNTIME", "CC", "CXX", "CFLAGS", "LDFLAGS"] {
            command.env_remove(name);
        }
        command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    /// Runs a command line, words split at spaces; `foretrace` and its compilers are the ones under test.
    pub fn run(&self, line: &str) -> Ran {
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        let program = match words.next().expect("a command") {
            "foretrace" => FORETRACE,
            "foretrace-cc" => FORETRACE_CC,
            "foretrace-c++" => FORETRACE_CXX,
            other => other,
        };
        let resolved = if program.starts_with("./") { self.path(program) } else { program.into() };
        let output = self.command(resolved).args(words).output();
        Ran { line: line.to_owned(), output: output.unwrap_or_else(|error| panic!("{line}: {error}")) }
    }

    /// Runs a line of the shell; `foretrace` in it is the one under test.
    pub fn shell(&self, line: &str) -> Ran {
        let script = format!("foretrace() {{ {FORETRACE:?} \"$@\"; }}\n{line}");
        let output = self.command("sh").arg("-c").arg(script).output();
        Ran { line: line.to_owned(), output: output.unwrap_or_else(|error| panic!("{line}: {error}")) }
    }

    /// Runs command lines that must all succeed; the last one's.
    pub fn all(&self, lines: &[&str]) -> Ran {
        let mut runs = lines.iter().map(|line| self.run(line).succeeds()).collect::<Vec<_>>();
        runs.pop().expect("a command")
    }

    /// Records a program, which must print this, and find its events written.
    pub fn records(&self, command: &str, expected: &str) {
        let ran = self.run(&format!("foretrace record -o out.ft -- {command}")).succeeds();
        assert_eq!((ran.out(), ran.err()), (expected.to_owned(), String::new()), "{command}");
        assert!(self.path("out.ft/events").exists(), "{command} left no events");
    }
}

/// A command that has run.
pub struct Ran {
    line: String,
    output: Output,
}

impl Ran {
    /// It must have.
    pub fn succeeds(self) -> Self {
        assert!(self.output.status.success(), "{}: {}\n{}", self.line, self.output.status, self.err());
        self
    }

    /// It must have failed, with this in its one line of complaint.
    pub fn refuses(&self, words: &str) {
        let complaint = self.err();
        assert_eq!(self.code(), Some(2), "{}: {complaint}", self.line);
        assert!(complaint.starts_with("foretrace: ") && complaint.contains(words), "{}: {complaint}", self.line);
        assert_eq!(complaint.lines().count(), 1, "{}: {complaint}", self.line);
    }

    pub fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// The C compilers there are.
pub fn compilers() -> Vec<&'static str> {
    let both = ["gcc", "clang-19"];
    both.iter().for_each(|compiler| needs(compiler));
    both.to_vec()
}

/// Fails if there is no program of this name: a test that returns early would pass without testing anything.
pub fn needs(program: &str) {
    assert!(exists(program), "this test runs {program}, which is missing; `cargo xtask test` installs it");
}

/// Says that a part of a test was left out, where the test harness does not hide it.
pub fn skipped(what: &str) {
    writeln!(std::io::stderr(), "skipped: {what}").expect("standard error can be written");
}

/// Is there a program of this name?
pub fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
