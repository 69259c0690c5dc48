//! Prediction with values: which assertions fail in another order of the same events, and which regions are broken (paper 002).
//!
//! 1. The program is compiled once more, so that its values can be followed (`foretrace cc --symbolic`).
//! 2. It is run under the controlled gate and recorded: which memory do several threads use?
//! 3. It is run again, with that memory visible, and its values are followed.
//! 4. The steps and values become a concurrent trace program. For each check in it, the solver looks for an order in which the
//!    check fails; for each branch, for orders in which it goes the other way, alone and after what other threads do.
//!    These orders are run and followed in turn ([`paths`]).
//! 5. Each run that failed is run once more. What fails there again is reported, and nothing else.

mod once;
mod paths;
mod ruled_out;

use super::check::subject::Subject;
use super::explore::{Confirming, FoundFailure, confirm_all, rerun};
use super::sources::{Sources, program};
use foretrace_explore::regions::Regions;
use foretrace_explore::{OpKind, Step};
use foretrace_replay::{PlanText, Program, TimeLimit};
use foretrace_report::{Finding, Report};
use foretrace_run::Modules;
use foretrace_symbolic::{Asks, Model};
use foretrace_trace::Trace;
pub use once::followed;
use paths::{Bounds, Paths};
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is predicted, and within which bounds.
pub struct Following<'a> {
    /// What is compiled.
    pub sources: &'a Sources,
    /// How the program was run that is checked.
    pub like: &'a Program,
    /// Where findings are kept.
    pub findings: &'a Path,
    /// How long a run may take.
    pub timeout: Duration,
    /// When nothing new is begun any more.
    pub until: Instant,
    /// A directory for the runs.
    pub scratch: &'a Path,
    /// Ends everything.
    pub stop: &'static AtomicBool,
    /// What is asked about.
    pub asks: Asks,
    /// Functions whose calls are meant to be atomic.
    pub atomic: &'a [String],
}

/// Memory that may be visible, at most.
const MOST_VISIBLE: usize = foretrace_event::channel::MOST_VISIBLE;

const NOTHING: PlanText = PlanText {
    choices: Vec::new(),
    threads: Vec::new(),
    visible: Vec::new(),
    spurious: false,
    certain: None,
    regions: Regions::Marked,
};

/// Findings, and what is to be said besides.
type Found = (Vec<Finding>, Vec<String>);

impl Following<'_> {
    /// Predicts, and confirms what is predicted. A program whose values cannot be followed is no error.
    pub fn predict(&self, hide: &mut dyn FnMut(&mut Report)) -> anyhow::Result<Found> {
        let followed = fs::create_dir_all(self.scratch).map_err(anyhow::Error::from);
        match followed.and_then(|()| self.sources.followed(self.scratch, self.atomic)) {
            Ok(None) => Ok((Vec::new(), self.needs_clang().into_iter().collect())),
            Ok(Some(command)) => self.run(&command, hide),
            Err(error) => Ok((Vec::new(), vec![unfollowed(&error)])),
        }
    }

    /// Regions were named, and nothing can be said about them.
    fn needs_clang(&self) -> Option<String> {
        let is_named = !self.atomic.is_empty() || self.asks.regions == Some(Regions::Sections);
        let needs = "regions were not checked: that needs source files that clang compiles (set FORETRACE_CC=clang)";
        is_named.then(|| needs.to_owned())
    }

    /// Functions were named, and none of them was called.
    fn without_regions(&self, steps: &[Step]) -> Option<String> {
        let is_region = |step: &Step| step.operation.kind == OpKind::RegionBegin;
        let is_empty = !self.atomic.is_empty() && !steps.iter().any(is_region);
        is_empty.then(|| format!("no call of {} was seen: is the name right?", self.atomic.join(" or ")))
    }

    fn run(&self, command: &[OsString], hide: &mut dyn FnMut(&mut Report)) -> anyhow::Result<Found> {
        let like = self.like;
        let (input, directory) = (like.input.clone(), like.directory.clone());
        let program = Program { input, directory, linger: like.linger, ..program(command)? };
        let (subject, paths) = match self.paths(&program) {
            Ok(followed) => followed,
            Err(error) => return Ok((Vec::new(), vec![unfollowed(&error)])),
        };
        let failure = |(kind, plan, values)| FoundFailure { kind, plan, minimised: None, values };
        let failures: Vec<_> = paths.failing.into_iter().map(failure).collect();
        let confirming = Confirming {
            program: (&program, true),
            findings: self.findings,
            timeout: self.timeout,
            scratch: self.scratch,
            stop: self.stop,
        };
        let confirmed = confirm_all(&confirming, (&failures, false), hide)?;
        let said = paths.first.map(|(model, modules)| notes(&model, &modules, &subject)).unwrap_or_default();
        let open = paths.undecided;
        let open = (open > 0).then(|| format!("assertions and branches left undecided: {open}"));
        let nowhere = self.without_regions(&paths.steps);
        Ok((confirmed.findings, said.into_iter().chain(open).chain(nowhere).collect()))
    }

    fn limit(&self) -> TimeLimit {
        TimeLimit { stop: Some(self.stop), until: Some(self.until), ..self.timeout.into() }
    }

    /// Runs the program once under control. Its recording, a plan with the memory visible that several threads use, and a
    /// directory for runs of it.
    fn first(&self, program: &Program) -> anyhow::Result<(Subject, PlanText, PathBuf)> {
        let (_, subject) = rerun((program, true), &NOTHING, &self.scratch.join("first"), self.limit())?;
        let directory = self.scratch.join("second");
        fs::create_dir_all(&directory)?;
        let regions = self.asks.regions.unwrap_or_default();
        let plan = PlanText { visible: shared(&subject.trace), regions, ..NOTHING };
        Ok((subject, plan, directory.canonicalize()?))
    }

    /// Follows the program on as many paths as the bounds allow.
    fn paths(&self, program: &Program) -> anyhow::Result<(Subject, Paths)> {
        let (subject, plan, directory) = self.first(program)?;
        let bounds = Bounds { until: self.until, stop: self.stop, limit: self.limit() };
        let paths = Paths::follow(program, &directory, &plan, (bounds, self.asks))?;
        Ok((subject, paths))
    }
}

fn unfollowed(error: &anyhow::Error) -> String {
    format!("values were not followed: {error:#}")
}

/// Memory that several threads use, and at least one of them writes.
fn shared(trace: &Trace) -> Vec<Range<u64>> {
    let all = trace.intervals().map(|(_, interval)| interval).filter(|interval| interval.length > 0);
    let mut ranges: Vec<_> = all.map(|interval| interval.address..interval.address + interval.length).collect();
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut().filter(|last| last.end >= range.start) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged.truncate(MOST_VISIBLE);
    merged
}

/// What could not be followed, and where.
fn notes(model: &Model, modules: &Modules, subject: &Subject) -> Vec<String> {
    const PLACES: usize = 3;
    let lost: usize = model.losses.iter().map(|loss| loss.count).sum();
    let place = |pc: u64| {
        let frame = foretrace_explain::place(&subject.symbols, modules, &subject.base(), pc)?;
        Some(format!("{}:{}", Path::new(frame.file.as_deref()?).file_name()?.display(), frame.line))
    };
    let mut places: Vec<_> = model.losses.iter().filter_map(|loss| place(loss.place)).collect();
    places.dedup();
    let more = if places.len() > PLACES { ", …" } else { "" };
    places.truncate(PLACES);
    let at =
        if places.is_empty() { "in code without lines".to_owned() } else { format!("at {}{more}", places.join(", ")) };
    let lost = (lost > 0).then(|| format!("values that were not followed, and count as they were: {lost} ({at})"));
    let cut = model.is_cut.then(|| "the run was too long to follow its values to the end".to_owned());
    lost.into_iter().chain(cut).collect()
}
