//! A small program, built and recorded in each way.

use crate::scratch::Scratch;
use anyhow::Context;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two threads and a lock.
const PROGRAM: &str = "#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return count != 2;
}
";

/// Longer than this, no step of a trial takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A way into a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Gcc,
    Clang,
    Tsan,
    Preload,
}

impl Way {
    pub(super) const ALL: [Self; 4] = [Self::Gcc, Self::Clang, Self::Tsan, Self::Preload];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gcc => "foretrace cc with gcc",
            Self::Clang => "foretrace cc with clang",
            Self::Tsan => "gcc -fsanitize=thread",
            Self::Preload => "any program, not rebuilt",
        }
    }

    /// What it is good for.
    pub(super) fn gives(self) -> &'static str {
        match self {
            Self::Gcc => "data races, deadlocks, exploration",
            Self::Clang => "the same, and passes over the compiler's code",
            Self::Tsan => "data races and deadlocks, without a new build",
            Self::Preload => "deadlocks",
        }
    }

    /// Are accesses recorded?
    pub(super) fn sees_memory(self) -> bool {
        self != Self::Preload
    }

    /// What builds the program, with our own command if that is part of it.
    fn build(self) -> (bool, &'static [&'static str]) {
        match self {
            Self::Gcc => (true, &["cc", "--compiler=gcc"]),
            Self::Clang if crate::cmd::cc::is_in_path("clang") => (true, &["cc", "--compiler=clang"]),
            Self::Clang => (true, &["cc", "--compiler=clang-19"]),
            Self::Tsan => (false, &["gcc", "-fsanitize=thread"]),
            Self::Preload => (false, &["cc"]),
        }
    }
}

/// A directory with the program.
pub(super) struct Trial {
    scratch: Scratch,
    own: PathBuf,
}

impl Trial {
    pub(super) fn new() -> anyhow::Result<Self> {
        let scratch = Scratch::new("check-")?;
        let source = scratch.path().join("trial.c");
        std::fs::write(&source, PROGRAM).with_context(|| format!("cannot write {}", source.display()))?;
        Ok(Self { scratch, own: std::env::current_exe().context("cannot find the tool itself")? })
    }

    /// Builds and records; why not, in one line.
    pub(super) fn run(&self, way: Way) -> Result<(), String> {
        let (is_ours, words) = way.build();
        let mut build = match is_ours {
            true => self.ours(words),
            false => {
                let mut build = Command::new(words[0]);
                build.args(&words[1..]);
                build
            }
        };
        self.finish(build.args(["-pthread", "trial.c", "-o", "trial"]))?;
        let recording = self.scratch.path().join("recording");
        let _ = std::fs::remove_dir_all(&recording);
        self.finish(self.ours(&["record", "-o"]).arg(&recording).args(["--", "./trial"]))?;
        recording.join("events").exists().then_some(()).ok_or_else(|| "no events were recorded".to_owned())
    }

    fn ours(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.own);
        command.args(words);
        command
    }

    /// Runs a command to its end, within limits.
    fn finish(&self, command: &mut Command) -> Result<(), String> {
        let said = self.scratch.path().join("said");
        let file = std::fs::File::create(&said).map_err(|error| error.to_string())?;
        command.current_dir(self.scratch.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command.spawn().map_err(|error| format!("cannot run {program}: {error}"))?;
        let begin = Instant::now();
        loop {
            match child.try_wait().map_err(|error| error.to_string())? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(first_line(&said).unwrap_or_else(|| status.to_string())),
                None if begin.elapsed() > PATIENCE => {
                    let _ = child.kill().and_then(|()| child.wait());
                    return Err("did not end in time".to_owned());
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

fn first_line(path: &std::path::Path) -> Option<String> {
    let said = foretrace_file::text(path).ok()?;
    said.lines().find(|line| !line.trim().is_empty()).map(str::to_owned)
}
