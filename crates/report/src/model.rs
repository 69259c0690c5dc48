//! The report as data.

mod exploration;
mod frame;
mod kind;
mod memory;
mod needs;
mod picture;
mod seen;

use crate::act::{Act, Thing};
pub use exploration::Exploration;
pub(crate) use frame::any_frame;
pub use frame::{Frame, top};
pub use kind::{ErrorKind, Kind};
pub use memory::{Block, Memory, Origin, bytes};
pub use needs::{Delayed, Experiments, Moment, Needs, Order};
pub use picture::{Automaton, Bar, Drawn, Edge, Excerpt, How, Link, Picture};
pub use seen::{Seen, Written};
use serde::{Deserialize, Serialize};

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// The version of the tool.
    pub version: String,
    /// What was checked, as a shell reads it.
    pub program: String,
    /// How the recorded run ended.
    pub exit: String,
    /// The code it ended with, if it did.
    pub exit_code: Option<i32>,
    /// The name of the signal that killed it, if one did.
    pub signal: Option<String>,
    /// The recorded process, if it is known.
    pub pid: Option<u64>,
    /// The failures, confirmed ones first.
    pub findings: Vec<Finding>,
    /// Crashes that are reported with the errors which lead to them: saved, but not shown again.
    #[serde(skip)]
    pub folded: Vec<Finding>,
    /// How far an exploration came, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    /// Questions without an answer.
    pub undecided: Vec<Undecided>,
    /// What the recording misses.
    pub notes: Vec<String>,
    /// Not all that the program did could be checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// How many findings a suppression hid.
    pub suppressed: usize,
    /// Suppressions that hid nothing.
    pub unused_suppressions: Vec<String>,
    /// Predicted findings are shown, not only counted.
    pub show_predicted: bool,
    /// Predicted findings are failures, as confirmed ones are.
    pub fail_on_predicted: bool,
}

/// How many there are of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Counts {
    /// Seen to fail.
    pub confirmed: usize,
    /// Only predicted.
    pub predicted: usize,
    /// Neither found nor excluded.
    pub undecided: usize,
    /// Hidden by suppressions.
    pub suppressed: usize,
}

/// One error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The same in every run that finds the same error.
    pub id: String,
    /// What kind of error.
    pub kind: Kind,
    /// How sure it is.
    #[serde(flatten)]
    pub status: Status,
    /// The memory that is raced for.
    pub memory: Option<Memory>,
    /// The property of the user's own that is broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
    /// Where each thread is when it fails; the first is where the error is shown.
    pub sites: Vec<Site>,
    /// Other pairs of places at which the same functions race for the same variable.
    pub also: Vec<Pair>,
    /// The threads that take part.
    pub threads: Vec<Thread>,
    /// The steps that matter, in order.
    pub steps: Vec<Step>,
    /// If it does not come in every replay of its schedule: in how many it did, and of how many.
    pub repeats: Option<(u32, u32)>,
    /// The whole schedule, to paste back.
    pub schedule: String,
    /// The folder it is kept in.
    pub folder: Option<String>,
    /// How the program died: of a crash itself, of another error after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub death: Option<Death>,
    /// What an order needs to fail, if others were run to find that out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// The values that it hangs on, if they were followed, in the order in which they were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// What would mend it, where that follows from what was seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<String>,
    /// The whole interleaving, for pages.
    #[serde(skip)]
    pub picture: Option<Box<Picture>>,
}

/// A property of the user's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// Its name.
    pub name: String,
    /// The property in its author's words.
    pub says: String,
    /// Its variables and their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<(String, String)>,
}

/// How a program died.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Death {
    /// What it died of: `failed assertion`.
    pub what: String,
    /// What it printed about that; empty if nothing.
    pub message: String,
    /// Where, if it is known.
    pub place: Option<Frame>,
    /// Of a death after another error: the id of the finding that it is kept as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The folder of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// How sure a finding is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(tag = "status", content = "why", rename_all = "kebab-case")]
pub enum Status {
    /// The program failed.
    Confirmed,
    /// No replay showed it; why.
    Predicted(String),
}

/// Where a thread is when it fails.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Site {
    /// An index into the finding's threads.
    pub thread: usize,
    /// What it does there.
    pub does: Act,
    /// Calls, the innermost first.
    pub stack: Vec<Frame>,
    /// The locks it holds, in the order it took them.
    pub locks: Vec<Lock>,
}

/// Another pair of accesses that race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// The later one first.
    pub accesses: Vec<Access>,
}

/// One access of a pair.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Access {
    /// What is done.
    pub does: Act,
    /// Calls, the innermost first.
    pub stack: Vec<Frame>,
}

impl Access {
    /// Where it is, for people.
    pub fn top(&self) -> Option<&Frame> {
        top(&self.stack)
    }
}

/// A lock that a thread holds.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Lock {
    /// Which.
    pub lock: Thing,
    /// For reading.
    pub shared: bool,
    /// Where it was taken: calls, the innermost first; empty if that is not known.
    pub taken: Vec<Frame>,
}

impl Lock {
    /// Where it was taken, for people.
    pub fn place(&self) -> Option<&Frame> {
        top(&self.taken)
    }
}

/// A thread that takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Step {
    /// An index into the finding's threads.
    pub thread: usize,
    /// What it does.
    pub does: Act,
    /// Where.
    pub place: Option<Frame>,
    /// It is one of those that fail.
    pub fails: bool,
}

/// A question without an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Undecided {
    /// Which.
    pub question: String,
    /// Why there is none.
    pub why: String,
    /// How many there are that read the same.
    pub count: usize,
}

impl Report {
    /// How many there are of each.
    pub fn counts(&self) -> Counts {
        let confirmed = self.findings.iter().filter(|finding| finding.is_confirmed()).count();
        Counts {
            confirmed,
            predicted: self.findings.len() - confirmed,
            undecided: self.undecided.len(),
            suppressed: self.suppressed,
        }
    }

    /// Does this finding make the check fail?
    pub fn fails(&self, finding: &Finding) -> bool {
        finding.is_confirmed() || self.fail_on_predicted
    }

    /// Do all numbers in it name something? Saved reports are untrusted.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| {
            let threads =
                finding.sites.iter().map(|site| site.thread).chain(finding.steps.iter().map(|step| step.thread));
            threads.into_iter().all(|thread| thread < finding.threads.len())
        })
    }

    /// The findings that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_confirmed() || self.show_predicted)
    }
}

impl Finding {
    /// A confirmed one of which nothing else is known.
    pub fn new(kind: Kind) -> Self {
        Self {
            id: String::new(),
            kind,
            status: Status::Confirmed,
            memory: None,
            broken: None,
            sites: Vec::new(),
            also: Vec::new(),
            threads: Vec::new(),
            steps: Vec::new(),
            repeats: None,
            schedule: String::new(),
            folder: None,
            death: None,
            needs: None,
            seen: Vec::new(),
            fixes: Vec::new(),
            picture: None,
        }
    }

    /// Was it seen to fail?
    pub fn is_confirmed(&self) -> bool {
        self.status == Status::Confirmed
    }

    /// What it is, in a line.
    pub fn title(&self) -> String {
        self.kind.0.title(self)
    }

    /// The command that repeats it.
    pub fn replay(&self) -> Option<String> {
        self.folder.as_deref().map(replay_of)
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

impl Death {
    /// The command that repeats it, where it is kept by itself.
    pub fn replay(&self) -> Option<String> {
        self.folder.as_deref().map(replay_of)
    }
}

fn replay_of(folder: &str) -> String {
    format!("foretrace replay {}", quoted(folder))
}

impl Site {
    /// The innermost call in the program's own source; else one whose source is known, or the innermost.
    pub fn top(&self) -> Option<&Frame> {
        top(&self.stack)
    }
}

impl Thread {
    /// Where it was created, for people.
    pub fn place(&self) -> Option<&Frame> {
        top(&self.created).filter(|frame| frame.file.is_some())
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./+=:@%,".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
