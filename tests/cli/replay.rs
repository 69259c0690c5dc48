//! `foretrace replay` of what there is, and of what is not a finding.

use crate::support::Scratch;
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
    let ran = scratch.shell(&format!("{replay} --recording 'what was found/runs/race/recording.ft'"));
    assert_eq!((ran.code(), ran.out().as_str()), (Some(1), "the schedule: failed 1 of 1 times\n"), "{}", ran.err());
    scratch.shell(&replay).refuses("--recording");
}

#[test]
fn what_is_not_a_finding_is_refused_and_not_replayed() {
    let (scratch, command) = found();
    let folder = folder(&command);
    scratch.shell("foretrace replay nowhere").refuses("nowhere is no finding");
    assert_eq!(scratch.shell(&format!("{command} --times 0")).code(), Some(2));
    for size in [0, 19, 40] {
        scratch.shell(&format!("truncate -s {size} {folder}/schedule && {command}")).refuses("is not a whole schedule");
    }
    scratch.shell(&format!("rm {folder}/schedule && {command}")).refuses("cannot read");
    scratch.shell(&format!("sed -i /^command=/d {folder}/finding && {command}")).refuses("no command=");
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
