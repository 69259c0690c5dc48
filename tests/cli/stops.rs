//! A tool that is stopped: by each signal, and by one that it cannot catch.

use crate::support::{FORETRACE, Scratch};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Two threads; the run does not end by itself.
const ENDLESS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, nothing, NULL);
    pthread_join(a, NULL);
    fclose(fopen("begun", "w"));
    for (;;) pause();
}
"#;

fn begin(scratch: &Scratch, command: &[&str]) -> Child {
    let _ = std::fs::remove_file(scratch.path("begun"));
    let mut process = scratch.command(FORETRACE);
    process.args(command).env("TMPDIR", scratch.path("tmp")).stdout(Stdio::null()).stderr(Stdio::null());
    let child = process.spawn().expect("it runs");
    let began = Instant::now();
    while !scratch.path("begun").exists() {
        assert!(began.elapsed() < Duration::from_secs(120), "it does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{signal}");
}

fn entries(scratch: &Scratch) -> usize {
    std::fs::read_dir(scratch.path("tmp")).expect("a directory").count()
}

fn endless() -> Scratch {
    let scratch = Scratch::with(&[("endless.c", ENDLESS)]);
    scratch.shell("mkdir tmp").succeeds();
    scratch.run("foretrace-cc -g endless.c -o endless -pthread").succeeds();
    scratch
}

#[test]
fn every_signal_ends_a_check_in_order_and_leaves_nothing() {
    let scratch = endless();
    for signal in ["-HUP", "-QUIT", "-TERM", "-USR1", "-ALRM"] {
        let mut child = begin(&scratch, &["check", "--", "./endless"]);
        send(signal, child.id());
        let code = child.wait().expect("it ends").code();
        assert_eq!((code, entries(&scratch)), (Some(2), 0), "{signal}");
    }
    // The first Ctrl-C ends the recorded run alone.
    let mut child = begin(&scratch, &["check", "--", "./endless"]);
    send("-INT", child.id());
    assert_eq!((child.wait().expect("it ends").code(), entries(&scratch)), (Some(0), 0));
}

#[test]
fn the_program_dies_with_a_tool_that_is_killed_and_the_next_one_tidies_up() {
    let scratch = endless();
    let mut child = begin(&scratch, &["record", "--", "./endless"]);
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).expect("it has one");
    let program: u32 = children.trim().parse().expect("a number");
    send("-KILL", child.id());
    child.wait().expect("it ends");
    let began = Instant::now();
    let runs = || std::fs::read_to_string(format!("/proc/{program}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() {
        assert!(began.elapsed() < Duration::from_secs(60), "the program runs on");
        std::thread::sleep(Duration::from_millis(10));
    }
    // What a killed check leaves goes when the next begins.
    let mut child = begin(&scratch, &["check", "--", "./endless"]);
    send("-KILL", child.id());
    child.wait().expect("it ends");
    assert_eq!(entries(&scratch), 1);
    scratch.shell("touch -d '1 hour ago' tmp/foretrace-check-*").succeeds();
    let mut check = scratch.command(FORETRACE);
    check.args(["check", "--timeout", "200ms", "--", "./endless"]).env("TMPDIR", scratch.path("tmp"));
    assert_eq!(check.output().expect("it runs").status.code(), Some(0));
    assert_eq!(entries(&scratch), 0);
}
