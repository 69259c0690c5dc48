//! What a check does at its bounds: budgets, programs that do not end, files that cannot be written, much memory.

use super::*;

#[test]
fn a_budget_that_is_spent_leaves_predictions() {
    let scratch = scratch();
    let ran = scratch.run("foretrace check --budget 0s --all race.c");
    assert_eq!(ran.code(), Some(2), "{}", ran.err());
    assert!(
        ran.err().contains("nothing found in the rest") && ran.err().contains("not everything was checked"),
        "{}",
        ran.err()
    );
    let accepted = scratch.run("foretrace check --budget 0s --accept-partial race.c");
    assert_eq!(accepted.code(), Some(0), "{}", accepted.err());
    assert!(accepted.err().contains("not everything was checked"), "{}", accepted.err());
    let strict = scratch.run("foretrace check --replays 0 --fail-on predicted race.c");
    assert_eq!(strict.code(), Some(1), "{}", strict.err());
    assert!(strict.err().contains("predicted: data race"), "{}", strict.err());
}

#[test]
fn a_program_that_does_not_end_is_ended_and_checked() {
    // The first run finds no such file.
    let ends = RACE.replace("return 7;", "if (mkdir(\"again\", 0700) == 0) pause(); return 7;");
    let ends = format!("#include <sys/stat.h>\n{ends}");
    let scratch = Scratch::with(&[("race.c", &ends)]);
    let ran = scratch.run("foretrace check --timeout 2s --replays 1 race.c");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.err().contains("the program was ended after 2"), "{}", ran.err());
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    use std::process::Stdio;
    let scratch = scratch();
    for format in ["json", "sarif", "tsan", "junit", "github", "human"] {
        let mut command = scratch.command(crate::support::FORETRACE);
        command.args(["check", "--format", format, "race.c"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        if format == "human" {
            drop(child.stderr.take());
        }
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{format}: {said}");
        assert!(!said.contains("panicked"), "{format}: {said}");
    }
}

#[test]
fn a_report_is_not_lost_if_its_findings_cannot_be_kept() {
    let scratch = scratch();
    std::fs::write(scratch.path("taken"), "mine").expect("a file can be written");
    let ran = scratch.run("foretrace check race.c --findings taken");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    let said = ran.err();
    assert!(said.contains("warning: not all findings are kept: cannot write to taken"), "{said}");
    assert!(said.contains("error: data race") && !said.contains("to see it again"), "{said}");
    assert_eq!(std::fs::read_to_string(scratch.path("taken")).expect("it is there"), "mine");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_runs() {
    let scratch = scratch();
    scratch.shell("foretrace check -o no/where -- sh -c 'touch ran'").refuses("cannot write no/where");
    assert!(!scratch.path("ran").exists());
    std::fs::write(scratch.path("report"), "x".repeat(100_000)).expect("a file can be written");
    assert_eq!(scratch.run("foretrace check race.c -o report --format json").code(), Some(1));
    let report = std::fs::read_to_string(scratch.path("report")).expect("text");
    assert!(report.starts_with('{') && report.trim_end().ends_with('}'), "{report}");
}

#[test]
fn the_number_of_jobs_is_bounded() {
    let scratch = scratch();
    let refused = scratch.run("foretrace check --jobs 100000 race.c");
    assert_eq!(refused.code(), Some(2), "{}", refused.err());
    assert!(refused.err().contains("at most 256 run at a time"), "{}", refused.err());
    assert_eq!(scratch.run("foretrace check --jobs 256 race.c").code(), Some(1));
}

#[test]
fn a_recording_and_a_program_cannot_both_be_checked() {
    let scratch = scratch();
    for rest in ["-- ./prog arg", "race.c", "--cflags=-O2"] {
        let ran = scratch.run(&format!("foretrace check --recording foretrace.ft {rest}"));
        assert!(ran.code() == Some(2) && ran.err().contains("cannot be used with"), "{}", ran.err());
    }
}

#[test]
fn a_program_of_one_thread_has_nothing_to_find() {
    let alone = "#include <pthread.h>\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
        static void both(pthread_mutex_t *one, pthread_mutex_t *other) {\n\
        pthread_mutex_lock(one); pthread_mutex_lock(other); pthread_mutex_unlock(other); pthread_mutex_unlock(one);\n}\n\
        int main(void) { both(&a, &b); both(&b, &a); return 3; }\n";
    let scratch = Scratch::with(&[("alone.c", alone)]);
    let ran = scratch.run("foretrace check alone.c");
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
    assert!(ran.err().contains("one thread only") && ran.err().contains("ended with 3"), "{}", ran.err());
}

#[test]
fn what_could_not_be_looked_for_is_said() {
    let scratch = scratch();
    scratch.shell("gcc -g -pthread race.c -o race").succeeds();
    let ran = scratch.run("foretrace check -- ./race");
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
    assert!(ran.err().contains("only deadlocks were looked for"), "{}", ran.err());
    let ran = scratch.run("foretrace check --look-for races -- ./race");
    assert_eq!(ran.code(), Some(2), "{}", ran.err());
    assert!(ran.err().contains("races cannot be looked for"), "{}", ran.err());
}

/// A table that two threads take turns with, told by a variable under a lock, and a race beside it.
const LARGE: &str = r"
#include <pthread.h>
#include <unistd.h>
enum { N = 1 << 22 };
static int table[N], shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static int is_turn(int whose) {
    pthread_mutex_lock(&m);
    int mine = turn == whose;
    pthread_mutex_unlock(&m);
    return mine;
}
static void *work(void *arg) {
    int own = *(int *)arg;
    while (!is_turn(own))
        usleep(1000);
    for (int i = 0; i < N; i += 16)
        table[i]++;
    shared++;
    pthread_mutex_lock(&m);
    turn++;
    pthread_mutex_unlock(&m);
    shared++;
    return arg;
}
int main(void) {
    pthread_t threads[2];
    int numbers[] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
";

#[test]
fn of_large_memory_that_is_used_alike_some_is_looked_at() {
    let scratch = Scratch::with(&[("large.c", LARGE)]);
    let ran = scratch.run("foretrace check large.c");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.err().contains("data race on `shared`"), "{}", ran.err());
    assert!(
        ran.err().contains("lines of memory that could race") && ran.err().contains("1 confirmed"),
        "{}",
        ran.err()
    );
}
