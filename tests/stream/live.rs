//! Programs that are monitored while they run: ended by an error, by the user, by a crash, and too fast to keep up with.

#![forbid(unsafe_code)]

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// One thread increments `x` under the lock, another without; then the program goes on as it is told to.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int x, y, z;
long most, largest;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *arg) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}
void *g(void *arg) {
    x++;
    return arg;
}
void *guarded(void *arg) {
    pthread_mutex_lock(&m);
    z++;
    pthread_mutex_unlock(&m);
    return arg;
}
void last(void) { y++; }
void *h(void *arg) {
    y++;
    return arg;
}
// Until the monitor has taken what was written: what is kept of `events` becomes small again.
void wait_for_monitor(void) {
    const char *directory = strstr(getenv("FORETRACE_RUNTIME"), "dir=") + 4;
    char name[4096];
    snprintf(name, sizeof name, "%s/events", directory);
    struct stat kept;
    for (int looks = 0; looks < 12000; looks++) {
        stat(name, &kept);
        if (kept.st_blocks * 512 > most) most = kept.st_blocks * 512;
        if (kept.st_size > largest) largest = kept.st_size;
        if (kept.st_blocks * 512 < 600 * 1024) return;
        usleep(5000);
    }
}
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    pthread_join(p, 0);
    pthread_create(&p, 0, g, 0);
    pthread_join(p, 0);
#ifdef CRASH
    abort();
#endif
#ifdef FOREVER
    for (;;) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        usleep(1000);
    }
#endif
#ifdef MUCH
    pthread_create(&p, 0, guarded, 0);
    pthread_join(p, 0);
    for (int i = 0; i < 100000; i++) guarded(0);
    pthread_create(&p, 0, h, 0);
    pthread_join(p, 0);
#endif
#ifdef LONG
    // Many times what may wait, and time for the monitor after each part.
    for (int i = 0; i < 150; i++) {
        for (int j = 0; j < 2000; j++) guarded(0);
        wait_for_monitor();
    }
    pthread_create(&p, 0, h, 0);
    pthread_join(p, 0);
#endif
    last();
    fprintf(stderr, "most %ld of %ld\n", most, largest);
    return 0;
}
"#;

/// Looks at the output before it is taken to be missing: two minutes.
const LOOKS: u32 = 2400;

struct Run {
    scratch: tempfile::TempDir,
    child: Child,
}

impl Run {
    /// Builds the program and monitors it.
    fn start(flag: &str, arguments: &[&str]) -> Run {
        let scratch = tempfile::tempdir().expect("a scratch directory can be made");
        std::fs::write(scratch.path().join("program.c"), PROGRAM).expect("a file can be written");
        let built = foretrace(scratch.path(), &["cc", "-g", flag, "program.c", "-o", "program", "-pthread"]).status();
        assert!(built.expect("the tool runs").success());
        let spec = foretrace(scratch.path(), &["monitor", "--template", "lockset"]).output().expect("the tool runs");
        std::fs::write(scratch.path().join("spec.tessla"), spec.stdout).expect("a file can be written");
        let mut command = foretrace(scratch.path(), &["monitor", "spec.tessla"]);
        command.args(arguments).args(["--", "./program"]);
        command.stdout(create(scratch.path(), "stdout")).stderr(create(scratch.path(), "stderr"));
        Run { child: command.spawn().expect("the tool runs"), scratch }
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.scratch.path().join(name)).unwrap_or_default()
    }

    /// Looks until it is so; if it never is, the monitor is ended.
    fn until<T>(&mut self, what: &str, mut look: impl FnMut(&mut Run) -> Option<T>) -> T {
        for _ in 0..LOOKS {
            if let Some(seen) = look(self) {
                return seen;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        panic!("{what}: {}{}", self.read("stdout"), self.read("stderr"))
    }

    /// Waits for the end: the exit code, and everything that was said.
    fn end(mut self) -> (ExitStatus, String, String) {
        let status = self.until("it goes on", |run| run.child.try_wait().expect("it can be waited for"));
        (status, self.read("stdout"), self.read("stderr"))
    }
}

fn foretrace(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.current_dir(directory).args(arguments);
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

fn create(directory: &Path, name: &str) -> File {
    File::create(directory.join(name)).expect("a file can be written")
}

#[test]
fn the_first_error_ends_a_program_that_would_run_forever() {
    let (status, out, said) = Run::start("-DFOREVER", &["--until", "error_function"]).end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert_eq!(out.matches("error_function = g").count(), 1, "{out}");
    assert!(out.ends_with("error_function = g\n"), "{out}");
}

#[test]
fn an_interrupt_ends_the_program_and_what_is_known_is_said() {
    let mut run = Run::start("-DFOREVER", &[]);
    // The error is shown while the program runs on.
    run.until("no error", |run| run.read("stdout").contains("error_function = g").then_some(()));
    let sent = Command::new("kill").args(["-INT", &run.child.id().to_string()]).status().expect("`kill` runs");
    assert!(sent.success());
    let (status, out, said) = run.end();
    assert_eq!(status.code(), Some(1), "{out}{said}");
    assert!(said.contains("the program ended with signal: 2"), "{said}");
}

#[test]
fn what_a_program_did_before_it_died_is_evaluated() {
    let (status, out, said) = Run::start("-DCRASH", &[]).end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(out.contains("error_function = g"), "{out}");
    assert!(said.contains("the program ended with signal: 6"), "{said}");
}

/// The number before or behind some words.
fn number(said: &str, before: &str, behind: &str) -> u64 {
    let rest = said.split_once(before).unwrap_or_else(|| panic!("`{before}` in {said}")).1;
    let digits = rest.split_once(behind).unwrap_or_else(|| panic!("`{behind}` in {said}")).0;
    digits.rsplit([' ', '\n']).next().and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn what_does_not_fit_into_the_backlog_is_counted() {
    let (status, out, said) = Run::start("-DMUCH", &["--backlog", "100K", "--stats"]).end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(out.contains("error_function = g"), "what fitted is evaluated: {out}");
    assert!(out.contains("error_function = last"), "what came behind the loss, too: {out}");
    assert!(!out.contains("error_function = guarded"), "locks taken in a gap are no errors: {out}");
    let (lost, gaps) = (number(&said, "", " events were lost, in "), number(&said, "lost, in ", " gaps"));
    let evaluated = number(&said, "ran for", " records evaluated");
    let (_, _, all) = Run::start("-DMUCH", &["--stats"]).end();
    assert!(!all.contains("lost"), "{all}");
    // A hundred thousand times lock, increment, unlock.
    let everything = number(&all, "ran for", " records evaluated");
    assert!(everything >= 200_000, "{all}");
    assert!(gaps > 0 && lost > 0 && lost + evaluated <= everything + 2, "{said}{all}");
    assert!(lost + evaluated + 2 >= everything, "{said}{all}");
}

#[test]
fn room_that_was_evaluated_is_used_again() {
    let (status, out, said) = Run::start("-DLONG", &["--backlog", "1M", "--stats"]).end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(!said.contains("lost"), "the monitor is waited for: {said}");
    assert!(out.contains("error_function = last"), "the last error: {out}");
    assert!(number(&said, "ran for", " records evaluated") >= 600_000, "{said}");
    let (most, written) = (number(&said, "most ", " of "), number(&format!("{said} "), " of ", "\n"));
    assert!(written > 3 << 20, "many times the backlog was written: {said}");
    assert!(most <= (1 << 20) + (1 << 16), "and never more than it was kept: {said}");
}
