//! The corpus of programs under `tests/programs`: what each is expected to show, and whether a report says so.
//!
//! A program in `fail` marks the lines of its errors: `// expect: race with line 12`, `// expect: deadlock`, `//
//! expect: crash`. `may` replaces `expect` if not every run reaches those lines. `at -O0` at the end limits the mark to
//! that level, because the compiler may remove one of the accesses at others. A program in `pass` has no marks. Any
//! other mark is an error. A line `// needs: glib-2.0` names libraries; `// needs: openmp` asks for the compiler's own.
//!
//! A *miss* is an expectation that no finding matches: a finding of its kind, with a thread at the marked line and one
//! at the other line. A *false alarm* is a finding whose kind is not marked in the program, or which is elsewhere: each
//! access of a race must be at a line that a race mark names, and one thread of a deadlock at a line that a deadlock
//! mark names.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kind of error, as reports spell it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expected {
    /// `data-race`
    Race,
    /// `deadlock`
    Deadlock,
    /// `wait-not-in-loop`
    WaitNotInLoop,
    /// `crash`
    Crash,
}

impl Expected {
    /// From the word of a mark, or of a report.
    fn of(word: &str) -> Option<Self> {
        match word {
            "race" | "data-race" => Some(Self::Race),
            "deadlock" => Some(Self::Deadlock),
            "wait-not-in-loop" => Some(Self::WaitNotInLoop),
            "crash" => Some(Self::Crash),
            _ => None,
        }
    }
}

/// One mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What is expected.
    pub what: Expected,
    /// Whether it must be found; otherwise it may be.
    pub must: bool,
    /// Its line, from 1.
    pub line: u32,
    /// The other line, if any.
    pub with: Option<u32>,
    /// The only level of optimisation at which it applies; none: every level.
    pub level: Option<Level>,
}

/// A level of optimisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::O0, Self::O1, Self::O2];

    /// As compilers spell it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
        }
    }

    fn named(flag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.flag() == flag)
    }
}

/// The library that compilers bring with a flag of their own.
const OPENMP: &str = "openmp";

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specimen {
    /// Where it is.
    pub path: PathBuf,
    /// Its name: the path below the corpus.
    pub name: String,
    /// What it is expected to show.
    pub marks: Vec<Mark>,
    /// Libraries that it needs, as `pkg-config` calls them, or [`OPENMP`].
    pub needs: Vec<String>,
}

impl Specimen {
    /// Is it C++?
    pub fn is_cxx(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "cc")
    }

    /// The program built at this level: marks of other levels may or may not hold.
    #[must_use]
    pub fn at(&self, level: Level) -> Self {
        let holds = |mark: &Mark| mark.level.is_none_or(|only| only == level);
        let marks = self.marks.iter().map(|mark| Mark { must: mark.must && holds(mark), ..*mark });
        Self { marks: marks.collect(), ..self.clone() }
    }

    /// The compiler's flags for its language, in one word.
    pub fn language(&self) -> &'static str {
        if self.is_cxx() { "-std=c++20" } else { "-std=gnu17" }
    }
}

impl Specimen {
    /// The compiler's flags for its language and its libraries.
    ///
    /// # Errors
    /// If a library is missing.
    pub fn flags(&self) -> io::Result<Vec<String>> {
        let mut flags = vec![self.language().to_owned()];
        let (compiler, libraries): (Vec<&String>, Vec<&String>) = self.needs.iter().partition(|need| *need == OPENMP);
        flags.extend(compiler.iter().map(|need| format!("-f{need}")));
        if !libraries.is_empty() {
            let asked = Command::new("pkg-config").args(["--cflags", "--libs"]).args(libraries).output()?;
            if !asked.status.success() {
                return Err(io::Error::other(format!("{} needs {}", self.name, self.needs.join(" "))));
            }
            flags.extend(String::from_utf8_lossy(&asked.stdout).split_whitespace().map(str::to_owned));
        }
        Ok(flags)
    }
}

/// The differences between a report and the marks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// Marks that no finding matches.
    pub misses: Vec<Mark>,
    /// Unexpected findings, in words.
    pub false_alarms: Vec<String>,
}

impl Judgement {
    /// Is everything as expected?
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
                let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {why}"));
                let text = fs::read_to_string(&path)?;
                let marks = marks(&text).map_err(wrong)?;
                if marks.is_empty() != name.starts_with("pass/") {
                    return Err(wrong("programs in `fail` have marks, those in `pass` have none".to_owned()));
                }
                found.push(Specimen { path, name, marks, needs: needs(&text) });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn needs(text: &str) -> Vec<String> {
    let named = text.lines().find_map(|line| line.strip_prefix("// needs: "));
    named.into_iter().flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// A comment that resembles a mark without being one is an error: a misspelt mark would expect nothing.
fn marks(text: &str) -> Result<Vec<Mark>, String> {
    let mut marks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else { continue };
        let Some((word, mark)) = comment.split_once(':') else { continue };
        let (word, mark) = (word.trim(), mark.trim());
        if is_like_a_mark(word, mark) {
            let line = index as u32 + 1;
            marks.push(mark_of(word, mark, line).ok_or(format!("line {line}: unknown mark `{}`", comment.trim()))?);
        }
    }
    Ok(marks)
}

fn is_like_a_mark(word: &str, mark: &str) -> bool {
    let letters = word.to_ascii_lowercase();
    let begins = ["expect", "may"].iter().any(|known| letters.starts_with(known));
    let says = ["race", "deadlock", "wait-not-in-loop", "crash"].contains(&mark) || mark.starts_with("race with line ");
    !word.contains(' ') && (begins || says)
}

fn mark_of(word: &str, mark: &str, line: u32) -> Option<Mark> {
    let must = match word {
        "expect" => true,
        "may" => false,
        _ => return None,
    };
    let (mark, level) = match mark.split_once(" at ") {
        Some((mark, level)) => (mark, Some(Level::named(level)?)),
        None => (mark, None),
    };
    let (what, rest) = mark.split_once(' ').unwrap_or((mark, ""));
    let what = Expected::of(what)?;
    let with = match rest {
        "" => None,
        rest => Some(rest.strip_prefix("with line ")?.parse().ok()?),
    };
    Some(Mark { what, must, line, with, level })
}

/// A finding of any tool: an error of a kind, with the lines of the program on the stack of each thread involved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The kind; none for a kind that no program of the corpus has.
    pub what: Option<Expected>,
    /// For each thread involved, the lines of its calls. Empty if the tool reports no stack.
    pub lines: Vec<BTreeSet<u32>>,
}

/// The differences between a JSON report and the marks.
pub fn judge(specimen: &Specimen, report: &Value) -> Judgement {
    let findings = report["findings"].as_array().into_iter().flatten();
    judge_found(specimen, &findings.flat_map(|finding| found(specimen, finding)).collect::<Vec<_>>())
}

/// The differences between these findings and the marks.
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

/// The confirmed findings of a report: one for each pair of places that is folded into it.
fn found(specimen: &Specimen, finding: &Value) -> Vec<Found> {
    let file = specimen.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let what = finding["kind"].as_str().and_then(Expected::of).unwrap_or(Expected::Race);
    let of_site = |site: &Value| {
        let frames = site["stack"].as_array().into_iter().flatten();
        let own = frames.filter(|frame| frame["file"].as_str().is_some_and(|name| name.ends_with(file)));
        own.filter_map(|frame| frame["line"].as_u64()).map(|line| line as u32).collect()
    };
    let also = finding["also"].as_array().into_iter().flatten().map(|pair| &pair["accesses"]);
    let all = [&finding["sites"]].into_iter().chain(also).filter(|_| finding["status"] == "confirmed");
    let lines = |sites: &Value| sites.as_array().into_iter().flatten().map(of_site).collect();
    all.map(|sites| Found { what: Some(what), lines: lines(sites) }).collect()
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
        Some(Expected::Deadlock | Expected::WaitNotInLoop | Expected::Crash) => {
            !named.is_empty() && found.lines.iter().any(is_there)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn specimen() -> Specimen {
        let marks = marks("int x;\nx++; // expect: race with line 3\nx++;\n").unwrap();
        Specimen { path: "fail/x.c".into(), name: "fail/x.c".to_owned(), marks, needs: Vec::new() }
    }

    fn report(kind: &str, lines: [u32; 2]) -> Value {
        let site = |line: u32| json!({ "stack": [{ "file": "a/x.c", "line": line }] });
        json!({ "findings": [{ "kind": kind, "status": "confirmed", "sites": [site(lines[0]), site(lines[1])] }] })
    }

    #[test]
    fn a_mark_with_a_typo_is_an_error() {
        for text in [
            "// expect: rase",
            "// expects: race",
            "// Expect: race",
            "// expct: race",
            "// expect: race with 3",
            "// may: deadlocks",
        ] {
            assert!(marks(text).is_err(), "{text}");
        }
        assert!(marks("// expect: race at -O9").is_err());
        assert_eq!(marks("// expect: deadlock at -O0").unwrap()[0].level, Some(Level::O0));
        assert_eq!(marks("// what is expected: nothing"), Ok(Vec::new()));
    }

    #[test]
    fn a_mark_of_one_level_may_hold_at_others() {
        let specimen = Specimen { marks: marks("x++; // expect: race at -O0").unwrap(), ..specimen() };
        assert!(specimen.at(Level::O0).marks[0].must && !specimen.at(Level::O2).marks[0].must);
    }

    #[test]
    fn pairs_that_are_folded_into_a_finding_are_judged() {
        let site = |line: u32| json!({ "stack": [{ "file": "a/x.c", "line": line }] });
        let mut report = report("data-race", [2, 2]);
        report["findings"][0]["also"] = json!([{ "accesses": [site(2), site(3)] }]);
        assert!(judge(&specimen(), &report).is_right());
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
