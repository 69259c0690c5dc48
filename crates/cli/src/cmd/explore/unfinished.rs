//! A search that was interrupted, as a file: all that it needs to go on.
//!
//! | line | what it holds |
//! | --- | --- |
//! | `strategy=climb` | how orders are chosen |
//! | `usual=1f3a…` | how the program runs if nothing is prescribed: it must still run like that |
//! | `plan=…` | the numbers of threads and what plain memory is visible, as a plan without decisions |
//! | `executions=`, `time=`, `notes=` | what was run, in how many milliseconds, and what is to be said about it |
//! | `end=completed:0 12` | so many executions ended so |
//! | `failure=race:1:2 explore …` | a failure and the plan that leads to it |
//! | `search` | the state of the complete search follows (`foretrace_explore::Optimal`) |
//!
//! It is read as untrusted input.

use super::executors::Usual;
use super::failure::{Failing, Failure};
use anyhow::{Context, bail};
use foretrace_explore::{Divergence, End, Optimal};
use foretrace_replay::{Notes, PlanText};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// The first line.
const HEADER: &str = "foretrace exploration 1";
/// The file in its folder.
const FILE: &str = "search";
/// The folder, among the findings.
const FOLDER: &str = "unfinished";
/// No state is larger: wake-up trees are bounded.
const LARGEST: u64 = 256 << 20;

/// A search that was interrupted.
#[derive(Clone)]
pub struct Unfinished {
    /// How orders are chosen.
    pub strategy: String,
    /// How the program runs if nothing is prescribed.
    pub usual: Usual,
    /// The numbers of threads and what is visible.
    pub plan: PlanText,
    /// Executions so far.
    pub executions: u64,
    /// How long they took.
    pub time: Duration,
    /// What is to be said about them.
    pub notes: Notes,
    /// How they ended.
    pub ends: BTreeMap<End, u64>,
    /// What failed.
    pub failures: BTreeMap<Failure, Failing>,
    /// The search for one order of each class.
    pub complete: Optimal,
}

impl Unfinished {
    /// Writes it among the findings, and tells where.
    pub fn write(&self, findings: &Path) -> anyhow::Result<PathBuf> {
        let folder = findings.join(FOLDER);
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(FILE), self.to_string()));
        written.with_context(|| format!("cannot write {}", folder.display()))?;
        Ok(folder)
    }

    /// Reads it from its folder.
    pub fn read(folder: &Path, strategy: &str, spurious: bool) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let bytes = foretrace_file::read(&path, LARGEST);
        let bytes = bytes.with_context(|| format!("{} has no interrupted search", folder.display()))?;
        let read: Self = String::from_utf8_lossy(&bytes).parse().with_context(|| path.display().to_string())?;
        if (read.strategy.as_str(), read.plan.spurious) != (strategy, spurious) {
            let flag = if read.plan.spurious { " --spurious" } else { "" };
            bail!("the search in {} was made with --strategy {}{flag}: give the same", folder.display(), read.strategy);
        }
        Ok(read)
    }

    /// It has come to its end.
    pub fn remove(folder: &Path) {
        let _ = fs::remove_file(folder.join(FILE)).and_then(|()| fs::remove_dir(folder));
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}\nstrategy={}\nusual={:x}\nplan={}", self.strategy, self.usual.0, self.plan)?;
        let (time, notes) = (self.time.as_millis(), self.notes.bits());
        writeln!(f, "executions={}\ntime={time}\nnotes={notes}", self.executions)?;
        self.ends.iter().try_for_each(|(end, count)| writeln!(f, "end={} {count}", name(end)))?;
        for (failure, Failing { choices, visible, .. }) in &self.failures {
            let (choices, visible) = (choices.clone(), visible.clone());
            writeln!(f, "failure={failure} {}", PlanText { choices, visible, ..self.plan.clone() })?;
        }
        write!(f, "search\n{}", self.complete)
    }
}

fn name(end: &End) -> String {
    match end {
        End::Completed { code } => format!("completed:{code}"),
        End::Deadlock => "deadlock".to_owned(),
        End::Livelock => "livelock".to_owned(),
        End::AllAsleep => "asleep".to_owned(),
        End::Crashed { signal } => format!("crashed:{signal}"),
        End::Diverged { at, .. } => format!("diverged:{at}"),
        End::TimedOut => "timed-out".to_owned(),
        End::AwaitsSignal => "awaits-signal".to_owned(),
        End::TooLarge => "too-large".to_owned(),
    }
}

fn end(text: &str) -> Option<End> {
    let (name, number) = text.split_once(':').unwrap_or((text, "0"));
    Some(match name {
        "completed" => End::Completed { code: number.parse().ok()? },
        "deadlock" => End::Deadlock,
        "livelock" => End::Livelock,
        "asleep" => End::AllAsleep,
        "crashed" => End::Crashed { signal: number.parse().ok()? },
        "diverged" => End::Diverged { at: number.parse().ok()?, why: Divergence::Blocked },
        "timed-out" => End::TimedOut,
        "awaits-signal" => End::AwaitsSignal,
        "too-large" => End::TooLarge,
        _ => return None,
    })
}

impl FromStr for Unfinished {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let damaged = "the saved search is damaged; begin a new one without --resume";
        let (head, search) = text.split_once("\nsearch\n").context(damaged)?;
        let head = head.strip_prefix(HEADER).context(damaged)?;
        let values = |key: &'static str| {
            head.lines().filter_map(move |line| line.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')))
        };
        let value = |key| values(key).next().context(damaged);
        let number = |key| value(key)?.parse::<u64>().context(damaged);
        let ended = |line: &str| {
            let (name, count) = line.split_once(' ')?;
            Some((end(name)?, count.parse().ok()?))
        };
        let failing = |line: &str| {
            let (failure, plan) = line.split_once(' ').context(damaged)?;
            let plan: PlanText = plan.parse().context(damaged)?;
            Ok((Failure::from_word(failure).context(damaged)?, Failing::new(plan.choices, &plan.visible)))
        };
        Ok(Self {
            strategy: value("strategy")?.to_owned(),
            usual: Usual(u64::from_str_radix(value("usual")?, 16).context(damaged)?),
            plan: value("plan")?.parse().context(damaged)?,
            executions: number("executions")?,
            time: Duration::from_millis(number("time")?),
            notes: Notes::from_bits(number("notes")?),
            ends: values("end").map(ended).collect::<Option<_>>().context(damaged)?,
            failures: values("failure").map(failing).collect::<anyhow::Result<_>>()?,
            complete: search.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_explore::Search;

    fn some() -> Unfinished {
        let mut complete = Optimal::new();
        complete.next();
        let plan: PlanText = "explore spurious=1 threads=0.0,0.1 visible=4010:4 choices=".parse().unwrap();
        let failing: PlanText = "explore spurious=1 threads=0.0,0.1 visible= choices=0*3,2,1:1".parse().unwrap();
        let ends = [End::Completed { code: 0 }, End::Crashed { signal: 6 }, End::TimedOut, End::Deadlock];
        Unfinished {
            strategy: "climb".to_owned(),
            usual: Usual(77),
            plan,
            executions: 12,
            time: Duration::from_millis(1500),
            notes: Notes::from_bits(3),
            ends: ends.into_iter().zip(1..).collect(),
            failures: [(Failure::Race([1, 2]), Failing::new(failing.choices, &[]))].into(),
            complete,
        }
    }

    #[test]
    fn a_search_comes_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let written = some().write(folder.path()).unwrap();
        let read = Unfinished::read(&written, "climb", true).unwrap();
        assert_eq!(read.to_string(), some().to_string());
        assert!(Unfinished::read(&written, "complete", true).is_err());
        assert!(Unfinished::read(&written, "climb", false).is_err());
        Unfinished::remove(&written);
        assert!(!written.exists());
    }

    #[test]
    fn damaged_files_are_refused() {
        let text = some().to_string();
        let lines: Vec<&str> = text.lines().collect();
        for without in
            (0..lines.len()).filter(|&at| !lines[at].starts_with("end=") && !lines[at].starts_with("failure="))
        {
            let mut rest = lines.clone();
            rest.remove(without);
            assert!(rest.join("\n").parse::<Unfinished>().is_err(), "without {}", lines[without]);
        }
    }
}
