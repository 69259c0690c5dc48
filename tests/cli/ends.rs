//! Ends, deaths and limits: what a check says when the program dies, cannot be recorded, or is a server.

use crate::support::{COUNTER, FORETRACE, Scratch, compilers, needs};
use std::time::{Duration, Instant};

/// Dies in the way that its first argument names, after two threads have ended.
const DIES: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
static void die(const char *how) {
    volatile int zero = 0;
    if (!strcmp(how, "assert")) assert(zero == 1);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "null")) *(volatile int *)4 = 1;
    if (!strcmp(how, "divide")) zero = 100 / zero;
    if (!strcmp(how, "twice")) { char *volatile p = malloc(20); free(p); free(p); }
    if (!strcmp(how, "code")) exit(7);
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "own")) { signal(SIGABRT, SIG_DFL); raise(SIGABRT); }
}
int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, NULL, nothing, NULL);
    pthread_create(&b, NULL, nothing, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (argc > 1) die(argv[1]);
    return 0;
}
"#;

#[test]
fn a_recorded_run_that_dies_is_an_error_told_as_what_it_is() {
    for compiler in compilers() {
        for level in ["-O0", "-O2"] {
            let scratch = Scratch::with(&[("dies.c", DIES)]);
            scratch
                .run(&format!("foretrace-cc --compiler={compiler} -g {level} -w dies.c -o dies -pthread"))
                .succeeds();
            for (how, what) in [
                ("assert", "error: failed assertion\n"),
                ("abort", "error: abort\n"),
                ("null", "error: null dereference\n"),
                ("divide", "error: division by zero\n"),
                ("twice", "error: double free\n"),
                ("own", "error: abort\n"),
            ] {
                let ran = scratch.run(&format!("foretrace check -- ./dies {how}"));
                let said = ran.err();
                assert_eq!(ran.code(), Some(1), "{compiler} {level} {how}: {said}");
                assert!(said.contains(what), "{compiler} {level} {how}: {said}");
                assert!(said.contains("dies.c:"), "{compiler} {level} {how}: {said}");
                let finding = scratch.shell("echo foretrace-findings/crash-*").out();
                let replayed = scratch.run(&format!("foretrace replay --times 3 {}", finding.trim()));
                assert!(replayed.out().ends_with("failed 3 of 3 times\n"), "{how}: {}", replayed.out());
                scratch.shell("rm -r foretrace-findings").succeeds();
            }
            let said = scratch.run("foretrace check -- ./dies assert").err();
            assert!(said.contains("it printed: dies: dies.c:"), "{said}");
        }
    }
}

#[test]
fn an_exit_code_of_the_programs_own_and_a_signal_from_outside_are_no_deaths() {
    let scratch = Scratch::with(&[("dies.c", DIES)]);
    for (how, words) in [("code", "nothing found; the program ended with 7"), ("term", "nothing found")] {
        let ran = scratch.run(&format!("foretrace check dies.c -- {how}"));
        assert_eq!(ran.code(), Some(0), "{how}: {}", ran.err());
        assert!(ran.err().contains(words), "{how}: {}", ran.err());
    }
    let ran = scratch.run("foretrace check --look-for races,deadlocks dies.c -- abort");
    assert!(!ran.err().contains("error: abort"), "crashes were not looked for: {}", ran.err());
}

/// Whatever the program would have done next is not known, so the answer is not "nothing found" with exit code 0.
#[test]
fn a_recorded_run_that_is_killed_was_not_checked() {
    let scratch = Scratch::with(&[("dies.c", DIES)]);
    let ran = scratch.run("foretrace check dies.c -- kill");
    assert_eq!(ran.code(), Some(2), "{}", ran.err());
    assert!(ran.err().contains("not everything could be checked"), "{}", ran.err());
}

/// Ends itself when it has just created a thread on the processor that it keeps busy itself.
const NEVER_RUNS: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
static void *runs(void *arg) { return arg; }
int main(void) {
    pthread_t thread;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pthread_create(&thread, NULL, runs, NULL);
    kill(getpid(), SIGKILL);
}
"#;

#[test]
fn a_thread_that_never_ran_is_said() {
    let scratch = Scratch::with(&[("never.c", NEVER_RUNS)]);
    let said = |_| scratch.run("foretrace check never.c").err().contains("so not checked: t1");
    // The thread may be faster than the signal, in any one run.
    assert!((0..20).any(said), "t1 ran every time, or nobody said that it did not");
}

#[test]
fn a_death_after_a_race_is_told_with_the_race_and_can_be_seen_again() {
    let program = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/programs/fail/death/null_before_published.c"
    ))
    .expect("the corpus is there");
    let header = include_str!("../programs/program.h");
    let program = program.replace("../../program.h", "program.h");
    let scratch = Scratch::with(&[("program.c", &program), ("program.h", header)]);
    let ran = scratch.run("foretrace check program.c");
    let said = ran.err();
    assert_eq!(ran.code(), Some(1), "{said}");
    assert!(said.contains("error: data race on `current`") && said.contains("1 confirmed"), "{said}");
    assert!(said.contains("the program can die of it: null dereference at program.c:12 in reader"), "{said}");
    let finding = scratch.shell("echo foretrace-findings/crash-*").out();
    assert!(said.contains(&format!("to see it die: foretrace replay {}", finding.trim())), "{said}");
    let replayed = scratch.run(&format!("foretrace replay --times 3 {}", finding.trim()));
    assert!(replayed.out().ends_with("failed 3 of 3 times\n"), "{} {}", replayed.out(), replayed.err());
}

/// Lowers a limit as its first argument says, then makes threads that race.
const LIMITED: &str = r#"
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
static int shared;
static void *add(void *arg) { shared++; return arg; }
static void lower(int which, rlim_t to) {
    struct rlimit limit = { to, to };
    setrlimit(which, &limit);
}
int main(int argc, char **argv) {
    pthread_t a, b;
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "files")) lower(RLIMIT_NOFILE, 3);
    if (!strcmp(how, "size")) lower(RLIMIT_FSIZE, 4096);
    if (!strcmp(how, "nothing")) lower(RLIMIT_FSIZE, 0);
    if (!strcmp(how, "clock")) prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"#;

#[test]
fn a_recording_that_cannot_be_written_is_no_all_clear() {
    let scratch = Scratch::with(&[("limited.c", LIMITED)]);
    scratch.run("foretrace-cc -g limited.c -o limited -pthread").succeeds();
    for (how, why) in [("files", "Too many open files"), ("size", "File too large"), ("nothing", "File too large")] {
        let ran = scratch.run(&format!("foretrace check -- ./limited {how}"));
        assert_eq!(ran.code(), Some(2), "{how}: {}", ran.err());
        assert!(ran.err().contains("nothing was checked") && ran.err().contains(why), "{how}: {}", ran.err());
        assert!(!ran.err().contains("nothing found"), "{how}: {}", ran.err());
        // The program itself lives.
        let recorded = scratch.run(&format!("foretrace record -o r.ft -- ./limited {how}"));
        assert_eq!(recorded.code(), Some(0), "{how}: {}", recorded.err());
        assert!(recorded.err().contains(why), "{how}: {}", recorded.err());
    }
    // With the limit on the tool as well, and everything that it prints going to a file.
    for limit in ["0", "4096"] {
        let ran = scratch.shell(&format!("prlimit --fsize={limit} {FORETRACE} check -- ./limited > out 2>&1"));
        assert_eq!(ran.code(), Some(2), "{limit}");
    }
}

#[test]
fn a_program_that_gives_the_processors_clock_up_is_checked() {
    let scratch = Scratch::with(&[("limited.c", LIMITED)]);
    for _ in 0..3 {
        let ran = scratch.run("foretrace check limited.c -- clock");
        assert_eq!(ran.code(), Some(1), "{}", ran.err());
        assert!(ran.err().contains("data race on `shared`"), "{}", ran.err());
    }
}

/// A server on a loopback port of its own choice, which it writes to the file `port`. Each of two connections is served by a
/// thread; both threads count without a lock.
const SERVER: &str = r#"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static int served;
static void *serve(void *arg) {
    int connection = (int)(long)arg;
    char byte;
    if (read(connection, &byte, 1) == 1) served++;
    close(connection);
    return NULL;
}
int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    bind(listener, (struct sockaddr *)&address, sizeof address);
    listen(listener, 8);
    getsockname(listener, (struct sockaddr *)&address, &size);
    FILE *file = fopen("port.new", "w");
    fprintf(file, "%d\n", ntohs(address.sin_port));
    fclose(file);
    rename("port.new", "port");
    for (;;) {
        pthread_t thread;
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) exit(1);
        pthread_create(&thread, NULL, serve, (void *)(long)connection);
        pthread_detach(thread);
    }
}
"#;

#[test]
fn a_server_is_checked_with_its_client() {
    let scratch = Scratch::with(&[("server.c", SERVER)]);
    let client = "for i in 1 2; do printf x | timeout 5 bash -c 'cat > /dev/tcp/127.0.0.1/'$(cat port); done";
    let mut check = scratch.command(FORETRACE);
    check.args(["check", "server.c", "--budget", "60s", "--client", client]);
    let began = Instant::now();
    let output = check.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("data race on `served`") && said.contains("was ended after its client"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(150), "it waited for time to pass");
    assert!(
        said.contains("it fails in every order that was tried"),
        "why it fails is asked with the client, too: {said}"
    );
    let finding = scratch.shell("echo foretrace-findings/data-race-*").out();
    let replayed = scratch.run(&format!("foretrace replay {}", finding.trim()));
    assert!(replayed.out().ends_with("failed 1 of 1 times\n"), "{} {}", replayed.out(), replayed.err());
}

#[test]
fn little_stack_is_enough() {
    let scratch =
        Scratch::with(&[("p.csp", "channel a\nP = a -> P\nassert P :[deadlock free]\n"), ("prog.c", COUNTER)]);
    scratch.shell("foretrace cc -g -pthread -o prog prog.c").succeeds();
    for line in ["foretrace csp p.csp", "foretrace check -- ./prog", "foretrace record -o run.ft ./prog"] {
        scratch.shell(&format!("ulimit -s 64; {line}")).succeeds();
    }
}

#[test]
fn nothing_is_left_where_there_are_few_descriptors() {
    let scratch = Scratch::with(&[("prog.c", COUNTER)]);
    scratch.shell("foretrace cc -g -pthread -o prog prog.c && mkdir tmp").succeeds();
    for count in 4..20 {
        scratch.shell(&format!("ulimit -n {count}; TMPDIR=$PWD/tmp foretrace check -- ./prog"));
        assert_eq!(scratch.shell("ls tmp").out(), "", "with {count} descriptors");
    }
}

/// Asks how many threads to start.
const ASKS: &str = r#"
#include <pthread.h>
#include <stdio.h>
int shared;
static void *add(void *unused) { shared++; return unused; }
int main(void) {
    int count = 0;
    if (scanf("%d", &count) != 1 || count > 4) return 3;
    pthread_t threads[4];
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    return 0;
}
"#;

#[test]
fn replays_that_get_no_input_from_a_terminal_are_said() {
    needs("script");
    let scratch = Scratch::with(&[("asks.c", ASKS)]);
    scratch.run("foretrace-cc -g -pthread asks.c -o asks").succeeds();
    let on_terminal = format!("echo 2 | script -qec '{FORETRACE} check --all -- ./asks' shown");
    let shown = scratch.shell(&on_terminal).out();
    assert!(shown.contains("the standard input is a terminal"), "{shown}");
    let from_pipe = scratch.shell(&format!("echo 2 | {FORETRACE} check -- ./asks"));
    assert_eq!(from_pipe.code(), Some(1), "{}", from_pipe.err());
    assert!(!from_pipe.err().contains("terminal"), "{}", from_pipe.err());
}

/// Its main thread ends before the others; the last of them ends the process.
const LEAVES: &str = r"
#include <pthread.h>
static void *nothing(void *arg) { return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}
";

#[test]
fn a_main_thread_that_has_ended_is_not_waited_for() {
    let scratch = Scratch::with(&[("leaves.c", LEAVES)]);
    scratch.run("foretrace-cc -g leaves.c -o leaves -pthread").succeeds();
    for command in ["record", "check"] {
        scratch.shell(&format!("timeout -s KILL 60 {FORETRACE} {command} --linger 1h -- ./leaves")).succeeds();
    }
}
