//! `foretrace trace`: looks into recordings and text, converts between forms, and refuses what is neither.

use crate::support::{COUNTER, Scratch};

fn recorded() -> Scratch {
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    scratch.run("foretrace-cc --compiler=gcc -O2 a.c -o prog").succeeds();
    scratch.records("./prog", "2000\n");
    scratch
}

/// The number after a word at the beginning of a line.
fn count(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().map(str::trim).find(|line| line.starts_with(word))?;
    line.split_whitespace().last()?.parse().ok()
}

#[test]
fn info_counts() {
    let info = recorded().run("foretrace trace info out.ft").succeeds().out();
    assert_eq!(
        (count(&info, "threads"), count(&info, "lock "), count(&info, "unlock")),
        (Some(3), Some(2000), Some(2000))
    );
    assert!(info.contains("built with foretrace cc") && info.contains("complete"), "{info}");
}

#[test]
fn dump_has_files_and_lines() {
    let scratch = recorded();
    let line = 1 + COUNTER.lines().position(|line| line.contains("counter++")).expect("it is there");
    let dump = scratch.run("foretrace trace dump out.ft").succeeds().out();
    assert!(
        dump.lines().any(|event| event.contains("write counter") && event.ends_with(&format!("a.c:{line}"))),
        "{dump}"
    );
    let raw = scratch.run("foretrace trace dump --raw out.ft").succeeds().out();
    assert_eq!(raw.lines().filter(|record| record.contains(" unlock ")).count(), 2000);
}

#[test]
fn every_form_into_every_other() {
    let scratch = recorded();
    scratch.all(&[
        "foretrace trace convert out.ft --to text -o a.trace",
        "foretrace trace convert a.trace --to binary -o b.ft",
        "foretrace trace convert b.ft --to std -o c.std",
        "foretrace trace convert c.std --to text -o d.trace",
    ]);
    for trace in ["a.trace", "c.std", "d.trace"] {
        let info = scratch.run(&format!("foretrace trace info {trace}")).succeeds().out();
        assert_eq!((count(&info, "threads"), count(&info, "Lock")), (Some(3), Some(2000)), "{trace}: {info}");
    }
    assert!(scratch.run("foretrace trace convert out.ft --to std").succeeds().out().contains("|acq("));
}

#[test]
fn a_recording_without_events_opens() {
    let scratch = Scratch::new();
    scratch.run("foretrace record true").succeeds();
    assert!(scratch.run("foretrace trace info").succeeds().out().contains("made no thread"));
    scratch.run("foretrace trace dump").refuses("there are no events");
}

#[test]
fn refusals() {
    let scratch = Scratch::with(&[("empty.ft", ""), ("bad.trace", "main fork\n"), ("zero", "\0\0\0")]);
    scratch.run("foretrace trace info no-such-file").refuses("no-such-file: No such file");
    scratch.run("foretrace trace info bad.trace").refuses("bad.trace: line 1, column");
    scratch.run("foretrace trace dump --raw bad.trace").refuses("only a recording has records");
    scratch.run("foretrace trace convert bad.trace --to binary").refuses("name one with -o");
    std::fs::create_dir(scratch.path("broken.ft")).expect("a directory can be made");
    std::fs::write(scratch.path("broken.ft/events"), "no recording").expect("a file can be written");
    scratch.run("foretrace trace info broken.ft").refuses("not a Foretrace recording");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = recorded();
    let mut dump = scratch.command(crate::support::FORETRACE);
    dump.args(["trace", "dump", "out.ft"]).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = dump.spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
