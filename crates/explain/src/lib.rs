//! Turns what a search found into findings of a report: trace and failure in, values out.
//!
//! Addresses become files, lines, functions and variables ([`Symbols`]), a schedule becomes the steps of it that matter
//! (`steps`), and failures that are one bug become one finding (`fold`, `waits`, `deaths`). Nothing here runs a program or
//! writes to a terminal; source files are read for the lines that a report shows.
//!
//! * A race is identified by its variable and the two functions, a deadlock by the text of its lines: an id is the same in
//!   another build and another run.
//! * A death in a run that shows a race is reported with the race.
//! * What fails only after a wait that ended without a signal is one finding, placed at that wait.
//!
//! The columns of the interleaving are those of the thesis (4.7, Figure 4.17), with only the steps that matter.
//!
//! **Deviations.** The thesis prints every event of a counterexample.
//!
//! **What it misses.** Local variables have names only in frames that a thread was in when it created another one.
//!
//! ```
//! assert_eq!(foretrace_explain::without_indices("table[3].row[12].lock"), "table[].row[].lock");
//! ```
#![forbid(unsafe_code)]

mod deaths;
mod describe;
mod fixes;
mod fold;
mod kinds;
mod picture;
mod resolver;
mod sources;
mod steps;
mod undecided;
mod waits;

use foretrace_event::Event;
use foretrace_predict::Undecided as Open;
use foretrace_report::{Finding, Frame, Undecided};
use foretrace_run::Modules;
use foretrace_search::{Found, Reason};
use foretrace_trace::{Symbols, Trace};
use resolver::Resolver;
use sources::Sources;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use fold::{Failures, without_indices};

/// The recorded run that was searched.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// What was recorded.
    pub trace: &'a Trace,
    /// Where files were mapped in it.
    pub modules: &'a Modules,
    /// The names of its addresses.
    pub symbols: &'a Symbols,
    /// The file of the program.
    pub program: &'a Path,
    /// Where relative names of source files are looked for.
    pub base: PathBuf,
    /// What the recorded run died of, if it did.
    pub death: Option<&'a str>,
}

/// What is to be reported.
#[derive(Debug)]
pub struct Explained<'a> {
    /// The findings, confirmed ones first.
    pub findings: Vec<Finding>,
    /// Crashes that are reported with the errors which lead to them.
    pub folded: Vec<Finding>,
    /// Questions without an answer.
    pub undecided: Vec<Undecided>,
    /// What the reader should know besides.
    pub notes: Vec<String>,
    /// The failures that each confirmed finding is of, by its id.
    pub failures: Failures<'a>,
}

/// Explains everything that was found. Findings stand in the order of the results: confirmed ones, then open ones.
pub fn explain<'a>(subject: &Subject<'_>, found: &'a Found, undecided: &[Open]) -> Explained<'a> {
    let sources = Sources::new(subject.base.clone());
    let confirmed = found.confirmed.iter().map(|confirmed| {
        let symbols = subject.symbols.of_other_run(confirmed.run.modules.all().to_vec());
        let run = &confirmed.run;
        let resolver =
            Resolver { subject, sources: &sources, symbols: &symbols, modules: &run.modules, seen: Some(&run.outcome) };
        let finding = resolver.confirmed(confirmed);
        (resolver.wait_not_in_loop(confirmed, &finding).unwrap_or(finding), confirmed)
    });
    let (deaths, others) = deaths::fold(confirmed.collect());
    let confirmed = waits::fold(others);
    let own_death = deaths::of_recorded_run(subject, &confirmed);
    let confirmed = confirmed.into_iter().map(|(finding, failure)| (finding, Some(failure)));
    let confirmed = confirmed.chain(own_death.map(|finding| (finding, None)));
    let open = found.open.iter().map(|open| {
        let (symbols, modules) = (&subject.symbols, &subject.modules);
        let resolver = Resolver { subject, sources: &sources, symbols, modules, seen: None };
        (resolver.predicted(open), None)
    });
    let (findings, mut failures) = fold::all(confirmed.chain(open));
    failures.extend(deaths.iter().map(|(finding, failure)| (finding.id.clone(), vec![*failure])));
    Explained {
        notes: possible(&found.open).into_iter().chain(without_lines(&findings)).collect(),
        findings,
        folded: deaths.into_iter().map(|(finding, _)| finding).collect(),
        undecided: undecided::all(subject, undecided),
        failures,
    }
}

/// The innermost call at an address of a run that is in the program's own source.
pub fn place(symbols: &Symbols, modules: &Modules, base: &Path, pc: u64) -> Option<Frame> {
    let symbols = symbols.of_other_run(modules.all().to_vec());
    Sources::new(base.to_owned()).place(pc, &symbols, modules)
}

/// The name of what an event is done to, if it has one.
pub fn object(trace: &Trace, event: Event) -> Option<String> {
    steps::operation(trace, event).thing?.name
}

/// Races that may or may not be there, because a library may order their threads: said even if they are not shown.
fn possible(open: &[foretrace_search::Open]) -> Option<String> {
    let libraries = open.iter().filter_map(|one| match &one.reason {
        Reason::Library(library) => Some(library.as_str()),
        _ => None,
    });
    let libraries: BTreeSet<&str> = libraries.collect();
    let names = Vec::from_iter(libraries).join(", ");
    (!names.is_empty())
        .then(|| format!("possible races: {names} synchronises where Foretrace cannot see; --all shows them"))
}

/// A hint if findings have no lines because their files have no debug information.
fn without_lines(findings: &[Finding]) -> Option<String> {
    let sites = findings.iter().filter(|finding| finding.is_confirmed()).flat_map(|finding| &finding.sites);
    let bare: BTreeSet<&str> = sites
        .filter(|site| site.stack.iter().all(|frame| frame.file.is_none()))
        .filter_map(|site| Some(site.top()?.module.as_str()).filter(|module| !module.is_empty()))
        .collect();
    let names: Vec<&str> = bare.into_iter().collect();
    (!names.is_empty())
        .then(|| format!("no debug information for {}: compile with -g to see files and lines", names.join(", ")))
}
