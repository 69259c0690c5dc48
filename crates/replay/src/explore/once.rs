//! One run of a plan from the beginning of the program, recorded and watched; and a plan as text.

use super::control::{Control, set_threads, threads};
use super::server::{bind_now, padded, prepare};
use crate::program::{PRINTED, read, watch_output};
use crate::{Program, ReplayError, TimeLimit, run_beside};
use foretrace_event::ThreadId;
use foretrace_event::channel::{MOST_STEPS, THREADS_WORDS, flags};
use foretrace_explore::regions::{Broken, Regions, broken};
use foretrace_explore::{Choice, OpKind, Plan, Step};
use foretrace_run::{Run, SeenAccess, SeenRegion};
use std::fmt;
use std::fs;
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

/// A plan that can be saved: its choices, the numbers of threads, and what was visible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanText {
    /// Each decision.
    pub choices: Vec<Choice>,
    /// For each thread but the main one, the number of its creator and how many threads that had created before.
    pub threads: Vec<(u32, u32)>,
    /// Visible ranges of plain memory.
    pub visible: Vec<Range<u64>>,
    /// Waits may end without a signal.
    pub spurious: bool,
    /// Which regions are meant to be atomic.
    pub regions: Regions,
    /// The decision after which the failure is certain, if it is known.
    pub certain: Option<u32>,
}

impl PlanText {
    /// Of an executor's directory.
    ///
    /// # Errors
    /// If the numbers of threads cannot be read.
    pub fn new(
        choices: Vec<Choice>,
        directory: &Path,
        visible: &[Range<u64>],
        spurious: bool,
    ) -> std::io::Result<Self> {
        let path = |word: u64| (word as u32, ((word >> 32) as u32).saturating_sub(1));
        let threads = threads(directory)?.into_iter().map(path).collect();
        Ok(Self { choices, threads, visible: visible.to_vec(), spurious, regions: Regions::Marked, certain: None })
    }
}

/// `explore spurious=0 threads=0.0,0.1 visible=4010:4 choices=0*5,1,2:1` on one line: a choice is a thread, with an
/// alternative after a colon, and with a star how often it is taken in a row. If critical sections are meant to be atomic, the
/// second word is `sections`. At the end there may be ` certain=7`.
impl fmt::Display for PlanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: Vec<String>| parts.join(",");
        let threads = self.threads.iter().map(|(creator, before)| format!("{creator}.{before}")).collect();
        let visible =
            self.visible.iter().map(|range| format!("{:x}:{}", range.start, range.end - range.start)).collect();
        let one = |run: &[Choice]| {
            let (Choice { thread, alternative }, often) = (run[0], run.len());
            let alternative = if alternative == 0 { String::new() } else { format!(":{alternative}") };
            let often = if often == 1 { String::new() } else { format!("*{often}") };
            format!("{}{alternative}{often}", thread.0)
        };
        let choices = self.choices.chunk_by(|a, b| a == b).map(one).collect();
        let spurious = u8::from(self.spurious);
        let (threads, visible, choices) = (list(threads), list(visible), list(choices));
        let regions = if self.regions == Regions::Sections { "sections " } else { "" };
        write!(f, "explore {regions}spurious={spurious} threads={threads} visible={visible} choices={choices}")?;
        self.certain.map_or(Ok(()), |certain| write!(f, " certain={certain}"))
    }
}

/// The text is not a plan.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a plan of an exploration")]
pub struct NotAPlan;

impl FromStr for PlanText {
    type Err = NotAPlan;

    fn from_str(text: &str) -> Result<Self, NotAPlan> {
        let mut words = text.trim().split(' ').peekable();
        let is_explore = words.next() == Some("explore");
        let sections = words.next_if_eq(&"sections").is_some();
        let mut value = |key: &str| words.next().and_then(|word| word.strip_prefix(key)).ok_or(NotAPlan);
        let (spurious, threads) = (value("spurious=")?, value("threads=")?);
        let (visible, choices) = (value("visible=")?, value("choices=")?);
        if !is_explore {
            return Err(NotAPlan);
        }
        let certain = words.next().map(|word| word.strip_prefix("certain=").ok_or(NotAPlan));
        let number = |text: &str| text.parse::<u32>().map_err(|_| NotAPlan);
        let list =
            |text: &'_ str| text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        let threads = list(threads).into_iter().take(THREADS_WORDS).map(|thread| {
            let (creator, before) = thread.split_once('.').ok_or(NotAPlan)?;
            Ok((number(creator)?, number(before)?))
        });
        let visible = list(visible).into_iter().map(|range| {
            let (start, size) = range.split_once(':').ok_or(NotAPlan)?;
            let start = u64::from_str_radix(start, 16).map_err(|_| NotAPlan)?;
            Ok(start..start.checked_add(u64::from(number(size)?)).ok_or(NotAPlan)?)
        });
        let mut all = Vec::new();
        for choice in list(choices) {
            let (choice, often) = choice.split_once('*').unwrap_or((&choice, "1"));
            let (thread, alternative) = choice.split_once(':').unwrap_or((choice, "0"));
            let choice = Choice { thread: ThreadId(number(thread)?), alternative: number(alternative)? };
            let room = MOST_STEPS - all.len();
            all.extend(std::iter::repeat_n(choice, (number(often)? as usize).min(room)));
        }
        Ok(Self {
            choices: all,
            threads: threads.collect::<Result<_, NotAPlan>>()?,
            visible: visible.collect::<Result<_, NotAPlan>>()?,
            spurious: spurious == "1",
            regions: if sections { Regions::Sections } else { Regions::Marked },
            certain: certain.transpose()?.map(number).transpose()?,
        })
    }
}

impl PlanText {
    /// Writes it where the runtime reads it.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn write(&self, directory: &Path) -> std::io::Result<()> {
        let path = |(creator, before): &(u32, u32)| u64::from(*creator) | (u64::from(*before) + 1) << 32;
        set_threads(directory, &self.threads.iter().map(path).collect::<Vec<_>>())?;
        let flags = if self.spurious { flags::SPURIOUS } else { 0 };
        let control = Control::create(directory)?;
        control.put(&Plan::new(self.choices.clone()), &self.visible, flags, MOST_STEPS)?;
        control.set_certain(self.certain);
        Ok(())
    }
}

impl Program {
    /// The command that runs the plan in `directory`; `hold` keeps a failed process for a debugger.
    pub fn under_plan(&self, directory: &Path, recorded: bool, hold: bool) -> Command {
        let sink = if recorded { "sink=recording " } else { "" };
        let (hold, only) = (u8::from(hold), u8::from(self.started_only && !hold));
        let settings = format!("explore {sink}hold={hold} only_started={only} dir=");
        let mut command = self.with_settings(&padded(&settings, directory));
        bind_now(&mut command);
        prepare(&mut command, None);
        command
    }

    /// Runs a plan once, from the beginning of the program, and records it in `directory` if asked to.
    ///
    /// # Errors
    /// If it cannot be run, or the outcome cannot be read.
    pub fn run_plan(
        &self,
        plan: &PlanText,
        directory: &Path,
        recorded: bool,
        limit: impl Into<TimeLimit>,
    ) -> Result<Run, ReplayError> {
        let error = |source| ReplayError::Io { path: self.path.clone(), source };
        for name in ["outcome", "modules", PRINTED] {
            let _ = fs::remove_file(directory.join(name));
        }
        plan.write(directory).map_err(error)?;
        let mut command = self.under_plan(directory, recorded, false);
        let printed = fs::File::options().append(true).create(true).open(directory.join(PRINTED)).map_err(error)?;
        command.stdout(Stdio::null()).stderr(printed.try_clone().map_err(error)?).process_group(0);
        self.input.give(&mut command).map_err(error)?;
        let is_done = || {
            watch_output(&printed);
            false
        };
        let ended = run_beside(&mut command, limit.into(), &is_done, None).map_err(error)?;
        let run = read(directory, ended)?;
        let regions = regions(directory, plan.regions);
        Ok(Run { regions, ..run })
    }
}

/// The regions that were broken, as far as the program has not overwritten what it shares with the tool.
fn regions(directory: &Path, regions: Regions) -> Vec<SeenRegion> {
    let answered = Control::create(directory).ok().and_then(|control| control.get().ok()?.ok());
    let steps = answered.map(|answered| answered.steps).unwrap_or_default();
    let seen = |broken: Broken| {
        let operation = steps[broken.remote].operation;
        SeenRegion {
            begin: steps[broken.begin].place,
            address: operation.object.0,
            size: operation.argument,
            accesses: [broken.first, broken.remote, broken.second].map(|at| access(&steps, at)),
        }
    };
    broken(&steps, regions).into_iter().map(seen).collect()
}

fn access(steps: &[Step], at: usize) -> SeenAccess {
    use OpKind::{Load, PlainRead, PlainWrite, Store, Update, UpdateFailed};
    let step = &steps[at];
    let kind = step.operation.kind;
    let is_operation = |before: &&Step| !matches!(before.operation.kind, PlainRead | PlainWrite);
    let own = steps[..at].iter().filter(|before| before.thread == step.thread).filter(is_operation);
    SeenAccess {
        thread: step.thread.0,
        write: matches!(kind, PlainWrite | Store | Update),
        free: false,
        atomic: matches!(kind, Load | Store | Update | UpdateFailed),
        size: step.operation.argument,
        step: u32::try_from(own.count()).ok(),
        pc: step.place,
        stack: vec![step.place],
        locks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_comes_back_from_its_text() {
        let choice = |thread, alternative| Choice { thread: ThreadId(thread), alternative };
        let choices = vec![choice(0, 0), choice(0, 0), choice(2, 1), choice(1, 0)];
        let visible = std::iter::once(0x4010..0x4014).collect();
        let plan = PlanText {
            choices,
            threads: vec![(0, 0), (1, 3)],
            visible,
            spurious: true,
            regions: Regions::Sections,
            certain: None,
        };
        let text = plan.to_string();
        assert_eq!(text, "explore sections spurious=1 threads=0.0,1.3 visible=4010:4 choices=0*2,2:1,1");
        assert_eq!(text.parse::<PlanText>().unwrap(), plan);
        let plan = PlanText { certain: Some(3), ..plan };
        assert_eq!(plan.to_string().parse::<PlanText>().unwrap(), plan);
        for bad in [
            "",
            "explore",
            "explore spurious=0 threads=x visible= choices=0",
            "explore spurious=0 threads= visible= choices=-1",
            "explore spurious=0 threads= visible= choices=0 certain=x",
        ] {
            assert!(bad.parse::<PlanText>().is_err(), "{bad}");
        }
    }
}
