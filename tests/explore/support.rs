//! A scratch directory, programs that are built in it, and what exploring them says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const FORETRACE: &str = env!("CARGO_BIN_EXE_foretrace");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/explore")
}

/// The programs with a bug: name and text.
pub fn bugs() -> Vec<(String, String)> {
    let files = fs::read_dir(root().join("bugs")).expect("the bugs are there");
    let mut bugs: Vec<_> = files
        .map(|file| file.expect("a file"))
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read_to_string(file.path()).expect("text")))
        .collect();
    bugs.sort();
    assert!(bugs.len() >= 40, "only {} bugs", bugs.len());
    bugs
}

/// What an exploration said.
pub struct Explored {
    /// Its exit code.
    pub code: i32,
    /// Its report.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

impl Explored {
    /// How many orders it says that it explored, if it explored all.
    pub fn orders(&self) -> Option<u64> {
        if self.text.contains("one order that matters") {
            return Some(1);
        }
        let (_, rest) = self.text.rsplit_once("; all ")?;
        rest.split_once(" orders")?.0.replace(',', "").parse().ok()
    }

    /// Bugs are to be found within ten seconds.
    pub fn is_quick(&self) -> bool {
        self.time < Duration::from_secs(10)
    }

    /// The folders of its findings.
    pub fn findings(&self) -> Vec<String> {
        let folders = self.text.lines().filter_map(|line| line.split_once("foretrace replay "));
        folders.map(|(_, folder)| folder.trim().to_owned()).collect()
    }
}

/// A directory that is gone when the test ends.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory can be made"))
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, command: &mut Command) -> Output {
        command.current_dir(self.0.path()).stdin(Stdio::null()).output().expect("the command can be run")
    }

    /// Builds a program of `tests/explore` with gcc.
    pub fn build(&self, source: &str, flags: &[&str]) -> PathBuf {
        self.build_with("gcc", source, flags)
    }

    /// Builds it with a compiler.
    pub fn build_with(&self, compiler: &str, source: &str, flags: &[&str]) -> PathBuf {
        let source = root().join(source);
        let driver = if source.extension().is_some_and(|ending| ending == "cc") { "c++" } else { "cc" };
        let stem = source.file_stem().expect("a name").to_string_lossy();
        let program = self.path(&format!("{stem}{}", flags.concat()));
        let mut command = Command::new(FORETRACE);
        command.args([driver, "-g", "-pthread"]).args(flags).arg(&source).arg("-o").arg(&program);
        let variable = if driver == "cc" { "FORETRACE_CC" } else { "FORETRACE_CXX" };
        let output = self.run(command.env(variable, compiler));
        assert!(output.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
        program
    }

    /// The command that explores a program.
    pub fn exploring(&self, program: &Path, arguments: &[&str], flags: &[&str]) -> Command {
        let mut command = Command::new(FORETRACE);
        command.args(["explore", "--color", "never"]).args(flags).arg("--").arg(program).args(arguments);
        command.current_dir(self.0.path());
        command
    }

    /// Explores a program.
    pub fn explore(&self, program: &Path, arguments: &[&str], flags: &[&str]) -> Explored {
        let begin = Instant::now();
        let output = self.run(&mut self.exploring(program, arguments, flags));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Explored { code: output.status.code().unwrap_or(-1), text, time: begin.elapsed() }
    }

    /// A source of `tests/explore`.
    pub fn source(&self, name: &str) -> PathBuf {
        root().join(name)
    }

    /// Explores a source, which clang compiles; the exit code and the report.
    pub fn explore_source(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(FORETRACE);
        command.args(["explore", "--color", "never"]).args(arguments).env("FORETRACE_CC", "clang-19");
        let output = self.run(&mut command);
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Checks a program.
    pub fn check(&self, program: &Path, flags: &[&str]) -> Explored {
        let begin = Instant::now();
        let mut command = Command::new(FORETRACE);
        let output = self.run(command.args(["check", "--color", "never"]).args(flags).arg("--").arg(program));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Explored { code: output.status.code().unwrap_or(-1), text, time: begin.elapsed() }
    }

    /// What gdb says of a finding where it stops first.
    pub fn debugged(&self, finding: &str) -> String {
        let output = self.run(Command::new(FORETRACE).args(["replay", "--gdb", "--certain", finding]));
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Replays a finding; the exit code.
    pub fn replay(&self, finding: &str) -> i32 {
        self.run(Command::new(FORETRACE).args(["replay", "--times", "2", finding])).status.code().unwrap_or(-1)
    }
}

/// The processes that run a program, once those that are about to end have ended.
pub fn processes_of(program: &Path) -> Vec<String> {
    let program = program.canonicalize().expect("the program is there");
    let runs = |process: &str| fs::read_link(format!("/proc/{process}/exe")).is_ok_and(|exe| exe == program);
    let mut left = Vec::new();
    for _ in 0..50 {
        let all = fs::read_dir("/proc").expect("processes").flatten();
        left = all.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| runs(name)).collect();
        if left.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    left
}
