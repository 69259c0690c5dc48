//! Suppressions in ThreadSanitizer's syntax: `type:pattern` a line, `#` for comments. A pattern is found anywhere in a
//! function, file, module or variable, unless `^` or `$` pins it to an end; `*` stands for any text.

use anyhow::{Context, bail};
use foretrace_report::{Finding, Report};
use std::collections::HashSet;
use std::path::PathBuf;

/// What a line may begin with: ThreadSanitizer's types, of which those that Foretrace never reports are accepted and hide
/// nothing, and kinds of errors that it does not have.
const TYPES: [&str; 9] =
    ["race", "race_top", "deadlock", "mutex", "thread", "signal", "called_from_lib", "atomicity", "property"];

/// All lines, which of them hid something, and what they hid.
pub struct Suppressions {
    lines: Vec<Line>,
    /// The ids of the findings: each is counted once, however many engines find it.
    hidden: HashSet<String>,
}

struct Line {
    text: String,
    kind: String,
    pattern: String,
    used: bool,
}

impl Suppressions {
    /// Reads the files.
    pub fn read(files: &[PathBuf]) -> anyhow::Result<Self> {
        let mut lines = Vec::new();
        for file in files {
            let text = foretrace_file::text(file).with_context(|| format!("cannot read {}", file.display()))?;
            lines.extend(Self::parse(&file.display().to_string(), &text)?.lines);
        }
        Ok(Self { lines, hidden: HashSet::new() })
    }

    /// Reads the text of a file of this name.
    pub fn parse(name: &str, text: &str) -> anyhow::Result<Self> {
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let numbered = text.lines().enumerate();
        let parsed = numbered.map(|(index, line)| parse(line).with_context(|| format!("{name}: line {}", index + 1)));
        let lines = parsed.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect();
        Ok(Self { lines, hidden: HashSet::new() })
    }

    /// Takes out what is to be hidden.
    pub fn apply(&mut self, report: &mut Report) {
        let before = self.hidden.len();
        report.findings.retain(|finding| !self.hides(finding));
        report.suppressed = self.hidden.len() - before;
        report.unused_suppressions =
            self.lines.iter().filter(|line| !line.used).map(|line| line.text.clone()).collect();
    }

    fn hides(&mut self, finding: &Finding) -> bool {
        let found = self.lines.iter_mut().find(|line| line.hides(finding));
        found.map(|line| line.used = true).is_some_and(|()| {
            self.hidden.insert(finding.id.clone());
            true
        })
    }
}

fn parse(line: &str) -> anyhow::Result<Option<Line>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let Some((kind, pattern)) = line.split_once(':').filter(|(kind, _)| TYPES.contains(kind)) else {
        bail!("not a suppression: `{line}`; write TYPE:PATTERN, with one of {}", TYPES.join(", "));
    };
    Ok(Some(Line { text: line.to_owned(), kind: kind.to_owned(), pattern: pattern.to_owned(), used: false }))
}

impl Line {
    fn hides(&self, finding: &Finding) -> bool {
        finding.kind.0.hides(&self.kind, &|text| matches(&self.pattern, text), finding)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let (begins, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (ends, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
    let mut parts: Vec<&str> = pattern.split('*').collect();
    let last = if ends { parts.pop() } else { None };
    let mut rest = text;
    for (index, part) in parts.iter().enumerate() {
        let pinned = begins && index == 0;
        let Some(at) = rest.find(part).filter(|at| !pinned || *at == 0) else { return false };
        rest = &rest[at + part.len()..];
    }
    let whole = begins && parts.is_empty();
    last.is_none_or(|last| if whole { rest == last } else { rest.ends_with(last) })
}

#[cfg(test)]
mod tests {
    use super::{Suppressions, matches, parse};
    use foretrace_report::{Act, Finding, Kind, Lock, Report, Site, Sort, Thing, Wait};

    #[test]
    fn patterns() {
        for (pattern, text, found) in [
            ("foo", "a foo b", true),
            ("^foo", "a foo", false),
            ("^foo", "foobar", true),
            ("foo$", "a foo", true),
            ("foo$", "foo a", false),
            ("^foo$", "foo", true),
            ("^foo$", "foo2", false),
            ("a*b", "xaxbx", true),
            ("a*b$", "xaxbx", false),
            ("^a*c$", "abc", true),
        ] {
            assert_eq!(matches(pattern, text), found, "{pattern} in {text}");
        }
    }

    /// How many of the findings a file with this text hides.
    fn hidden(text: &str) -> usize {
        let lock = Lock { lock: Thing::new(Sort::Lock, Some("alice.lock")), shared: false, taken: Vec::new() };
        let does = Act::Wait(Wait::Post { semaphore: Thing::new(Sort::Semaphore, Some("full")) });
        let site = Site { thread: 0, does, stack: Vec::new(), locks: vec![lock] };
        let deadlock = Finding { sites: vec![site], ..Finding::new(Kind::DEADLOCK) };
        let mut report = Report { findings: vec![deadlock], ..Report::default() };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Suppressions::read(&[file.path().to_owned()]).unwrap().apply(&mut report);
        report.suppressed
    }

    #[test]
    fn deadlocks_are_known_by_what_is_held_and_waited_for() {
        assert_eq!(hidden("deadlock:alice\n"), 1);
        assert_eq!(hidden("deadlock:^full$\n"), 1);
        assert_eq!(hidden("deadlock:post\nrace:alice\n"), 0);
    }

    #[test]
    fn a_mark_of_the_encoding_is_no_text() {
        assert_eq!(hidden("\u{feff}deadlock:alice\n"), 1);
    }

    #[test]
    fn lines() {
        assert!(parse("# nothing").unwrap().is_none());
        assert!(parse("race:main").unwrap().is_some());
        assert!(parse("rice:main").is_err());
        assert!(parse("main").is_err());
    }
}
