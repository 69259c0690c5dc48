//! `foretrace check` in each way into a program, with each of its answers.

mod bounds;
mod replay;

use crate::support::{Ran, Scratch, exists, needs, skipped};
use serde_json::Value;

/// Two threads change a variable without a lock.
const RACE: &str = r"
#include <pthread.h>
#include <unistd.h>
static int shared;
static void *first(void *arg) { shared = 1; return arg; }
static void *second(void *arg) { usleep(3000); shared = 2; return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 7;
}
";

/// Two threads lock in opposite orders, apart in time.
const DEADLOCK: &str = r"
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return arg;
}
static void *second(void *arg) {
    usleep(20000);
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
";

/// One thread counts, another uses the number as an index; one entry is a third thread's.
const INDEX: &str = r"
#include <pthread.h>
static volatile int next;
static int slots[8];
static void *counts(void *arg) { for (int i = 1; i < 5; i++) next = i; return arg; }
static void *uses(void *arg) { slots[next]++; return arg; }
static void *owns(void *arg) { slots[2]++; return arg; }
int main(void) {
    void *(*bodies[])(void *) = { counts, uses, owns };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
";

fn scratch() -> Scratch {
    Scratch::with(&[("race.c", RACE), ("deadlock.c", DEADLOCK), ("clean.c", crate::support::COUNTER)])
}

/// The kinds of the confirmed findings of a report.
fn kinds(ran: &Ran) -> Vec<String> {
    let report: Value = serde_json::from_str(&ran.out()).unwrap_or_else(|error| panic!("{error}: {}", ran.err()));
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .filter(|finding| finding["status"] == "confirmed")
        .map(|f| f["kind"].as_str().unwrap().to_owned())
        .collect()
}

/// Checks with a report in JSON: the answer, and what was found.
fn check(scratch: &Scratch, rest: &str) -> (Option<i32>, Vec<String>) {
    let ran = scratch.run(&format!("foretrace check --format json {rest}"));
    (ran.code(), kinds(&ran))
}

/// The folder of the one finding.
fn finding(scratch: &Scratch) -> String {
    let all = scratch.path("foretrace-findings").read_dir().expect("findings are kept");
    let names = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: Vec<String> = names.filter(|name| name != "runs").collect();
    assert_eq!(found.len(), 1, "{found:?}");
    format!("foretrace-findings/{}", found[0])
}

/// Both errors are found in builds made by this command.
fn finds_both(compiler: &str) {
    let scratch = scratch();
    for (name, kind) in [("race", "data-race"), ("deadlock", "deadlock")] {
        scratch.all(&[&format!("{compiler} -g -pthread {name}.c -o {name}")]);
        assert_eq!(check(&scratch, &format!("-- ./{name}")), (Some(1), vec![kind.to_owned()]), "{name}");
    }
}

#[test]
fn a_build_of_the_wrapper_is_checked_for_everything() {
    finds_both("foretrace-cc");
}

#[test]
fn a_build_with_gccs_threadsanitizer_is_checked_as_it_is() {
    finds_both("gcc -fsanitize=thread");
}

#[test]
fn an_ordinary_program_is_checked_for_deadlocks() {
    let scratch = scratch();
    scratch.all(&["gcc -g -pthread race.c -o race", "gcc -g -pthread deadlock.c -o deadlock"]);
    assert_eq!(check(&scratch, "-- ./deadlock"), (Some(1), vec!["deadlock".to_owned()]));
    assert_eq!(check(&scratch, "-- ./race"), (Some(0), vec![]));
}

/// Meets its deadlock in every run.
const ALWAYS: &str = r"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static void *waits(void *arg) {
    pthread_mutex_lock(&m);
    sem_wait(&s);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, waits, NULL);
    usleep(20000);
    pthread_mutex_lock(&m);
    sem_post(&s);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    return 0;
}
";

/// Its only thread beside `main` waits for a timer.
const TIMER: &str = r"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
static sem_t s;
static void ring(int signal) { (void)signal; sem_post(&s); }
static void *waits(void *arg) {
    while (sem_wait(&s)) {}
    return arg;
}
int main(void) {
    pthread_t a;
    sem_init(&s, 0, 0);
    signal(SIGALRM, ring);
    alarm(1);
    pthread_create(&a, NULL, waits, NULL);
    pthread_join(a, NULL);
    return 5;
}
";

#[test]
fn a_run_that_cannot_go_on_is_ended_and_one_that_waits_for_a_timer_is_not() {
    let scratch = Scratch::with(&[("always.c", ALWAYS), ("timer.c", TIMER)]);
    let stuck = scratch.run("foretrace check --timeout 10m always.c");
    assert_eq!(stuck.code(), Some(1), "{}", stuck.err());
    assert!(stuck.err().contains("error: deadlock"), "{}", stuck.err());
    assert!(stuck.err().contains("1 confirmed; the program could not go on and was ended"), "{}", stuck.err());
    let waits = scratch.run("foretrace check timer.c");
    assert_eq!(waits.code(), Some(0), "{}", waits.err());
    assert!(waits.err().contains("nothing found; the program ended with 5"), "{}", waits.err());
}

#[test]
fn a_recording_is_checked_like_a_run() {
    let scratch = scratch();
    scratch.all(&["foretrace-cc -g -pthread race.c -o race"]);
    assert_eq!(scratch.run("foretrace record -o run.ft -- ./race").code(), Some(7));
    assert_eq!(check(&scratch, "--recording run.ft"), (Some(1), vec!["data-race".to_owned()]));
    scratch.run("foretrace check --recording nowhere.ft").refuses("nowhere.ft");
}

#[test]
fn the_answers() {
    let scratch = scratch();
    let found = scratch.run("foretrace check race.c");
    assert_eq!(found.code(), Some(1), "{}", found.err());
    assert!(found.err().contains("1 confirmed; the program ended with 7"), "{}", found.err());
    assert_eq!(found.out(), "");
    let nothing = scratch.run("foretrace check clean.c");
    assert_eq!((nothing.code(), nothing.out()), (Some(0), "2000\n".to_owned()), "{}", nothing.err());
    assert!(nothing.err().contains("nothing found; the program ended with 0"), "{}", nothing.err());
    scratch.run("foretrace check -- ./nobody").refuses("./nobody");
    assert_eq!(scratch.run("foretrace check --cflags=-no-such-flag race.c").code(), Some(2));
    let races = scratch.run("foretrace check --look-for races deadlock.c");
    assert_eq!(races.code(), Some(0), "{}", races.err());
}

#[test]
fn suppressions_in_threadsanitizers_syntax() {
    let scratch = scratch();
    let write = |text: &str| std::fs::write(scratch.path("hide"), text).unwrap();
    write("# ours\nrace:^second$\ndeadlock:nobody\n");
    let ran = scratch.run("foretrace check --suppressions hide race.c");
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
    assert!(ran.err().contains("1 suppressed") && ran.err().contains("`deadlock:nobody` hid nothing"), "{}", ran.err());
    write("race:third\n");
    assert_eq!(scratch.run("foretrace check --suppressions hide race.c").code(), Some(1));
    write("rice:third\n");
    scratch.run("foretrace check --suppressions hide race.c").refuses("line 1");
}

const ONE_LINE: &str = "\
#include <pthread.h>
#include <unistd.h>
static int a, b, slots[2];
static void *work(void *arg) { a++; b++; for (int i = 0; i < 2; i++) slots[i] = slots[i] + 1; return arg; }
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return execl(\"/bin/sh\", \"sh\", \"-c\", \"exit 3\", (char *)NULL);
}
";

/// The ids of the findings in a program under this name, and the whole report.
fn ids(scratch: &Scratch, file: &str) -> (Vec<String>, Value) {
    let ran = scratch.run(&format!("foretrace check --format json {file}"));
    let report: Value = serde_json::from_str(&ran.out()).unwrap_or_else(|error| panic!("{error}: {}", ran.err()));
    let findings = report["findings"].as_array().expect("a list").iter();
    (findings.map(|finding| finding["id"].as_str().expect("a text").to_owned()).collect(), report)
}

#[test]
fn every_variable_of_a_line_is_told_once_under_the_same_name_in_every_run() {
    let scratch = Scratch::new();
    for folder in ["a", "b"] {
        std::fs::create_dir(scratch.path(folder)).unwrap();
        std::fs::write(scratch.path(folder).join("main.c"), ONE_LINE).unwrap();
    }
    let (mut first, report) = ids(&scratch, "a/main.c");
    first.sort();
    assert_eq!(first.len(), 3, "a, b and slots: {report}");
    let (mut again, _) = ids(&scratch, "a/main.c");
    again.sort();
    assert_eq!(first, again);
    let (other, _) = ids(&scratch, "b/main.c");
    assert!(other.iter().all(|id| !first.contains(id)), "{other:?} {first:?}");
    assert_eq!((&report["counts"]["confirmed"], &report["exit_code"]), (&Value::from(3), &Value::from(3)));
    assert!(report["pid"].as_u64().is_some_and(|pid| pid > 1), "{report}");
    assert!(report["notes"][0].as_str().is_some_and(|note| note.contains("exec")), "{report}");
}

#[test]
fn predictions_that_count_are_failures_in_every_form() {
    let ran = scratch().run("foretrace check --replays 0 --fail-on predicted --format junit race.c");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.out().contains("failures=\"1\"") && ran.out().contains("skipped=\"0\""), "{}", ran.out());
}

#[test]
fn colours_can_be_asked_for() {
    let scratch = scratch();
    let coloured = |flags: &str| scratch.run(&format!("foretrace check {flags} clean.c")).err().contains('\u{1b}');
    assert_eq!((coloured(""), coloured("--color always")), (false, true));
}
