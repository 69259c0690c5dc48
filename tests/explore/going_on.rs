//! Searches on several cores, searches that are interrupted and go on, and input that does not end.

use crate::support::{Explored, Scratch};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What failed, without where it is kept.
fn titles(explored: &Explored) -> Vec<&str> {
    explored.text.lines().filter(|line| line.starts_with("error: ") || line.starts_with("   --> ")).collect()
}

#[test]
fn several_cores_find_what_one_finds() {
    let scratch = Scratch::new();
    let programs = [("programs/lastzero.c", "5"), ("programs/indexer.c", "13"), ("programs/readers.c", "7")];
    let bugs = ["bugs/account.c", "bugs/torn_pair.c", "bugs/philosophers.c"].map(|bug| (bug, "0"));
    for (source, size) in programs.into_iter().chain(bugs) {
        let program = scratch.build(source, &["-O1"]);
        let [one, many] = ["1", "3"].map(|jobs| scratch.explore(&program, &[size], &["--jobs", jobs]));
        assert!(one.orders().is_some(), "{source}: {}", one.text);
        assert_eq!((one.code, one.orders()), (many.code, many.orders()), "{source}: {}\n{}", one.text, many.text);
        assert_eq!(titles(&one), titles(&many), "{source}");
    }
}

/// The folder that the report says to go on with.
fn folder(explored: &Explored) -> &str {
    let (_, folder) = explored.text.split_once("--resume ").unwrap_or_else(|| panic!("{}", explored.text));
    folder.lines().next().expect("a line")
}

#[test]
fn a_search_goes_on_where_its_budget_ended() {
    let scratch = Scratch::new();
    let program = scratch.build("programs/readers.c", &["-O1"]);
    for jobs in ["1", "2"] {
        let flags = ["--jobs", jobs, "--strategy", "complete"];
        let mut explored = scratch.explore(&program, &["13"], &[&flags[..], &["--budget", "100ms"]].concat());
        let mut rounds = 0;
        while explored.code == 2 {
            rounds += 1;
            assert!(rounds < 100, "{}", explored.text);
            let more = ["--budget", "300ms", "--resume", folder(&explored)];
            explored = scratch.explore(&program, &["13"], &[&flags[..], &more].concat());
        }
        assert!(rounds > 0, "the budget was enough: {}", explored.text);
        assert_eq!((explored.code, explored.orders()), (0, Some(8_192)), "{}", explored.text);
        assert!(!scratch.path("foretrace-findings/unfinished").exists());
    }
}

/// Explores, and sends the tool a signal after a while.
fn interrupted(scratch: &Scratch, program: &Path, size: &str, after: Duration) -> Explored {
    let begin = Instant::now();
    let report = scratch.path("report");
    let mut command = scratch.exploring(program, &[size], &["--strategy", "complete"]);
    command.stdin(Stdio::null()).stderr(File::create(&report).expect("a file"));
    let mut child = command.spawn().expect("the command can be run");
    std::thread::sleep(after);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|killed| killed.success()));
    let code = child.wait().expect("it ends").code().unwrap_or(-1);
    Explored { code, text: std::fs::read_to_string(report).expect("a report"), time: begin.elapsed() }
}

#[test]
fn ctrl_c_keeps_everything() {
    let scratch = Scratch::new();
    let program = scratch.build("programs/readers.c", &["-O1"]);
    let explored = interrupted(&scratch, &program, "15", Duration::from_millis(700));
    assert_eq!(explored.code, 2, "{}", explored.text);
    assert!(explored.text.contains("interrupted"), "{}", explored.text);
    let resumed = scratch.explore(&program, &["15"], &["--strategy", "complete", "--resume", folder(&explored)]);
    assert_eq!((resumed.code, resumed.orders()), (0, Some(32_768)), "{}", resumed.text);
}

#[test]
fn what_was_found_before_is_reported_at_the_end() {
    let scratch = Scratch::new();
    let program = scratch.build("robust/crash_then_many.c", &["-O1"]);
    let first = scratch.explore(&program, &[], &["--strategy", "complete", "--budget", "300ms"]);
    assert_eq!(first.code, 1, "{}", first.text);
    let again = ["--strategy", "complete", "--budget", "1ms", "--resume", folder(&first)];
    let second = scratch.explore(&program, &[], &again);
    assert_eq!((second.code, titles(&second)), (1, titles(&first)), "{}", second.text);
}

#[test]
fn another_program_does_not_go_on() {
    let scratch = Scratch::new();
    let program = scratch.build("programs/readers.c", &["-O1"]);
    let explored = scratch.explore(&program, &["15"], &["--strategy", "complete", "--budget", "200ms"]);
    let folder = folder(&explored);
    let other = scratch.explore(&program, &["5"], &["--strategy", "complete", "--resume", folder]);
    assert_eq!(other.code, 2, "{}", other.text);
    assert!(other.text.contains("does not run as it did"), "{}", other.text);
    let other = scratch.explore(&program, &["15"], &["--resume", folder]);
    assert!(other.text.contains("--strategy complete"), "{}", other.text);
}

/// Standard input is a pipe that nobody closes.
#[test]
fn an_open_pipe_does_not_keep_the_search_from_starting() {
    let scratch = Scratch::new();
    let program = scratch.build("programs/readers.c", &["-O1"]);
    let (begin, report) = (Instant::now(), scratch.path("report"));
    let mut command = scratch.exploring(&program, &["3"], &[]);
    command.stdin(Stdio::piped()).stderr(File::create(&report).expect("a file"));
    let mut child = command.spawn().expect("the command can be run");
    let open = child.stdin.take();
    let status = child.wait().expect("it ends");
    drop(open);
    let text = std::fs::read_to_string(report).expect("a report");
    assert!(status.success() && begin.elapsed() < Duration::from_secs(60), "{text}");
    assert!(text.contains("the program was given an empty input"), "{text}");
    assert!(text.contains("all 8 orders"), "{text}");
}
