//! Parses the output of ThreadSanitizer and Helgrind into findings.
//!
//! Both print a report as sections: a headline (`Write of size 4 by thread T1:`), then the calls, innermost first. The
//! first two sections of a race are its accesses; all sections of a lock order are acquisitions.

use foretrace_testkit::corpus::{Expected, Found};
use std::collections::BTreeSet;

/// Two accesses.
const ACCESSES: usize = 2;

/// The reports of ThreadSanitizer about a program whose source has this name.
pub fn tsan(text: &str, source: &str) -> Vec<Found> {
    let reports = text.split("WARNING: ThreadSanitizer: ").skip(1);
    // A thread that is not joined at the program's end is not an error of the compared kinds.
    let reports = reports.filter(|report| !report.starts_with("thread leak"));
    reports
        .map(|report| {
            let what = kind(
                report.lines().next().unwrap_or_default(),
                &["data race", "heap-use-after-free"],
                "lock-order-inversion",
            );
            let report = report.split("SUMMARY: ").next().unwrap_or(report);
            found(what, sections(report, source, |line| line.trim_start().starts_with('#')))
        })
        .collect()
}

/// The reports of Helgrind.
pub fn helgrind(text: &str, source: &str) -> Vec<Found> {
    let said: Vec<&str> = text.lines().filter_map(after_number).collect();
    let ruled = format!("\n{}", said.join("\n"));
    let reports = ruled.split("\n ---");
    let about =
        |report: &&str| report.contains("Possible data race") || report.contains("lock order") || is_complaint(report);
    let is_call = |line: &str| ["at 0x", "by 0x"].iter().any(|word| line.trim_start().starts_with(word));
    reports
        .filter(about)
        .map(|report| {
            let what = kind(report, &["Possible data race"], "lock order");
            // The report may begin with where the locks came from.
            let begin = report.find("Possible data race").or_else(|| report.find("lock order")).unwrap_or(0);
            found(what, sections(&report[begin..], source, is_call))
        })
        .collect()
}

/// The line without `==1234==`.
fn after_number(line: &str) -> Option<&str> {
    line.strip_prefix("==")?.split_once("==").map(|(_, rest)| rest)
}

/// Misuse of a primitive (`Thread #1 unlocked a not-locked lock at …`), not the announcement of a thread.
fn is_complaint(report: &str) -> bool {
    report.lines().any(|line| {
        line.starts_with(" Thread #") && !line.contains("was created") && !line.contains("is the program's root")
    })
}

fn kind(report: &str, races: &[&str], deadlock: &str) -> Option<Expected> {
    match () {
        () if races.iter().any(|race| report.contains(race)) => Some(Expected::Race),
        () if report.contains(deadlock) => Some(Expected::Deadlock),
        () => None,
    }
}

fn found(what: Option<Expected>, mut sections: Vec<BTreeSet<u32>>) -> Found {
    if what == Some(Expected::Race) {
        sections.truncate(ACCESSES);
    }
    Found { what, lines: sections }
}

/// The program's lines in each stack.
fn sections(report: &str, source: &str, is_call: impl Fn(&str) -> bool) -> Vec<BTreeSet<u32>> {
    let mut sections = Vec::new();
    let mut within = false;
    for line in report.lines() {
        let call = is_call(line);
        if call && !within {
            sections.push(BTreeSet::new());
        }
        within = call;
        if let Some(last) = sections.last_mut().filter(|_| call) {
            last.extend(line_in(line, source));
        }
    }
    sections
}

/// The number after `source:` in a line.
fn line_in(line: &str, source: &str) -> Option<u32> {
    let at = line.find(&format!("{source}:"))? + source.len() + 1;
    let digits: String = line[at..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_threadsanitizer() {
        let text = "==================\nWARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T2:\n    \
            #0 b /x/p.c:10 (p+0x1)\n    #1 main /x/p.c:20\n\n  Previous write of size 4 at 0x1 by thread T1:\n    #0 a \
            /x/p.c:5 (p+0x2)\n\n  Thread T2 created by main thread at:\n    #0 pthread_create\n    #1 main /x/p.c:13\n\n\
            SUMMARY: ThreadSanitizer: data race /x/p.c:10 in b\n==================\nWARNING: ThreadSanitizer: double lock (pid=1)\n";
        let found = tsan(text, "p.c");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].what, found[1].what), (Some(Expected::Race), None));
        assert_eq!(found[0].lines, [BTreeSet::from([10, 20]), BTreeSet::from([5])]);
    }

    #[test]
    fn reports_of_helgrind() {
        let rule = "==7== ----------------------------------------------------------------";
        let text = format!(
            "==7== ---Thread-Announcement---\n==7== \n==7== Thread #3 was created\n==7==    at 0x1: clone (clone.S:76)\n{rule}\n\
             ==7== \n==7==  Lock at 0x9 was first observed\n==7==    at 0x9: b (p.c:9)\n==7== \n==7== Possible data race during read of size 4 at 0x4040 by thread #3\n==7== Locks held: none\n==7==    at \
             0x40118F: b (p.c:10)\n==7==    by 0x48: start (in /x.so)\n==7== \n==7== This conflicts with a previous write of \
             size 4 by thread #2\n==7==    at 0x401169: a (p.c:5)\n==7==  Location 0x4040 is 0 bytes inside global var \"count\"\n\
             ==7==  declared at p.c:3\n{rule}\n==7== \n==7== Thread #3: lock order \"0x1 before 0x2\" violated\n==7==    at 0x2: f (p.c:7)\n"
        );
        let found = helgrind(&text, "p.c");
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].lines, [BTreeSet::from([10]), BTreeSet::from([5])]);
        assert_eq!((found[1].what, &found[1].lines[..]), (Some(Expected::Deadlock), &[BTreeSet::from([7])][..]));
    }
}
