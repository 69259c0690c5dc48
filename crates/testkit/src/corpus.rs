//! The corpus of programs under `tests/programs`: what each is expected to show, and whether a report says so.
//!
//! A program in `fail` marks the lines of its errors: `// expect: race with line 12`, `// expect: deadlock`, `// expect: crash`; `may` in place of
//! `expect` if not every run comes to those lines. One in `pass` has none. A *miss* is an expectation that no finding fits: one of its kind, with a thread at the marked line and one at the
//! other. A *false alarm* is a finding that is of no kind the program has marks of, or elsewhere: each access of a race
//! must be at a line that some mark of a race names, one thread of a deadlock at a line that a mark of one names.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A kind of error, as reports spell it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expected {
    /// `data-race`
    Race,
    /// `deadlock`
    Deadlock,
    /// `crash`
    Crash,
}

/// One mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What is expected.
    pub what: Expected,
    /// It must be found; otherwise it may be.
    pub must: bool,
    /// On which line, from 1.
    pub line: u32,
    /// And on which other.
    pub with: Option<u32>,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specimen {
    /// Where it is.
    pub path: PathBuf,
    /// Its name: the path below the corpus.
    pub name: String,
    /// What it is expected to show.
    pub marks: Vec<Mark>,
}

impl Specimen {
    /// Is it C++?
    pub fn is_cxx(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "cc")
    }

    /// The compiler's flags for its language, in one word.
    pub fn language(&self) -> &'static str {
        if self.is_cxx() { "-std=c++20" } else { "-std=gnu17" }
    }
}

/// What a report gets wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// Marks that nothing fits.
    pub misses: Vec<Mark>,
    /// Findings that were not expected, in words.
    pub false_alarms: Vec<String>,
}

impl Judgement {
    /// Nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.misses.is_empty() && self.false_alarms.is_empty()
    }
}

/// All programs below a directory, by name.
///
/// # Errors
/// If it cannot be read.
pub fn specimens(root: &Path) -> io::Result<Vec<Specimen>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c" || ending == "cc") {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                let marks = marks(&fs::read_to_string(&path)?);
                found.push(Specimen { path, name, marks });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn kind(word: &str) -> Expected {
    match word {
        "deadlock" => Expected::Deadlock,
        "crash" => Expected::Crash,
        _ => Expected::Race,
    }
}

fn marks(text: &str) -> Vec<Mark> {
    let mark = |(index, line): (usize, &str)| {
        let must = line.contains("// expect: ");
        let mark = line.split_once(if must { "// expect: " } else { "// may: " })?.1.trim();
        let (what, rest) = mark.split_once(' ').unwrap_or((mark, ""));
        let what = kind(what);
        let with = rest.strip_prefix("with line ").and_then(|number| number.parse().ok());
        Some(Mark { what, must, line: index as u32 + 1, with })
    };
    text.lines().enumerate().filter_map(mark).collect()
}

/// What a tool reports: an error of a kind, with the lines of the program on the stack of each thread that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The kind; none is one that no program of the corpus has.
    pub what: Option<Expected>,
    /// For each thread that takes part the lines of its calls. Empty if the tool knows no stack.
    pub lines: Vec<BTreeSet<u32>>,
}

/// What a report in JSON gets wrong.
pub fn judge(specimen: &Specimen, report: &Value) -> Judgement {
    let findings = report["findings"].as_array().into_iter().flatten();
    judge_found(specimen, &findings.filter_map(|finding| found(specimen, finding)).collect::<Vec<_>>())
}

/// What these findings get wrong.
pub fn judge_found(specimen: &Specimen, findings: &[Found]) -> Judgement {
    let missing = |mark: &&Mark| mark.must && !findings.iter().any(|found| fits(found, mark));
    let strange = findings.iter().filter(|found| !is_expected(found, &specimen.marks));
    let words = |found: &Found| match found.what {
        Some(what) => format!("{what:?} at lines {:?}", found.lines),
        None => "another kind of error".to_owned(),
    };
    Judgement {
        misses: specimen.marks.iter().filter(missing).copied().collect(),
        false_alarms: strange.map(words).collect(),
    }
}

/// A confirmed finding of a report.
fn found(specimen: &Specimen, finding: &Value) -> Option<Found> {
    let file = specimen.path.file_name()?.to_str()?;
    let what = kind(finding["kind"].as_str().unwrap_or_default());
    let of_site = |site: &Value| {
        let frames = site["stack"].as_array().into_iter().flatten();
        let own = frames.filter(|frame| frame["file"].as_str().is_some_and(|name| name.ends_with(file)));
        own.filter_map(|frame| frame["line"].as_u64()).map(|line| line as u32).collect()
    };
    let lines = finding["sites"].as_array()?.iter().map(of_site).collect();
    (finding["status"] == "confirmed").then_some(Found { what: Some(what), lines })
}

fn fits(found: &Found, mark: &Mark) -> bool {
    let on = |line: u32| found.lines.iter().any(|lines| lines.contains(&line));
    let other = |with: u32| on(with) || found.lines.iter().any(BTreeSet::is_empty);
    found.what == Some(mark.what) && on(mark.line) && mark.with.is_none_or(other)
}

fn is_expected(found: &Found, marks: &[Mark]) -> bool {
    let own = marks.iter().filter(|mark| Some(mark.what) == found.what);
    let named: BTreeSet<u32> = own.flat_map(|mark| [Some(mark.line), mark.with]).flatten().collect();
    let is_there = |lines: &BTreeSet<u32>| lines.is_empty() || !lines.is_disjoint(&named);
    match found.what {
        Some(Expected::Race) => !named.is_empty() && found.lines.iter().all(is_there),
        Some(Expected::Deadlock | Expected::Crash) => !named.is_empty() && found.lines.iter().any(is_there),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn specimen() -> Specimen {
        let marks = marks("int x;\nx++; // expect: race with line 3\nx++;\n");
        Specimen { path: "fail/x.c".into(), name: "fail/x.c".to_owned(), marks }
    }

    fn report(kind: &str, lines: [u32; 2]) -> Value {
        let site = |line: u32| json!({ "stack": [{ "file": "a/x.c", "line": line }] });
        json!({ "findings": [{ "kind": kind, "status": "confirmed", "sites": [site(lines[0]), site(lines[1])] }] })
    }

    #[test]
    fn reports_are_judged() {
        let right = judge(&specimen(), &report("data-race", [3, 2]));
        assert!(right.is_right(), "{right:?}");
        assert_eq!(judge(&specimen(), &report("data-race", [2, 2])).misses.len(), 1);
        let elsewhere = judge(&specimen(), &report("data-race", [2, 1]));
        assert_eq!((elsewhere.misses.len(), elsewhere.false_alarms.len()), (1, 1));
        let strange = judge(&specimen(), &report("deadlock", [2, 3]));
        assert_eq!((strange.misses.len(), strange.false_alarms.len()), (1, 1));
    }
}
