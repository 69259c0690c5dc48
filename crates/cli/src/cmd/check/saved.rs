//! Findings that last: a folder each, with all that is needed to see it again.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `finding` | `key=value` lines: what it is, where it fails, the schedule, the command, the recording |
//! | `schedule` | the schedule as the runtime reads it |
//! | `plan` | instead of a schedule: the plan of an exploration |
//! | `report.txt`, `report.json` | the report of this finding alone |
//! | `picture.json` | what a page shows besides: the whole interleaving, and lines of source |
//!
//! What findings share is kept beside them, under `runs`: the recording, which says how the program was run, a copy of what it
//! read from its standard input, and the program itself, if it was compiled for the check. Paths between them are relative, so
//! that the whole can be moved.

use super::subject::{self, Subject};
use crate::cmd::properties::Asked;
use crate::identity::{self, Hash};
use crate::lines::Lines;
use crate::quote::quoted;
use crate::run::{recorded_program, tell_again};
use crate::scratch::Scratch;
use crate::trust::Trust;
use anyhow::{Context, bail};
use foretrace_event::ThreadId;
use foretrace_event::schedule::is_whole;
use foretrace_explain::Failures;
use foretrace_finding::ScheduleText;
use foretrace_replay::{PlanText, Program, TimeLimit};
use foretrace_report::{Format, Kind, Report, Style};
use foretrace_run::{Enforced, Evidence, Modules, Precision, Run};
use foretrace_search::Confirmed;
use foretrace_trace::Recording;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Saves every confirmed finding, and notes its folder in the report.
pub fn all(folder: &Path, subject: &Subject, failures: &Failures, report: &mut Report) -> anyhow::Result<()> {
    let recording = keep_run(folder, subject).with_context(|| format!("cannot write to {}", folder.display()))?;
    let confirmed = report.findings.iter().filter(|finding| finding.is_confirmed()).count();
    keep_folded(folder, subject, failures, report, &recording)?;
    let before: BTreeSet<_> =
        report.findings.iter().filter_map(|finding| recording_of(&folder.join(&finding.id))).collect();
    for index in 0..confirmed {
        let mut finding = report.findings[index].clone();
        // What only the recorded run showed has no schedule.
        let Some(seen) = failures.get(&finding.id).filter(|all| !all.is_empty()) else { continue };
        let own = folder.join(&finding.id);
        finding.folder = Some(own.display().to_string());
        let single = Report { findings: vec![finding.clone()], ..report.clone() };
        keep_one(&own, subject, seen, &single, &recording)
            .with_context(|| format!("cannot write {}", own.display()))?;
        report.findings[index] = finding;
    }
    forget_runs(folder, before).with_context(|| format!("cannot tidy up {}", folder.display()))
}

/// Saves the crashes that are reported with other findings, and notes there where they are.
fn keep_folded(
    folder: &Path,
    subject: &Subject,
    failures: &Failures,
    report: &mut Report,
    recording: &Path,
) -> anyhow::Result<()> {
    for crash in report.folded.clone() {
        let Some(seen) = failures.get(&crash.id) else { continue };
        let own = folder.join(&crash.id);
        let place = Some(own.display().to_string());
        let single = Report { findings: vec![crash.clone()], ..report.clone() };
        keep_one(&own, subject, seen, &single, recording).with_context(|| format!("cannot write {}", own.display()))?;
        let told = report.findings.iter_mut().filter_map(|finding| finding.death.as_mut());
        told.filter(|death| death.id.as_ref() == Some(&crash.id)).for_each(|death| death.folder.clone_from(&place));
    }
    Ok(())
}

/// The recording of a finding.
fn recording_of(finding: &Path) -> Option<PathBuf> {
    Lines::read(&finding.join("finding")).ok()?.path("recording").ok()
}

/// Removes runs to which no finding belongs any more, because their programs were changed.
fn forget_runs(folder: &Path, mut recordings: BTreeSet<PathBuf>) -> io::Result<()> {
    for finding in fs::read_dir(folder)? {
        if let Some(recording) = recording_of(&finding?.path()) {
            recordings.remove(&recording);
        }
    }
    let runs = folder.canonicalize()?.join(RUNS);
    let ours = recordings.iter().filter_map(|recording| recording.parent()).filter(|run| run.parent() == Some(&runs));
    ours.filter(|run| run.is_dir()).try_for_each(fs::remove_dir_all)
}

/// No schedule of a program that was really run is longer.
const LONGEST_SCHEDULE: u64 = 4 << 30;

/// The file with the plan of a finding that an exploration has made.
const PLAN: &str = "plan";
/// The file with the report of a finding.
pub const REPORT: &str = "report.json";
/// The file with what a page shows besides.
pub const PICTURE: &str = "picture.json";
/// No plan is longer.
const LONGEST_PLAN: u64 = 16 << 20;

/// The folder that findings have in common, for what they share.
const RUNS: &str = "runs";

/// Saves what all findings of a run share, and returns the path of the recording.
fn keep_run(folder: &Path, subject: &Subject) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let runs = folder.canonicalize()?.join(RUNS);
    let recorded = subject.recording.canonicalize()?;
    if recorded.parent().and_then(Path::parent) == Some(&runs) {
        return Ok(recorded);
    }
    let own = runs.join(run_name(subject)?);
    let recording = own.join("recording.ft");
    copy_files(&recorded, &recording)?;
    let input = subject.program.input.keep(&own.join("input"))?.moved(|_| "../input".into());
    tell_again(&recording, &keep_program(subject, &own)?, &input)?;
    Ok(recording)
}

/// The name of a run: the same for the same program, run in the same way, and for no other.
fn run_name(subject: &Subject) -> anyhow::Result<OsString> {
    let program = &subject.program;
    let path = std::path::absolute(&program.path)?;
    let mut hash = Hash::default();
    hash.add(identity::of(&path)?.as_bytes());
    let called = if subject.compiled { &[][..] } else { &[path.clone().into_os_string()][..] };
    let directory = program.directory.clone().map_or_else(std::env::current_dir, Ok)?;
    for word in called.iter().chain(program.command.iter().skip(1)).chain([&directory.into_os_string()]) {
        hash.add(word.as_bytes());
    }
    for file in program.input.path().into_iter().chain([subject.recording.join("environment").as_path()]) {
        io::copy(&mut foretrace_file::open(file)?, &mut hash)?;
    }
    let mut name = path.file_name().context("a program has a name")?.to_owned();
    name.push(format!("-{:016x}", hash.0));
    Ok(name)
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Where the recording finds the program: a copy beside it, if it was compiled for this check.
fn keep_program(subject: &Subject, own: &Path) -> anyhow::Result<PathBuf> {
    let program = std::path::absolute(&subject.program.path)?;
    if !subject.compiled {
        return Ok(program);
    }
    let name = program.file_name().context("a program has a name")?;
    let folder = own.join("program");
    fs::create_dir_all(&folder)?;
    let kept = folder.join(name);
    // Not copied over: another process may run the old one.
    let _ = fs::remove_file(&kept);
    fs::copy(&program, &kept)?;
    Ok(Path::new("../program").join(name))
}

fn keep_one(own: &Path, subject: &Subject, all: &[&Confirmed], report: &Report, run: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(own)?;
    match &subject.plan {
        Some(plan) => fs::write(own.join(PLAN), format!("{plan}\n"))?,
        None => fs::write(own.join("schedule"), Enforced::new(&subject.trace, &all[0].schedule)?.to_bytes())?,
    }
    subject.properties.keep(own)?;
    fs::write(own.join("finding"), text(subject, all, report, run))?;
    foretrace_report::write(report, Format::Human, Style::plain(), &mut File::create(own.join("report.txt"))?)?;
    foretrace_report::write(report, Format::Json, Style::plain(), &mut File::create(own.join(REPORT))?)?;
    let picture = report.findings.first().and_then(|finding| finding.picture.as_deref());
    if let Some(picture) = picture {
        serde_json::to_writer(BufWriter::new(File::create(own.join(PICTURE))?), picture)?;
    }
    Ok(())
}

fn text(subject: &Subject, all: &[&Confirmed], report: &Report, run: &Path) -> String {
    let finding = &report.findings[0];
    // Beside the finding's folder, wherever both go.
    let name = run.parent().and_then(Path::file_name).unwrap_or_default();
    let recording = Path::new("..").join(RUNS).join(name).join("recording.ft");
    let lines = [
        ("version", report.version.clone()),
        ("kind", finding.kind.rule().to_owned()),
        ("title", finding.title()),
        ("verdict", "confirmed".to_owned()),
        ("repeats", all[0].repeats.map_or_else(String::new, |often| format!("{}/{}", often.seen, often.of))),
        ("places", all_places(all).join(" ")),
        ("schedule", finding.schedule.clone()),
        ("command", subject.command_line()),
        ("recording", quoted(recording)),
    ];
    lines.into_iter().map(|(key, value)| format!("{key}={value}\n")).collect()
}

/// The places of all pairs that are folded into a finding, those of the first in front.
fn all_places(all: &[&Confirmed]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let of_each = all.iter().flat_map(|one| places(&one.evidence, &one.run.modules));
    of_each.filter(|place| known.insert(place.clone())).collect()
}

/// Where each thread fails, the same in every run: `prog+0x1234`.
fn places(evidence: &Evidence, modules: &Modules) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().replace(char::is_whitespace, "_");
    evidence.spots(modules).iter().map(|(path, address)| format!("{}+{address:#x}", name(path))).collect()
}

/// Is it one of those?
fn is_place(text: &str) -> bool {
    let address = text.rsplit_once('+').and_then(|(_, address)| address.strip_prefix("0x"));
    address.is_some_and(|address| u64::from_str_radix(address, 16).is_ok())
}

/// A saved finding.
pub struct SavedFinding {
    /// How to run its program.
    pub program: Program,
    kind: String,
    places: Vec<String>,
    /// What it is, in a line.
    pub title: String,
    how: How,
    /// What judges a replay.
    properties: Asked,
}

/// How a finding is made to happen again.
enum How {
    /// By a schedule, as the runtime reads it.
    Schedule(Vec<u8>),
    /// By the plan of an exploration.
    Plan(PlanText),
}

impl How {
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let plan = folder.join(PLAN);
        if plan.exists() {
            let text = foretrace_file::read(&plan, LONGEST_PLAN);
            let text = text.with_context(|| format!("cannot read {}", plan.display()))?;
            let parsed = String::from_utf8_lossy(&text).parse::<PlanText>();
            return Ok(Self::Plan(
                parsed.with_context(|| format!("{} is damaged; explore the program again", plan.display()))?,
            ));
        }
        let schedule = folder.join("schedule");
        let bytes = foretrace_file::read(&schedule, LONGEST_SCHEDULE)
            .with_context(|| format!("cannot read {}", schedule.display()))?;
        if !is_whole(&bytes) {
            bail!("{} is not a whole schedule; check the program again", schedule.display());
        }
        Ok(Self::Schedule(bytes))
    }
}

impl SavedFinding {
    /// Reads its folder.
    pub fn open(folder: &Path, trust: Trust) -> anyhow::Result<Self> {
        let lines = Lines::read(&folder.join("finding"))
            .with_context(|| format!("{} is not a finding; `foretrace check` saves findings", folder.display()))?;
        let (kind, title) = (lines.get("kind")?.to_owned(), lines.get("title")?.to_owned());
        let places: Vec<_> =
            lines.get("places")?.split(' ').filter(|place| !place.is_empty()).map(str::to_owned).collect();
        if !places.iter().all(|place| is_place(place)) {
            bail!(lines.damaged("places"));
        }
        let how = How::read(folder)?;
        let recording = lines.path("recording")?;
        let recording = recording.canonicalize().with_context(|| {
            format!("cannot read {}: the folder `{RUNS}` belongs to the findings beside it", recording.display())
        })?;
        let properties = Asked::open(folder)?;
        let program = Program { records: !properties.is_empty(), ..recorded_program(&recording, trust)? };
        Ok(Self { program, kind, places, title, how, properties })
    }

    /// A schedule that was pasted, of a recording: any failure is the one that is looked for.
    pub fn pasted(text: &str, recording: &Path, trust: Trust) -> anyhow::Result<Self> {
        let text: ScheduleText = text.parse()?;
        let recorded = Recording::open(recording)?;
        let program = recorded_program(recording, trust)?;
        let (trace, _) = subject::read(&recorded)?;
        let events =
            |thread: ThreadId| if trace.threads().any(|known| known == thread) { trace.len(thread) } else { 0 };
        let enforced = Enforced::new(&trace, &text.of(events)?)?;
        let title = "the schedule".to_owned();
        Ok(Self {
            program,
            kind: String::new(),
            places: Vec::new(),
            title,
            how: How::Schedule(enforced.to_bytes()),
            properties: Asked::default(),
        })
    }

    /// Does a run fail as this finding did? Another pair of accesses of the same two statements may come first, so one common
    /// place is enough.
    pub fn is_in(&self, run: &Run) -> bool {
        Evidence::all(run).iter().any(|evidence| {
            let places = places(evidence, &run.modules);
            let is_there = places.iter().any(|place| self.places.contains(place));
            // Of some deaths no place is known.
            self.kind.is_empty()
                || (self.kind == evidence.rule() || self.kind == Kind::WAIT_NOT_IN_LOOP.rule())
                    && (is_there || places.is_empty() || self.places.is_empty())
        })
    }

    /// A directory for one replay.
    pub fn scratch(&self) -> anyhow::Result<Scratch> {
        let scratch = Scratch::new("replay-")?;
        let written = match &self.how {
            How::Schedule(schedule) => fs::write(scratch.path().join("schedule"), schedule),
            How::Plan(plan) => plan.write(scratch.path()),
        };
        written.context("cannot create a scratch directory")?;
        Ok(scratch)
    }

    /// Makes it happen again, in the directory of [`Self::scratch`].
    pub fn replay(&self, scratch: &Scratch, limit: TimeLimit) -> anyhow::Result<Run> {
        let run = match &self.how {
            How::Schedule(_) => self.program.replay_file(scratch.path(), Precision::Each, limit)?,
            How::Plan(plan) => self.program.run_plan(plan, scratch.path(), false, limit)?,
        };
        let violations = self.properties.judge().map(|judge| judge.violations(scratch.path())).unwrap_or_default();
        Ok(Run { violations, ..run })
    }

    /// The command that makes it happen and keeps the failed process for a debugger.
    pub fn held(&self, scratch: &Scratch) -> Command {
        match &self.how {
            How::Schedule(_) => self.program.under(scratch.path(), Precision::Each, true),
            How::Plan(_) => self.program.under_plan(scratch.path(), false, true),
        }
    }
}
