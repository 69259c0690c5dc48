//! What is attacked: a program, a recording of it, a finding, and one good file of each kind that the tool reads.

use crate::run::{root, target};
use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A command of the tool may take this long, on a busy machine, before it counts as hanging.
const SECONDS: &str = "60";
/// The memory a command may have, in bytes of address space.
const MEMORY: &str = "--as=3000000000";

/// What a copy is called that is going to be spoilt.
pub const SPOILT: &str = "spoilt";

/// The prepared files, in a directory that is removed in the end.
pub struct Ground {
    scratch: tempfile::TempDir,
    tool: PathBuf,
}

/// A program with a race, so that it has candidates, replays and a finding.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
static int balance, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *amount) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        balance += *(int *)amount;
        pthread_mutex_unlock(&lock);
        seen++;
    }
    return amount;
}
int main(void) {
    int one = 1, two = 2;
    pthread_t a, b;
    pthread_create(&a, 0, deposit, &one);
    pthread_create(&b, 0, deposit, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", balance);
    return 0;
}
"#;

const SCRIPT: &str = "datatype D = A | B.{0..2}\nchannel c : D\nchannel d : {0..3}.{0..3}\n\
    P(n) = n < 3 & c!B.n -> P(n+1) [] d?x!n -> STOP\nQ = c?y -> Q |~| SKIP\n\
    S = (P(0) [| {|c|} |] Q) \\ {|d|}\nassert Q [T= S\nassert S :[deadlock free [F]]\nassert S :[divergence free]\n";

const SPECIFICATION: &str = "in a: Events[Int]\nin b: Events[Int]\ndef sum: Events[Int] = default(last(sum, a), 0) + a\n\
    def over = filter(sum, sum > 10)\nout sum\nout over\nout count(b)\n";

const EVENTS: &str = "1: a = 3\n2: b = 4\n3: a = 9\n3: b = -1\n7: a = 100\n";

impl Ground {
    /// Builds, records and checks the program, and writes the other files.
    pub fn prepare() -> anyhow::Result<Self> {
        let scratch = tempfile::Builder::new().prefix("foretrace-attack-").tempdir()?;
        // A copy, because a build may replace it while it is attacked.
        let tool = scratch.path().join("foretrace");
        fs::copy(target().join("debug/foretrace"), &tool).context("cannot copy the tool")?;
        let ground = Self { scratch, tool };
        fs::create_dir(ground.temporary())?;
        let forms = root().join("tests/traces/form/every_operation.trace");
        fs::copy(&forms, ground.path("good.trace")).with_context(|| format!("cannot copy {}", forms.display()))?;
        let files = [
            ("prog.c", PROGRAM),
            ("good.csp", SCRIPT),
            ("good.tessla", SPECIFICATION),
            ("good.events", EVENTS),
            ("locks.tessla", "in mutexlock: Events[String]\nin line: Events[Int]\nout count(mutexlock)\nout line\n"),
            ("good.csv", "time,a,b\n1,3,\n2,,4\n3,9,-1\n"),
            ("good.supp", "# none\nrace:nobody\ndeadlock:*x*\n"),
        ];
        for (name, text) in files {
            fs::write(ground.path(name), text)?;
        }
        let steps: [(&[&str], i32); 5] = [
            (&["cc", "-g", "-pthread", "-o", "prog", "prog.c"], 0),
            (&["record", "-o", "good.ft", "./prog"], 0),
            (&["check", "--recording", "good.ft"], 1),
            (&["trace", "convert", "good.ft", "--to", "std", "-o", "good.std"], 0),
            (&["predict", "good.trace"], 1),
        ];
        for (words, code) in steps {
            let ran = ground.run(words);
            ensure!(ran.status.code() == Some(code), "foretrace {words:?}: {}", told(&ran));
        }
        Ok(ground)
    }

    /// A path in the directory.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The folder of the finding.
    pub fn finding(&self) -> PathBuf {
        let entries = fs::read_dir(self.path("foretrace-findings")).into_iter().flatten().flatten();
        let findings =
            entries.map(|entry| entry.path()).filter(|path| !path.ends_with("runs") && !path.ends_with(SPOILT));
        findings.min().expect("the check has found something")
    }

    /// A copy of a file or a directory under another name, in place of what was there.
    pub fn copy(&self, from: &Path, to: &str) -> PathBuf {
        let to = self.path(to);
        let _ = fs::remove_dir_all(&to);
        let _ = fs::remove_file(&to);
        let copied = Command::new("cp").arg("-r").arg(from).arg(&to).status();
        assert!(copied.is_ok_and(|status| status.success()), "cannot copy {}", from.display());
        to
    }

    /// A command of the tool in the directory, under a limit of time and memory, with no standard input.
    pub fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = self.limited(&[MEMORY]);
        command.arg(&self.tool).args(words);
        command
    }

    /// A command under these limits of `prlimit`; the caller adds what is run.
    pub fn limited(&self, limits: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", SECONDS, "prlimit", "--core=0"]).args(limits);
        command.current_dir(self.scratch.path()).stdin(Stdio::null());
        command.env("FORETRACE_CACHE", self.path("cache")).env("TMPDIR", self.temporary());
        command
    }

    /// Where the tool makes its temporary directories.
    pub fn temporary(&self) -> PathBuf {
        self.path("temporary")
    }

    /// Whether the last command has removed what it made there. What it left is removed, so that it is said once.
    pub fn nothing_left(&self) -> Result<(), String> {
        let entries = fs::read_dir(self.temporary()).into_iter().flatten().flatten();
        let left: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| !is_cache(path)).collect();
        for path in &left {
            let _ = fs::remove_dir_all(path);
            let _ = fs::remove_file(path);
        }
        if left.is_empty() { Ok(()) } else { Err(format!("the command left {left:?}")) }
    }

    /// The tool itself.
    pub fn tool(&self) -> &Path {
        &self.tool
    }

    /// Runs such a command to its end.
    pub fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Output {
        self.command(words).output().expect("timeout can be run")
    }
}

/// Is this the cache of a user, which is made there where there is no home?
fn is_cache(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("foretrace-").is_some_and(|user| user.parse::<u32>().is_ok())
}

/// How a command ended, and what it said.
pub fn told(ran: &Output) -> String {
    format!("{}\n{}{}", ran.status, String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}

/// What is wrong with how a command ended that must answer with `code`, or say that it cannot answer. An error that is
/// predicted and could not be made to happen is told, and no all-clear.
pub fn judge_answer(what: &str, ran: &Output, code: i32) -> Result<(), String> {
    judge(what, ran)?;
    match ran.status.code() {
        Some(2) => Ok(()),
        Some(answer) if answer == code => Ok(()),
        Some(0) if told(ran).contains("predicted but not confirmed") => Ok(()),
        _ => Err(format!("{what}: the answer is wrong: {}", told(ran))),
    }
}

/// What is wrong with how a command ended, if anything: the tool answers 0, 1 or 2, and never panics. A monitor that read only
/// a part answers 3, and says so.
pub fn judge(what: &str, ran: &Output) -> Result<(), String> {
    let text = told(ran);
    let wrong = match ran.status.code() {
        _ if text.contains("panicked at") => "it panicked",
        Some(0..=2) => return Ok(()),
        Some(3) if text.contains("not everything was checked") => return Ok(()),
        Some(124 | 137) => "it hangs",
        Some(_) => "the exit code has no meaning",
        None if ran.status.signal().is_some() => "it died by a signal",
        None => "it did not end",
    };
    Err(format!("{what}: {wrong}: {text}"))
}
