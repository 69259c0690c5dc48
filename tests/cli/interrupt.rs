//! Ctrl-C in the middle of `foretrace check`: what is known so far is reported, and nothing runs on.

use crate::support::{FORETRACE, Scratch};
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A race and a deadlock. Each run leaves an `x` in the file `runs` when it begins, and a dot when its threads have ended.
/// The first run does not end if `HANGS` is 1, and makes no threads if it is 2; the third does not begin if it is 3.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *a, pthread_mutex_t *b) {
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}
static void *first(void *arg) { shared = 1; both(&m, &n); return arg; }
static void *second(void *arg) { usleep(20000); shared = 2; both(&n, &m); return arg; }
int main(void) {
    FILE *runs = fopen("runs", "a+");
    fputs("x", runs);
    fflush(runs);
    rewind(runs);
    int count = 0, c;
    while ((c = getc(runs)) != EOF)
        count += c == 'x';
    if ((HANGS == 2 && count == 1) || (HANGS == 3 && count == 3))
        pause();
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fputs(".", runs);
    fclose(runs);
    if (HANGS == 1 && count == 1)
        pause();
    return 0;
}
"#;

/// Begins a check, and interrupts it when this is in the file `runs`: the answer, and what it said.
fn interrupted(hangs: u32, runs: &str) -> (Option<i32>, String) {
    let scratch = Scratch::with(&[("program.c", PROGRAM)]);
    let mut command = scratch.command(FORETRACE);
    command.args(["check", "--jobs", "1", &format!("--cflags=-DHANGS={hangs}"), "program.c"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let so_far = || std::fs::read_to_string(scratch.path("runs")).unwrap_or_default();
    wait_for(&mut child, || so_far() == runs);
    interrupt(&child);
    let mut said = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("text");
    let code = child.wait().expect("it ends").code();
    assert_eq!(left(&scratch), Vec::<String>::new(), "{said}");
    (code, said)
}

fn interrupt(child: &Child) {
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
}

fn wait_for(child: &mut Child, done: impl Fn() -> bool) {
    for _ in 0..3000 {
        if done() {
            return;
        }
        assert!(child.try_wait().expect("it is a child").is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it does not come to its point");
}

/// Processes that work in the scratch directory.
fn left(scratch: &Scratch) -> Vec<String> {
    let place = scratch.path("").canonicalize().expect("it is there");
    let processes = std::fs::read_dir("/proc").expect("processes can be listed").flatten();
    let here = processes.filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == place));
    here.map(|process| std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default()).collect()
}

#[test]
fn the_recorded_run_ends_and_what_it_did_is_checked() {
    let (code, said) = interrupted(1, "x.");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 confirmed; the program was interrupted after"), "{said}");
}

#[test]
fn a_run_that_is_interrupted_before_it_has_threads_is_no_all_clear() {
    let (code, said) = interrupted(2, "x");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the program was ended before it had a second thread: nothing was checked"), "{said}");
}

#[test]
fn what_was_confirmed_is_reported() {
    // The first run is recorded, the second shows the race, the third does not end.
    let (code, said) = interrupted(3, "x.x.x");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: data race") && said.contains("1 confirmed"), "{said}");
    assert!(said.contains("note: interrupted: not everything was checked"), "{said}");
}

#[test]
fn replays_say_how_often_it_failed_so_far() {
    let scratch = Scratch::with(&[("program.c", PROGRAM)]);
    let found = scratch.run("foretrace check --cflags=-DHANGS=0 --look-for races program.c");
    assert_eq!(found.code(), Some(1), "{}", found.err());
    scratch.shell("rm runs && mkdir tmp").succeeds();
    let finding = scratch.shell("echo foretrace-findings/data-race-*").out();
    let mut command = scratch.command(FORETRACE);
    command.args(["replay", "--times", "1000000", finding.trim()]).env("TMPDIR", scratch.path("tmp"));
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
    wait_for(&mut child, || std::fs::read_to_string(scratch.path("runs")).unwrap_or_default().starts_with("x.x.x."));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(" times; interrupted\n") && !said.contains("failed 0"), "{said}");
    assert_eq!((output.status.code(), left(&scratch)), (Some(1), vec![]), "{said}");
    assert_eq!(std::fs::read_dir(scratch.path("tmp")).expect("a directory").count(), 0, "scratch is left");
}

#[test]
fn long_work_shows_its_progress_on_a_terminal_and_nowhere_else() {
    let slow = PROGRAM.replace("pthread_t a, b;", "sleep(2); pthread_t a, b;");
    let scratch = Scratch::with(&[("program.c", &slow)]);
    let line = format!("{FORETRACE} check --cflags=-DHANGS=0 --look-for races program.c");
    let mut terminal = scratch.command("script");
    terminal.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    let shown = String::from_utf8_lossy(&terminal.output().expect("script runs").stdout).into_owned();
    assert!(shown.contains("recording; Ctrl-C ends the program") && shown.contains("replaying 0/1"), "{shown}");
    let piped = scratch.run("foretrace check --cflags=-DHANGS=0 --look-for races program.c").err();
    assert!(!piped.contains("recording;") && !piped.contains("replaying") && !piped.contains('\x1b'), "{piped}");
}
