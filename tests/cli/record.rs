//! `foretrace record`: the program's own streams and exit code, every way in, and what is left behind.

use crate::support::{COUNTER, FORETRACE, Scratch};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

/// A program that does as its first argument says.
const ACTOR: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
static void caught(int signal) {
    char text[] = "caught 00\n";
    text[7] += signal / 10, text[8] += signal % 10;
    _exit(write(1, text, 10) == 10 ? 5 : 6);
}
int main(int argc, char **argv) {
    pthread_t thread;
    char line[100];
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    if (argc < 2) return 0;
    if (!strcmp(argv[1], "exit")) return atoi(argv[2]);
    if (!strcmp(argv[1], "abort")) abort();
    if (!strcmp(argv[1], "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(argv[1], "echo") && fgets(line, sizeof line, stdin)) printf("out %s", line), fprintf(stderr, "err %s", line);
    if (!strcmp(argv[1], "args")) for (int i = 2; i < argc; i++) printf("[%s]", argv[i]);
    if (!strcmp(argv[1], "catch")) signal(atoi(argv[2]), caught), puts("ready"), fflush(stdout), sleep(20);
    if (!strcmp(argv[1], "wait")) puts("ready"), fflush(stdout), sleep(20);
    return 0;
}
"#;

fn actor() -> Scratch {
    let scratch = Scratch::with(&[("a.c", ACTOR)]);
    scratch.run("foretrace-cc --compiler=gcc a.c -o actor").succeeds();
    scratch
}

#[test]
fn exit_codes_are_the_programs() {
    let scratch = actor();
    for (action, code, note) in [
        ("exit 0", 0, "exit=0"),
        ("exit 7", 7, "exit=7"),
        ("exit 255", 255, "exit=255"),
        ("abort", 134, "signal=6"),
        ("kill", 137, "signal=9"),
    ] {
        let ran = scratch.run(&format!("foretrace record -- ./actor {action}"));
        assert_eq!((ran.code(), ran.err()), (Some(code), String::new()), "{action}");
        let run = std::fs::read_to_string(scratch.path("foretrace.ft/run")).expect("a run file");
        assert!(run.contains(note) && run.contains("version=") && run.contains("milliseconds="), "{run}");
        assert!(run.contains(&format!("command=./actor {action}\n")), "{run}");
        assert!(scratch.path("foretrace.ft/events").exists(), "{action}");
    }
}

#[test]
fn streams_are_the_programs() {
    let scratch = actor();
    let mut command = scratch.command(FORETRACE);
    command.args(["record", "./actor", "echo"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("foretrace starts");
    child.stdin.take().expect("a pipe").write_all(b"hello\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"out hello\n"[..], &b"err hello\n"[..]));
}

#[test]
fn arguments_are_the_programs() {
    let scratch = actor();
    scratch.records("./actor args -o --limit -- x", "[-o][--limit][--][x]");
    assert_eq!(scratch.run("foretrace record ./actor args -h --version").out(), "[-h][--version]");
}

/// Starts the actor under `record` and waits until it says it is ready.
fn started(scratch: &Scratch, action: &[&str]) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = scratch.command(FORETRACE);
    command.args(["record", "./actor"]).args(action).stdout(Stdio::piped());
    let mut child = command.spawn().expect("foretrace starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("it prints");
    assert_eq!(line, "ready\n");
    (child, out)
}

fn send(signal: &str, child: &Child) {
    let status = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
fn signals_reach_the_program_and_the_recording_survives() {
    let scratch = actor();
    for (name, number) in [("-INT", "02"), ("-TERM", "15"), ("-HUP", "01")] {
        let (mut child, mut out) = started(&scratch, &["catch", number]);
        send(name, &child);
        let mut line = String::new();
        out.read_line(&mut line).expect("it prints");
        assert_eq!(line, format!("caught {number}\n"));
        assert_eq!(child.wait().expect("it ends").code(), Some(5));
        assert!(scratch.path("foretrace.ft/events").exists());
    }
}

#[test]
fn a_signal_that_kills_the_program_gives_its_code() {
    let scratch = actor();
    let (mut child, _) = started(&scratch, &["wait"]);
    send("-TERM", &child);
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
}

#[test]
fn an_old_recording_is_replaced() {
    let scratch = actor();
    for _ in 0..2 {
        scratch.run("foretrace record -o some/where.ft ./actor exit 0").succeeds();
    }
    assert!(scratch.path("some/where.ft/events").exists());
}

#[test]
fn a_program_without_threads_leaves_a_recording_without_events() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 3; }\n")]);
    scratch.run("foretrace-cc --compiler=gcc a.c -o prog").succeeds();
    let ran = scratch.run("foretrace record ./prog");
    assert_eq!(ran.code(), Some(3));
    assert!(ran.err().contains("made no thread") && ran.err().lines().count() == 1, "{}", ran.err());
    assert!(scratch.path("foretrace.ft/run").exists() && !scratch.path("foretrace.ft/events").exists());
}

#[test]
fn a_gcc_sanitizer_build_is_not_rebuilt() {
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    scratch.run("gcc -O2 -fsanitize=thread a.c -o prog").succeeds();
    scratch.records("./prog", "2000\n");
    assert!(std::fs::read_to_string(scratch.path("out.ft/run")).is_ok_and(|run| run.contains("ThreadSanitizer")));
}

#[test]
fn any_program_is_not_rebuilt() {
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    scratch.run("gcc -O2 a.c -o prog").succeeds();
    scratch.records("./prog", "2000\n");
    assert!(std::fs::read_to_string(scratch.path("out.ft/run")).is_ok_and(|run| run.contains("synchronisation only")));
}

#[test]
fn a_script_has_its_program_recorded() {
    use std::os::unix::fs::PermissionsExt;
    for build in ["gcc a.c -o prog", "gcc -fsanitize=thread a.c -o prog", "foretrace-cc --compiler=gcc a.c -o prog"] {
        let scratch = Scratch::with(&[("a.c", COUNTER), ("run.sh", "#!/bin/sh\necho begin\n./prog\n")]);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(scratch.path("run.sh"), executable).expect("a mode can be set");
        scratch.run(build).succeeds();
        scratch.records("./run.sh", "begin\n2000\n");
        // A program that holds the runtime has it preloaded too: one of the two records.
        scratch.run("foretrace record --follow-fork -o out.ft ./run.sh").succeeds();
        assert!(!scratch.path("out.ft/children").exists(), "{build}");
    }
}

/// A child that makes a thread before its parent does, which waits for that.
const CHILD_FIRST: &str = r"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(void) {
    pthread_t thread;
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    return 0;
}
";

#[test]
fn the_process_that_was_started_is_recorded_even_if_another_is_faster() {
    let scratch = Scratch::with(&[("a.c", CHILD_FIRST)]);
    scratch.run("foretrace-cc --compiler=gcc a.c -o a").succeeds();
    let ran = scratch.shell("foretrace record -- ./a && ls foretrace.ft/children/*/events | wc -l").succeeds();
    assert_eq!(ran.out(), "1\n");
    assert!(scratch.path("foretrace.ft/events").exists());
}
