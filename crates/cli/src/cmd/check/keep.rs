//! Findings that last: a folder each, with all that is needed to see it again.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `finding` | `key=value` lines: what it is, where it fails, the schedule, the command and where it runs, the recording |
//! | `schedule` | the schedule as the runtime reads it |
//! | `report.txt`, `report.json` | the report of this finding alone |
//!
//! A program that was compiled for the check is kept beside them, under `runs`, with the recording and a copy of what the
//! program read from its standard input.

use super::describe::Failures;
use super::subject::Subject;
use crate::recording::quoted;
use anyhow::{Context, bail};
use foretrace_event::ThreadId;
use foretrace_event::schedule::is_whole;
use foretrace_finding::ScheduleText;
use foretrace_replay::{Confirmed, Enforced, Evidence, Input, Modules, Replayed};
use foretrace_report::{Format, Kind, Report, Style};
use foretrace_trace::Recording;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Keeps every confirmed finding, and says in the report where.
pub fn all(folder: &Path, subject: &Subject, failures: &Failures, report: &mut Report) -> anyhow::Result<()> {
    let shared = keep_run(folder, subject).with_context(|| format!("cannot write to {}", folder.display()))?;
    let confirmed = report.findings.iter().filter(|finding| finding.is_confirmed()).count();
    for index in 0..confirmed {
        let finding = &mut report.findings[index];
        let own = folder.join(&finding.id);
        finding.folder = Some(own.display().to_string());
        let seen = failures.get(&finding.id).context("a confirmed finding has a failure")?;
        let single = Report { findings: vec![report.findings[index].clone()], ..report.clone() };
        keep_one(&own, subject, seen, &single, &shared).with_context(|| format!("cannot write {}", own.display()))?;
    }
    Ok(())
}

/// What all findings of a run share.
struct Shared {
    command: String,
    recording: PathBuf,
    input: Input,
}

impl Shared {
    /// Tells the recording where the program and what it read lie now.
    fn tell(&self, run: &Path) -> io::Result<()> {
        let text = fs::read_to_string(run)?;
        let line = |line: &str| match line.split_once('=') {
            Some(("command", _)) => format!("command={}\n", self.command),
            Some(("input", _)) => format!("input={}\n", self.input),
            _ => format!("{line}\n"),
        };
        fs::write(run, text.lines().map(line).collect::<String>())
    }
}

fn keep_run(folder: &Path, subject: &Subject) -> anyhow::Result<Shared> {
    fs::create_dir_all(folder)?;
    let folder = folder.canonicalize()?;
    let name = subject.program.path.file_name().context("a program has a name")?;
    let runs = folder.join("runs").join(name);
    let recording = runs.join("recording.ft");
    fs::create_dir_all(&recording)?;
    for entry in fs::read_dir(&subject.recording)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), recording.join(entry.file_name()))?;
        }
    }
    let input = subject.program.input.keep(&runs.join("input"))?;
    let mut program = std::path::absolute(&subject.program.path)?;
    if subject.compiled {
        let kept = runs.join("program").join(name);
        fs::create_dir_all(runs.join("program"))?;
        // Not copied over: another process may run the old one.
        let _ = fs::remove_file(&kept);
        fs::copy(&program, &kept)?;
        program = kept;
    }
    let args = subject.program.command.iter().skip(1).map(|word| quoted(word));
    let command = std::iter::once(quoted(program.as_os_str())).chain(args).collect::<Vec<_>>().join(" ");
    let shared = Shared { command, recording, input };
    shared.tell(&shared.recording.join("run"))?;
    Ok(shared)
}

fn keep_one(own: &Path, subject: &Subject, seen: &Confirmed, report: &Report, shared: &Shared) -> anyhow::Result<()> {
    fs::create_dir_all(own)?;
    let enforced = Enforced::new(&subject.trace, &seen.schedule)?;
    fs::write(own.join("schedule"), enforced.to_bytes())?;
    fs::write(own.join("finding"), text(subject, seen, report, shared))?;
    foretrace_report::write(report, Format::Human, Style::plain(), &mut File::create(own.join("report.txt"))?)?;
    foretrace_report::write(report, Format::Json, Style::plain(), &mut File::create(own.join("report.json"))?)?;
    Ok(())
}

fn text(subject: &Subject, seen: &Confirmed, report: &Report, shared: &Shared) -> String {
    let finding = &report.findings[0];
    let directory = subject.program.directory.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let lines = [
        ("version", report.version.clone()),
        ("kind", finding.kind.rule().to_owned()),
        ("title", finding.title()),
        ("verdict", "confirmed".to_owned()),
        ("repeats", seen.repeats.map_or_else(String::new, |often| format!("{}/{}", often.seen, often.of))),
        ("places", places(&seen.evidence, &seen.run.modules).join(" ")),
        ("schedule", finding.schedule.clone()),
        ("command", shared.command.clone()),
        ("directory", directory.display().to_string()),
        ("input", shared.input.to_string()),
        ("recording", shared.recording.display().to_string()),
    ];
    lines.into_iter().map(|(key, value)| format!("{key}={value}\n")).collect()
}

/// Where each thread fails, the same in every run: `prog+0x1234`.
fn places(evidence: &Evidence, modules: &Modules) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().replace(char::is_whitespace, "_");
    evidence.spots(modules).iter().map(|(path, address)| format!("{}+{address:#x}", name(path))).collect()
}

/// A finding that was kept.
pub struct Kept {
    /// How to run its program.
    pub program: foretrace_replay::Program,
    kind: String,
    places: Vec<String>,
    /// What it is, in a line.
    pub title: String,
    schedule: Vec<u8>,
}

impl Kept {
    /// Reads its folder.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("finding");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} is no finding; `foretrace check` makes them", folder.display()))?;
        let get = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            value.with_context(|| format!("{}: no {key}=", path.display()))
        };
        let command = crate::recording::unquoted(get("command")?);
        let mut program = super::subject::program(&command, Some(PathBuf::from(get("directory")?)))?;
        let input = get("input")?;
        program.input = input.parse().with_context(|| format!("{}: input={input}", path.display()))?;
        let (kind, title) = (get("kind")?.to_owned(), get("title")?.to_owned());
        let places = get("places")?.split(' ').map(str::to_owned).collect();
        let schedule = folder.join("schedule");
        let bytes = fs::read(&schedule).with_context(|| format!("cannot read {}", schedule.display()))?;
        if !is_whole(&bytes) {
            bail!("{} is not a whole schedule; check the program again", schedule.display());
        }
        Ok(Self { program, kind, places, title, schedule: bytes })
    }

    /// A schedule that was pasted, of a recording: any failure is the one that is looked for.
    pub fn pasted(text: &str, recording: &Path) -> anyhow::Result<Self> {
        let text: ScheduleText = text.parse()?;
        let recorded = Recording::open(recording)?;
        let program = super::subject::recorded_program(&recorded, recording)?;
        let trace = recorded.trace()?;
        let events =
            |thread: ThreadId| if trace.threads().any(|known| known == thread) { trace.len(thread) } else { 0 };
        let enforced = Enforced::new(&trace, &text.of(events)?)?;
        let title = "the schedule".to_owned();
        Ok(Self { program, kind: String::new(), places: Vec::new(), title, schedule: enforced.to_bytes() })
    }

    /// Does a run fail as this finding did? Of two racing statements, another pair of accesses may come first: one place
    /// in common is enough.
    pub fn is_in(&self, run: &Replayed) -> bool {
        Evidence::all(&run.outcome).iter().any(|evidence| {
            let kind = match evidence {
                Evidence::Race(_) => Kind::DataRace,
                Evidence::Deadlock(_) => Kind::Deadlock,
            };
            self.kind.is_empty()
                || self.kind == kind.rule()
                    && places(evidence, &run.modules).iter().any(|place| self.places.contains(place))
        })
    }

    /// A directory for one replay.
    pub fn scratch(&self) -> anyhow::Result<tempfile::TempDir> {
        let scratch = tempfile::Builder::new().prefix("foretrace-replay-").tempdir().context("no scratch directory")?;
        fs::write(scratch.path().join("schedule"), &self.schedule).context("no scratch directory")?;
        Ok(scratch)
    }
}
