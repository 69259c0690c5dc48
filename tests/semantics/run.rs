//! Running programs under `foretrace record`, never longer than a test may take.

use foretrace_trace::Recording;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longer than any program of the tests takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command line tool, with a cache of the tests' own.
pub fn foretrace(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.args(args).env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.stdin(Stdio::null());
    command
}

/// `foretrace record -o DIRECTORY`, to be followed by the program.
pub fn record(directory: &Path) -> Command {
    let mut command = foretrace(&["record", "-o"]);
    command.arg(directory).arg("--");
    command
}

/// What a program left: how it ended and what it printed.
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The exit code; that of a program killed by a signal is 128 and the signal's number.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }
}

/// Runs a command to its end; what it prints goes to files beside `scratch`, so that nothing waits for a reader.
pub fn finish(command: &mut Command, scratch: &Path) -> Outcome {
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| scratch.with_extension(name));
    command.stdout(File::create(&stdout).expect("a scratch file can be written"));
    command.stderr(File::create(&stderr).expect("a scratch file can be written"));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let status = wait(&mut child).unwrap_or_else(|| panic!("{command:?} did not end"));
    let read = |path: PathBuf| String::from_utf8_lossy(&std::fs::read(path).expect("it was written")).into_owned();
    Outcome { status, stdout: read(stdout), stderr: read(stderr) }
}

/// Waits for a child; kills it when it takes too long.
pub fn wait(child: &mut Child) -> Option<ExitStatus> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    None
}

/// Opens a recording and checks that it could have happened.
pub fn open(directory: &Path) -> Recording {
    let recording = Recording::open(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let violations = foretrace_trace::check::recording(&recording);
    let violations = violations.unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let lines: Vec<_> = violations.iter().map(|violation| format!("  {violation}\n")).collect();
    assert!(lines.is_empty(), "{} could not have happened:\n{}", directory.display(), lines.concat());
    recording
}

/// Records a program, checks the recording, and returns both.
pub fn recorded(program: impl AsRef<OsStr>, args: &[&str], directory: &Path) -> (Recording, Outcome) {
    let outcome = finish(record(directory).arg(program).args(args), directory);
    (open(directory), outcome)
}
