//! `foretrace replay` of what there is, of what has changed or moved, and of what is not a finding.

use crate::support::{Scratch, needs};
use std::time::{Duration, Instant};

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
    return 0;
}
";

/// A scratch directory in which the race has been found, in a folder whose name a shell must be told with care.
fn found() -> (Scratch, String) {
    let scratch = Scratch::with(&[("race.c", RACE)]);
    let ran = scratch.shell("foretrace check race.c --findings 'what was found'");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    let report = ran.err();
    let (_, command) = report.split_once("to see it again: ").expect("how to see it");
    (scratch, command.lines().next().expect("a line").to_owned())
}

fn folder(command: &str) -> &str {
    command.strip_prefix("foretrace replay ").expect("it begins so")
}

#[test]
fn the_command_of_a_report_can_be_pasted() {
    let (scratch, command) = found();
    assert!(command.contains("'what was found/data-race-"), "{command}");
    let ran = scratch.shell(&format!("{command} --times 3"));
    assert_eq!((ran.code(), ran.out().as_str()), (Some(1), "data race on `shared`: failed 3 of 3 times\n"));
}

#[test]
fn a_schedule_can_be_pasted_with_its_recording() {
    let (scratch, command) = found();
    let schedule = scratch.shell(&format!("grep ^schedule= {}/finding | cut -d= -f2", folder(&command))).out();
    let replay = format!("foretrace replay '{}'", schedule.trim());
    let ran = scratch.shell(&format!("{replay} --recording 'what was found'/runs/race-*/recording.ft"));
    assert_eq!((ran.code(), ran.out().as_str()), (Some(1), "the schedule: failed 1 of 1 times\n"), "{}", ran.err());
    scratch.shell(&replay).refuses("--recording");
}

#[test]
fn what_is_not_a_finding_is_refused_and_not_replayed() {
    let (scratch, command) = found();
    let folder = folder(&command);
    scratch.shell("foretrace replay nowhere").refuses("nowhere is not a finding");
    assert_eq!(scratch.shell(&format!("{command} --times 0")).code(), Some(2));
    scratch.shell(&format!("cp {folder}/finding whole")).succeeds();
    scratch.shell(&format!("sed -i s/^places=.*/places=xx/ {folder}/finding && {command}")).refuses("places=xx");
    scratch.shell(&format!("sed -i /^places=/d {folder}/finding && {command}")).refuses("no places=");
    scratch.shell(&format!("cp whole {folder}/finding")).succeeds();
    for size in [0, 19, 40] {
        scratch.shell(&format!("truncate -s {size} {folder}/schedule && {command}")).refuses("is not a whole schedule");
    }
    scratch.shell(&format!("rm {folder}/schedule && {command}")).refuses("cannot read");
}

#[test]
fn what_would_be_ignored_is_refused() {
    let (scratch, command) = found();
    for option in ["--gdb --times 3", "--lldb --timeout 5s", "--gdb --lldb"] {
        let ran = scratch.shell(&format!("{command} {option}"));
        assert!(ran.code() == Some(2) && ran.err().contains("cannot be used with"), "{}", ran.err());
    }
    let ran = scratch.shell(&format!("{command} --timeout 5s"));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
}

/// Builds a program as it is, checks it, and says how to see what was found.
fn found_in(scratch: &Scratch, build: &str, check: &str) -> String {
    scratch.shell(build).succeeds();
    let ran = scratch.shell(check);
    assert_eq!(ran.code(), Some(1), "{check}: {}", ran.err());
    let report = ran.err();
    let (_, command) = report.split_once("to see it again: ").expect("how to see it");
    command.lines().next().expect("a line").to_owned()
}

const BUILD: &str = "gcc -g -pthread -fsanitize=thread race.c -o race";

#[test]
fn programs_of_one_name_are_kept_apart() {
    let other = RACE.replace("first", "uno").replace("second", "due").replace("shared = 2", "\n shared = 2");
    let scratch = Scratch::new();
    for (folder, text) in [("a", RACE), ("b", &other)] {
        std::fs::create_dir(scratch.path(folder)).expect("a directory can be made");
        std::fs::write(scratch.path(&format!("{folder}/main.c")), text).expect("a file can be written");
    }
    let [a, b] = ["a", "b"].map(|folder| found_in(&scratch, "true", &format!("foretrace check {folder}/main.c")));
    for command in [a, b] {
        let ran = scratch.shell(&format!("{command} --times 2"));
        assert!(ran.out().contains("failed 2 of 2 times"), "{}{}", ran.out(), ran.err());
    }
}

#[test]
fn a_program_that_has_changed_is_not_replayed() {
    let scratch = Scratch::with(&[("race.c", RACE)]);
    let command = found_in(&scratch, BUILD, "foretrace check -- ./race");
    scratch.shell("foretrace record -- ./race").succeeds();
    let recheck = "foretrace check --recording foretrace.ft";
    assert_eq!(scratch.shell(recheck).code(), Some(1));
    scratch.shell("echo 'int unrelated;' >> race.c").succeeds();
    for build in [BUILD, "gcc -pthread race.c -o race"] {
        scratch
            .shell(&format!("{build} && {command}"))
            .refuses("race has changed since it was recorded; check it again");
        scratch.shell(recheck).refuses("race has changed since it was recorded");
    }
    scratch.shell(&format!("rm race && {command}")).refuses("build it there as it was");
}

#[test]
fn runs_that_no_finding_belongs_to_go_away() {
    let scratch = Scratch::with(&[("race.c", RACE)]);
    let runs = || std::fs::read_dir(scratch.path("foretrace-findings/runs")).expect("a directory").count();
    let first = found_in(&scratch, "true", "foretrace check race.c");
    let again = found_in(&scratch, "echo 'int unrelated;' >> race.c", "foretrace check race.c");
    assert_eq!((&again, runs()), (&first, 1), "the same error in a changed program");
    found_in(&scratch, "true", "foretrace check race.c -- argument");
    assert_eq!(runs(), 1);
    assert_eq!(scratch.shell(&first).code(), Some(1));
}

#[test]
fn a_library_that_has_changed_is_noticed() {
    let main = RACE
        .replace("static int shared;", "extern int shared; void write_two(void);")
        .replace("shared = 2", "write_two()");
    let scratch = Scratch::with(&[("main.c", &main), ("two.c", "int shared; void write_two(void) { shared = 2; }\n")]);
    let library = "gcc -g -shared -fPIC -fsanitize=thread two.c -o libtwo.so";
    let build = format!("{library} && gcc -g -pthread -fsanitize=thread main.c -o main -L. -ltwo -Wl,-rpath,$PWD");
    let command = found_in(&scratch, &build, "foretrace check -- ./main");
    let ran = scratch.shell(&command);
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    scratch
        .shell(&format!("echo 'int unrelated;' >> two.c && {library} && {command}"))
        .refuses("libtwo.so has changed");
}

#[test]
fn findings_can_be_moved() {
    let (scratch, command) = found();
    scratch.shell("mkdir far && mv 'what was found' far/").succeeds();
    let moved = command.replace("what was found", "far/what was found");
    let ran = scratch.shell(&format!("{moved} --times 2"));
    assert!(ran.out().contains("failed 2 of 2 times"), "{}{}", ran.out(), ran.err());
    scratch.shell(&format!("rm -r 'far/what was found/runs' && {moved}")).refuses("the folder `runs` belongs");
}

/// Races if it finds these bytes where it is told to look.
const PARTICULAR: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int shared;
static void *first(void *arg) { shared = 1; return arg; }
static void *second(void *arg) { usleep(3000); shared = 2; return arg; }
int main(int argc, char **argv) {
    const char *found = argc > 1 ? argv[1] : getenv("PARTICULAR");
    int races = found && !strcmp(found, "two\nlines \xff'");
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    if (!races)
        pthread_join(a, NULL);
    pthread_create(&b, NULL, second, NULL);
    if (races)
        pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"#;

#[test]
fn arguments_and_variables_are_kept_byte_by_byte() {
    let scratch = Scratch::with(&[("race.c", PARTICULAR)]);
    let bytes = r#""$(printf "two\nlines \377'")""#;
    let by_argument = format!("foretrace check --findings argument -- ./race {bytes}");
    let by_variable = format!(
        "PARTICULAR={bytes} GITHUB_TOKEN=hidden && export PARTICULAR GITHUB_TOKEN && foretrace check -- ./race"
    );
    for check in [by_argument, by_variable] {
        let command = found_in(&scratch, BUILD, &check);
        let ran = scratch.shell(&format!("{command} --times 2"));
        assert!(ran.out().contains("failed 2 of 2 times"), "{check}: {}{}", ran.out(), ran.err());
    }
    let kept = scratch
        .shell("stat -c %a foretrace-findings/runs/*/*/environment && cat foretrace-findings/runs/*/*/environment");
    assert!(
        kept.out().starts_with("600\n") && kept.out().contains(r"$'PARTICULAR=two\x0alines \xff\''"),
        "{}",
        kept.out()
    );
    assert!(!kept.out().contains("hidden"), "{}", kept.out());
}

/// Two threads take two locks in two orders.
const DEADLOCK: &str = r"
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *a, pthread_mutex_t *b) {
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}
static void *first(void *arg) { both(&m, &n); return arg; }
static void *second(void *arg) { usleep(20000); both(&n, &m); return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
";

/// For each way into a program, gdb shows the user's own line.
fn gdb_shows_the_line() {
    let scratch = Scratch::with(&[("race.c", RACE), ("dead.c", DEADLOCK)]);
    std::fs::create_dir(scratch.path("tmp")).expect("a directory can be made");
    for (build, check, source) in [
        ("true", "foretrace check race.c", "shared = 2; return"),
        ("gcc -g -pthread dead.c -o dead", "foretrace check -- ./dead", "pthread_mutex_lock(b);"),
        (BUILD, "foretrace check --findings again -- ./race", "shared = 2; return"),
    ] {
        let command = found_in(&scratch, build, &format!("export ODD=\"two\nlines\" && {check}"));
        let ran = scratch.shell(&format!("export TMPDIR=$PWD/tmp && {command} --gdb"));
        let said = ran.out();
        assert!(
            said.contains("__foretrace_failed") && said.contains("second (arg=0x0"),
            "{check}: {said}{}",
            ran.err()
        );
        let (_, selected) = said.rsplit_once("#4").expect("the program's own frame is selected");
        assert!(selected.contains(source), "{check}: {said}");
        assert_eq!(std::fs::read_dir(scratch.path("tmp")).expect("a directory").count(), 0, "{check} leaves nothing");
    }
}

/// With its arguments and its input the program races; without them it does nothing, and the debugger would see no failure.
#[test]
fn gdb_runs_the_program_with_its_arguments_and_its_input() {
    needs("gdb");
    let source = RACE.replace("int main(void) {", ARGUED);
    assert!(source.contains("argv[1]"), "the program looks at its arguments: {source}");
    let scratch = Scratch::with(&[("race.c", &source), ("input", "x\n")]);
    let command = found_in(&scratch, BUILD, "foretrace check -- ./race 'it'\\''s two words' < input");
    let ran = scratch.shell(&format!("{command} --gdb"));
    assert!(ran.out().contains("__foretrace_failed"), "{}{}", ran.out(), ran.err());
}

/// Another way is taken if the program finds a file that it did not find in the recorded run.
#[test]
fn a_debugger_session_that_diverged_says_so() {
    needs("gdb");
    let source = RACE.replace("pthread_create(&b", OTHER_WAY);
    assert_ne!(source, RACE);
    let scratch = Scratch::with(&[("race.c", &source)]);
    let command = found_in(&scratch, BUILD, "foretrace check -- ./race");
    let ran = scratch.shell(&format!("touch other && {command} --gdb"));
    assert!(ran.err().contains("the replay diverged: t0 reached a lock"), "{}{}", ran.out(), ran.err());
}

const OTHER_WAY: &str = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; \
    if (!access(\"other\", F_OK)) pthread_mutex_lock(&m); pthread_create(&b";

const ARGUED: &str = "#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv) { \
    if (argc != 2 || strcmp(argv[1], \"it's two words\") || getchar() != 'x') return 0;";

#[test]
fn a_script_is_replayed_but_not_in_a_debugger() {
    let scratch = Scratch::with(&[("race.c", RACE), ("script", "#!/bin/sh\n./race\n")]);
    let command = found_in(&scratch, &format!("{BUILD} && chmod +x script"), "foretrace check -- ./script");
    let ran = scratch.shell(&command);
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    scratch.shell(&format!("{command} --gdb")).refuses("script is a script; for a debugger");
    scratch.shell(&format!("echo 'int unrelated;' >> race.c && {BUILD} && {command}")).refuses("race has changed");
}

#[test]
fn gdb_stops_where_it_fails() {
    needs("gdb");
    gdb_shows_the_line();
}

/// Of several processes one is replayed: the first that makes a thread, or only the one that the tool has started.
#[test]
fn one_process_is_replayed() {
    let (scratch, command) = found();
    scratch.shell(&format!("foretrace cc race.c -o race && mkdir d && cp {}/schedule d", folder(&command))).succeeds();
    let replay = |only: u8, program: &str| {
        let settings = format!("replay exact=1 loose=0 hold=0 only_started={only} dir=$PWD/d");
        let line =
            format!("FORETRACE_TOOL=$$ FORETRACE_RUNTIME=\"{settings}\" {program}; cat d/outcome 2>/dev/null; true");
        scratch.shell(&line).succeeds().out()
    };
    let is_told = |outcome: &str| outcome.lines().filter(|line| line.starts_with("race ")).count() == 1;
    assert_eq!(replay(1, "sh -c './race; true'"), "", "another has started it");
    let first = replay(1, "./race");
    assert!(is_told(&first), "{first}");
    assert_eq!(replay(0, "./race"), first, "what one process has answered stands");
    scratch.shell("rm d/outcome d/progress").succeeds();
    assert!(is_told(&replay(0, "sh -c './race; ./race'")));
}

/// The same race in a program whose threads are interrupted all the time by a handler that does what they do.
#[test]
fn signals_keep_no_replay_from_its_end() {
    let program = include_str!("../programs/fail/signals/timer.c").replace("../../program.h", "program.h");
    let scratch = Scratch::with(&[("program.h", include_str!("../programs/program.h")), ("timer.c", &program)]);
    let ran = scratch.shell("foretrace check timer.c");
    let report = ran.err();
    let (_, command) = report.split_once("to see it again: ").expect("the race is found");
    let command = command.lines().next().expect("a line");
    let begin = Instant::now();
    let ran = scratch.shell(&format!("{command} --times 20 --timeout 60"));
    assert_eq!((ran.code(), ran.out().as_str()), (Some(1), "data race on `count`: failed 20 of 20 times\n"));
    assert!(begin.elapsed() < Duration::from_secs(60), "one was ended by its limit");
}
