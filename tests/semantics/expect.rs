//! What a program's comments say: its threads' events, and how it is built and run.

use crate::build::Way;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A program of the tests.
#[derive(Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// `// t0: …`: what each thread does. Lines of the same thread follow each other.
    pub threads: BTreeMap<u32, Vec<String>>,
    /// `// ways: …`: how it is recorded; every way if it does not say.
    pub ways: Vec<Way>,
    /// `// flags: …`: for the compiler.
    pub flags: Vec<String>,
    /// `// plugin: FILE` and `// plain plugin: FILE`: libraries it loads.
    pub plugins: Vec<Plugin>,
    /// `// exit: CODE`.
    pub exit: i32,
    /// `// events: any`: they hang on the library's version, and need only be a legal history.
    pub any: bool,
    /// `// show: NAME…`: global variables whose accesses are shown.
    pub show: Vec<String>,
    /// `// keep: alloc free`: operations that are shown though they usually are not.
    pub keep: Vec<String>,
}

/// A library that a program loads.
#[derive(Debug)]
pub struct Plugin {
    /// Its source, beside the program.
    pub source: String,
    /// It is not instrumented.
    pub is_plain: bool,
}

impl Program {
    /// Reads a program's comments.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut program = Self {
            path: path.to_owned(),
            threads: BTreeMap::new(),
            ways: Way::ALL.to_vec(),
            flags: Vec::new(),
            plugins: Vec::new(),
            exit: 0,
            any: false,
            show: Vec::new(),
            keep: Vec::new(),
        };
        for line in text.lines() {
            if let Some((key, value)) = line.strip_prefix("// ").and_then(|line| line.split_once(": ")) {
                program.set(key, value.trim());
            }
        }
        program
    }

    fn set(&mut self, key: &str, value: &str) {
        let words = || value.split_whitespace().map(str::to_owned);
        match key {
            "flags" => self.flags = words().collect(),
            "events" => self.any = value == "any",
            "show" => self.show = words().collect(),
            "keep" => self.keep = words().collect(),
            "exit" => self.exit = value.parse().expect("an exit code is a number"),
            "plugin" => self.plugins.push(Plugin { source: value.to_owned(), is_plain: false }),
            "plain plugin" => self.plugins.push(Plugin { source: value.to_owned(), is_plain: true }),
            "ways" => self.ways = value.split_whitespace().map(|name| self.way(name)).collect(),
            _ => match thread_number(key) {
                Some(thread) => {
                    let events =
                        value.split(';').map(|event| event.trim().to_owned()).filter(|event| !event.is_empty());
                    self.threads.entry(thread).or_default().extend(events);
                }
                None => assert!(key.contains(' '), "{}: unknown comment `// {key}:`", self.path.display()),
            },
        }
    }

    /// The way of this name; a typo would record the program in fewer ways than it says.
    fn way(&self, name: &str) -> Way {
        let found = Way::ALL.iter().find(|way| way.name() == name);
        *found.unwrap_or_else(|| panic!("{}: no way is called `{name}`", self.path.display()))
    }

    /// Puts these events into the program's comments in place of those it has.
    pub fn bless(&self, threads: &BTreeMap<u32, Vec<String>>) {
        let text = std::fs::read_to_string(&self.path).expect("it was read before");
        let is_event = |line: &str| {
            let comment = line.strip_prefix("// ").and_then(|line| line.split_once(':'));
            comment.is_some_and(|(key, _)| thread_number(key).is_some())
        };
        let lines: Vec<&str> = text.lines().filter(|line| !is_event(line)).collect();
        let at = lines.iter().position(|line| !line.starts_with("//")).unwrap_or(lines.len());
        let events: String = threads.iter().flat_map(|(thread, events)| wrapped(*thread, events)).collect();
        let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        std::fs::write(&self.path, joined(&lines[..at]) + &events + &joined(&lines[at..])).expect("it can be written");
    }
}

fn thread_number(key: &str) -> Option<u32> {
    key.strip_prefix('t')?.parse().ok()
}

/// A thread's events as comments of at most 120 columns.
fn wrapped(thread: u32, events: &[String]) -> Vec<String> {
    let mut lines = vec![format!("// t{thread}:")];
    for event in events {
        if lines.last().is_some_and(|line| line.len() + event.len() > 117) {
            lines.push(format!("// t{thread}:"));
        }
        let line = lines.last_mut().expect("there is one");
        line.push_str(&format!(" {event};"));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end_matches(';'))).collect()
}
