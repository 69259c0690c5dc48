//! What a check found is replayed, with the input that the recorded run read.

use super::*;

/// A thread a line of its input; they race.
const LINES: &str = r"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int lines;
static void *count(void *arg) {
    usleep(3000);
    lines++;
    return arg;
}
int main(void) {
    char line[64];
    pthread_t threads[2];
    int n = 0;
    while (n < 2 && fgets(line, sizeof line, stdin))
        pthread_create(&threads[n++], NULL, count, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return n;
}
";

#[test]
fn replays_read_what_the_recorded_run_read() {
    for input in ["< input", "< input cat |"] {
        let scratch = Scratch::with(&[("lines.c", LINES), ("input", "one\ntwo\n")]);
        let (before, after) = if input.ends_with('|') { (input, "") } else { ("", input) };
        let said = scratch.shell(&format!("{before} foretrace check lines.c {after}"));
        assert_eq!(said.code(), Some(1), "{}", said.err());
        assert!(said.err().contains("1 confirmed; the program ended with 2"), "{}", said.err());
        std::fs::remove_file(scratch.path("input")).expect("it is there");
        let again = scratch.run(&format!("foretrace replay --times 3 {}", finding(&scratch)));
        assert!(again.out().contains("failed 3 of 3 times"), "{}{}", again.out(), again.err());
        let again = scratch.shell("foretrace check --recording foretrace-findings/runs/lines-*/recording.ft");
        assert!(again.err().contains("1 confirmed"), "{}", again.err());
    }
}

#[test]
fn a_finding_is_replayed() {
    let scratch = scratch();
    scratch.run("foretrace check race.c");
    let folder = finding(&scratch);
    let ran = scratch.run(&format!("foretrace replay {folder} --times 3"));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.out().contains("failed 3 of 3 times"), "{}", ran.out());
    scratch.run("foretrace replay race.c").refuses("is not a finding");
}

/// Behind a race: which entry the second thread uses is what it reads. The finding's schedule brings the value about.
#[test]
fn what_hangs_on_a_value_is_found_and_replayed() {
    let scratch = scratch();
    std::fs::write(scratch.path("index.c"), INDEX).unwrap();
    let found = vec!["data-race".to_owned(); 2];
    assert_eq!(check(&scratch, "index.c"), (Some(1), found));
    let folders = scratch.path("foretrace-findings").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<(String, String)> = folders
        .filter_map(|folder| {
            Some((folder.display().to_string(), std::fs::read_to_string(folder.join("finding")).ok()?))
        })
        .collect();
    let late: Vec<_> = texts.iter().filter(|(_, text)| text.contains(" delay:index+0x")).collect();
    assert_eq!(late.len(), 1, "{texts:?}");
    assert!(late[0].1.contains("\nrepeats=8/8\n"), "{late:?}");
    let ran = scratch.run(&format!("foretrace replay {} --times 5", late[0].0));
    assert!(ran.out().contains("failed 5 of 5 times"), "{} {}", ran.out(), ran.err());
}

#[test]
fn a_debugger_stops_where_it_fails() {
    for name in ["race", "deadlock"] {
        let scratch = scratch();
        scratch.run(&format!("foretrace check {name}.c"));
        let folder = finding(&scratch);
        needs("gdb");
        let lldb = ["lldb", "lldb-19"].iter().any(|file| exists(file));
        if !lldb {
            skipped("lldb is missing, only gdb is tried");
        }
        for debugger in ["gdb", "lldb"].into_iter().filter(|name| *name == "gdb" || lldb) {
            let mut command = scratch.command(crate::support::FORETRACE);
            command.args(["replay", &folder, &format!("--{debugger}")]).stdin(std::process::Stdio::null());
            let output = command.output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(said.contains("__foretrace_failed") && said.contains("second"), "{debugger} {name}: {said}");
            assert!(said.contains(&format!("{name}.c:")), "{debugger} {name}: {said}");
        }
    }
}
