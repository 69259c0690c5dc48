//! The report as data.

use serde::Serialize;

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Report {
    /// The version of the tool.
    pub version: String,
    /// What was checked, as a shell reads it.
    pub program: String,
    /// How the recorded run ended.
    pub exit: String,
    /// The failures, confirmed ones first.
    pub findings: Vec<Finding>,
    /// Questions without an answer.
    pub undecided: Vec<Undecided>,
    /// What the recording misses.
    pub notes: Vec<String>,
    /// How many findings a suppression hid.
    pub suppressed: usize,
    /// Suppressions that hid nothing.
    pub unused_suppressions: Vec<String>,
    /// Predicted findings are shown, not only counted.
    pub show_predicted: bool,
}

/// How many there are of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Seen to fail.
    pub confirmed: usize,
    /// Only predicted.
    pub predicted: usize,
    /// Neither found nor excluded.
    pub undecided: usize,
}

/// One error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The same in every run that finds the same error.
    pub id: String,
    /// What kind of error.
    pub kind: Kind,
    /// How sure it is.
    pub status: Status,
    /// The memory that is raced for.
    pub memory: Option<Memory>,
    /// Where each thread is when it fails; the first is where the error is shown.
    pub sites: Vec<Site>,
    /// The threads that take part.
    pub threads: Vec<Thread>,
    /// The steps that matter, in order.
    pub steps: Vec<Step>,
    /// The whole schedule, to paste back.
    pub schedule: String,
    /// The folder it is kept in.
    pub folder: Option<String>,
}

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two unordered accesses.
    DataRace,
    /// Threads that wait for each other, or for what will not come.
    Deadlock,
}

/// How sure a finding is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The program failed.
    Confirmed,
    /// No replay showed it; why.
    Predicted(String),
}

/// What a race is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Memory {
    /// The variable's name, if it is known.
    pub name: Option<String>,
    /// What it is otherwise: `heap block of 64 bytes`, `stack of main`.
    pub what: String,
    /// The first byte both touch, in the run that failed.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// Where a heap block was allocated.
    pub allocated: Vec<Frame>,
}

/// Where a thread is when it fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Site {
    /// An index into the finding's threads.
    pub thread: usize,
    /// What it does there: `writes 4 bytes`, `waits for mutex m, held by t2`.
    pub doing: String,
    /// The same in ThreadSanitizer's words: `Write of size 4 at 0x10`.
    pub access: String,
    /// Calls, the innermost first.
    pub stack: Vec<Frame>,
    /// The locks it holds.
    pub locks: Vec<String>,
}

/// A thread that takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Thread {
    /// Its number; the main thread is 0.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// The name of the thread that created it.
    pub parent: Option<String>,
    /// Where it was created.
    pub created: Vec<Frame>,
}

/// One step of the interleaving.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// An index into the finding's threads.
    pub thread: usize,
    /// What it does.
    pub text: String,
    /// Where.
    pub place: Option<Frame>,
    /// It is one of those that fail.
    pub fails: bool,
}

/// One call.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Frame {
    /// The function, if it is known.
    pub function: Option<String>,
    /// The file, if it is known.
    pub file: Option<String>,
    /// From 1; zero: unknown.
    pub line: u32,
    /// From 1; zero: unknown.
    pub column: u32,
    /// The text of the line, if it could be read.
    pub source: Option<String>,
    /// The object file.
    pub module: String,
    /// The address in it.
    pub offset: u64,
}

/// A question without an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Undecided {
    /// Which.
    pub question: String,
    /// Why there is none.
    pub why: String,
}

impl Report {
    /// How many there are of each.
    pub fn counts(&self) -> Counts {
        let confirmed = self.findings.iter().filter(|finding| finding.is_confirmed()).count();
        Counts { confirmed, predicted: self.findings.len() - confirmed, undecided: self.undecided.len() }
    }

    /// The findings that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_confirmed() || self.show_predicted)
    }
}

impl Finding {
    /// Was it seen to fail?
    pub fn is_confirmed(&self) -> bool {
        self.status == Status::Confirmed
    }

    /// What it is, in a line.
    pub fn title(&self) -> String {
        match (self.kind, &self.memory) {
            (Kind::DataRace, Some(memory)) => match &memory.name {
                Some(name) => format!("data race on `{name}`"),
                None => format!("data race in {}", memory.what),
            },
            (Kind::DataRace, None) => "data race".to_owned(),
            (Kind::Deadlock, _) if self.sites.len() == 1 => "deadlock of one thread".to_owned(),
            (Kind::Deadlock, _) => format!("deadlock of {} threads", self.sites.len()),
        }
    }

    /// The command that repeats it.
    pub fn replay(&self) -> Option<String> {
        self.folder.as_ref().map(|folder| format!("foretrace replay {folder}"))
    }

    /// Where it is shown.
    pub fn place(&self) -> Option<&Frame> {
        self.sites.first()?.top()
    }

    /// The name of a site's thread.
    pub fn thread_of(&self, site: &Site) -> &str {
        self.threads.get(site.thread).map_or("?", |thread| &thread.name)
    }
}

impl Site {
    /// The innermost call in the program's own source; else one whose source is known, or the innermost.
    pub fn top(&self) -> Option<&Frame> {
        let known = self.stack.iter().find(|frame| frame.file.is_some());
        self.stack.iter().find(|frame| frame.is_own()).or(known).or(self.stack.first())
    }
}

impl Frame {
    /// `file:line`, or the object file and the address.
    pub fn short(&self) -> String {
        match &self.file {
            Some(file) if self.line > 0 => format!("{file}:{}", self.line),
            Some(file) => file.clone(),
            None => format!("{}+{:#x}", self.module, self.offset),
        }
    }

    /// Is it in the program's own source, not in a header of the system?
    pub fn is_own(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.starts_with("/usr/"))
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        self.function.as_deref().unwrap_or("<unknown>")
    }
}

impl Kind {
    /// Its rule in machine-readable forms.
    pub fn rule(self) -> &'static str {
        match self {
            Self::DataRace => "data-race",
            Self::Deadlock => "deadlock",
        }
    }

    /// What the rule says.
    pub fn about(self) -> &'static str {
        match self {
            Self::DataRace => "Two threads access the same memory, one of them writes, and nothing orders them.",
            Self::Deadlock => "Threads wait for each other, or for something that will not come.",
        }
    }
}
