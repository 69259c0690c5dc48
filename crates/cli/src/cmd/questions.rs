//! `foretrace symbolic`: questions about a concurrent trace program, in a file or of a run.

use super::interrupt;
use super::sources::Sources;
use crate::flags;
use crate::output;
use crate::scratch::Scratch;
use anyhow::Context;
use foretrace_cssa::{Analysis, Extent, Goal, Model, Options, Verdict, Witness, goals, smt};
use foretrace_ctp::must::Must;
use foretrace_ctp::{Ctp, EventId, text};
use foretrace_order::Budget;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Answer questions about a concurrent trace program
///
/// A file FILE.ctp lists the events of a run with expressions over what they read; docs/symbolic.md describes it. A file FILE.std
/// is a trace in the form of the RAPID tools, without values. Source files
/// are compiled with clang and run, and the program is that of the run. Each answer is decided for all orders of the events
/// that can really happen; nothing is replayed (`foretrace check` does that). The exit code is 0 if nothing was found, 1 if something
/// was, and 2 if a question could not be decided or the file has an error.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Calls of this function are regions; may be given several times
    #[arg(long, value_name = "FUNCTION")]
    atomic: Vec<String>,
    /// Write the program to this file
    #[arg(long, value_name = "FILE.ctp")]
    emit_ctp: Option<PathBuf>,
    /// What to look for
    #[arg(long, value_enum, value_delimiter = ',', default_value = "assertions,atomicity")]
    find: Vec<Question>,
    /// Which data counts
    #[arg(long, value_enum, default_value_t = Data::Exact)]
    model: Data,
    /// Only consider orders in which every thread comes to its end
    #[arg(long)]
    whole: bool,
    /// First try orders with at most 0, 1, … and this many context switches
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=64))]
    switches: u32,
    /// Give up after this time (such as 30s or 5m)
    #[arg(long, value_name = "TIME", value_parser = flags::time, default_value = "5m")]
    timeout: Duration,
    /// Print the order of events of each answer
    #[arg(long)]
    orders: bool,
    /// Also write all questions as SMT-LIB, for another solver
    #[arg(long, value_name = "FILE")]
    emit_smt: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Question {
    /// Assertions that fail
    Assertions,
    /// Regions between `begin` and `end` that another thread breaks
    Atomicity,
    /// Critical sections that another thread breaks
    Sections,
    /// Data races
    Races,
    /// Locks taken twice, and unlocks without a lock
    Locks,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Data {
    /// All of it
    Exact,
    /// Reads see the recorded values
    Constrained,
    /// None: also finds what cannot happen
    Relaxed,
}

/// A goal, and what a person calls it.
struct Asked {
    goal: Goal,
    name: String,
}

/// Answers all questions; the exit code is the worst answer.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let first = Path::new(args.sources.files.first().context("name a file: FILE.ctp, FILE.std, or source files")?);
    let path = first.display();
    let ctp = if args.sources.are_compiled() { followed(args, stop)? } else { read(first)? };
    if let Some(file) = &args.emit_ctp {
        std::fs::write(file, text::print(&ctp)).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let mut analysis = Analysis::new(&ctp, options(args)).with_context(|| format!("cannot analyse {path}"))?;
    let until = Instant::now().checked_add(args.timeout);
    let budget = Budget { until, stop: Some(stop), ..Budget::default() };
    let asked: Vec<Asked> = args.find.iter().flat_map(|question| questions(&ctp, *question)).collect();
    if let Some(file) = &args.emit_smt {
        let formulas = formulas(&analysis, &asked, options(args));
        std::fs::write(file, formulas).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let (mut found, mut open) = (0, 0);
    for asked in &asked {
        let verdict = analysis.deepen(&asked.goal, &budget);
        found += usize::from(matches!(verdict, Verdict::Yes(_)));
        open += usize::from(verdict == Verdict::Unknown);
        output::write(|out| answer(out, &ctp, asked, &verdict, args.orders))?;
    }
    let about_regions = args.find.iter().filter_map(|question| regions(&ctp, *question));
    for line in about_regions {
        output::write(|out| Ok(writeln!(out, "{line}")?))?;
    }
    output::write(|out| {
        Ok(writeln!(
            out,
            "{} questions: {found} can happen, {} cannot, {open} not decided",
            asked.len(),
            asked.len() - found - open
        )?)
    })?;
    Ok(ExitCode::from(if open > 0 { 2 } else { u8::from(found > 0) }))
}

/// The program of a run.
fn followed(args: &Args, stop: &'static AtomicBool) -> anyhow::Result<Ctp> {
    let scratch = Scratch::new("symbolic-")?;
    super::symbolic::followed((&args.sources, &args.atomic), scratch.path(), (args.timeout, stop))
}

/// The program in a file.
fn read(file: &Path) -> anyhow::Result<Ctp> {
    let path = file.display();
    let bytes = foretrace_file::read(file, foretrace_file::LONGEST_TEXT);
    let bytes = bytes.with_context(|| format!("cannot read {path}"))?;
    let source = String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("{path} is not text in UTF-8"))?;
    if file.extension().is_some_and(|ending| ending == "std") {
        return text::parse_std(&source).with_context(|| format!("{path} is not a trace in the STD form"));
    }
    text::parse(&source).with_context(|| format!("{path} is not a concurrent trace program"))
}

/// One formula for each question, with its name before it.
fn formulas(analysis: &Analysis, asked: &[Asked], options: Options) -> String {
    let one = |asked: &Asked| match smt::question(analysis.modelled(), &asked.goal, options) {
        Some(formula) => format!("(reset)\n; {}\n{formula}", asked.name.replace(['\n', '\r'], " ")),
        None => format!("; not expressed: {}\n", asked.name.replace(['\n', '\r'], " ")),
    };
    asked.iter().map(one).collect()
}

fn options(args: &Args) -> Options {
    Options {
        model: match args.model {
            Data::Exact => Model::Exact,
            Data::Constrained => Model::Constrained,
            Data::Relaxed => Model::Relaxed,
        },
        extent: if args.whole { Extent::Whole } else { Extent::Prefix },
        switches: args.switches,
        proof: false,
    }
}

fn questions(ctp: &Ctp, question: Question) -> Vec<Asked> {
    let triples = |regions: Vec<goals::Region>| {
        let (_, possible) = goals::triples(ctp, &regions);
        let name = |triple: goals::Triple| {
            let [first, remote, second] = [triple.first, triple.remote, triple.second].map(|id| place(ctp, id));
            Asked { goal: triple.goal(), name: format!("{remote} breaks the region of {first} and {second}") }
        };
        possible.into_iter().map(name).collect()
    };
    let next = |goals: Vec<Goal>, what: &str| -> Vec<Asked> {
        let name = |goal: &Goal| goal.next.iter().map(|id| place(ctp, *id)).collect::<Vec<_>>().join(" and ");
        goals.into_iter().map(|goal| Asked { name: format!("{what}{}", name(&goal)), goal }).collect()
    };
    match question {
        Question::Assertions => {
            let name = |goal: &Goal| goal.fails.map_or(String::new(), |id| place(ctp, id));
            let goals = goals::assertions(ctp).into_iter();
            goals.map(|goal| Asked { name: format!("the assertion {} fails", name(&goal)), goal }).collect()
        }
        Question::Atomicity => triples(goals::marked_regions(ctp)),
        Question::Sections => triples(goals::critical_sections(ctp)),
        Question::Races => next(goals::races(ctp), "a data race of "),
        Question::Locks => next(goals::lock_errors(ctp), "a wrong use of a lock by "),
    }
}

/// How many combinations of accesses there are in regions, and what is left of them to be asked about (the columns of the
/// paper's tables 2 and 3).
fn regions(ctp: &Ctp, question: Question) -> Option<String> {
    let regions = match question {
        Question::Atomicity => goals::marked_regions(ctp),
        Question::Sections => goals::critical_sections(ctp),
        _ => return None,
    };
    let must = Must::new(ctp)?;
    let (all, left) = goals::triples(ctp, &regions);
    let is_open = |t: &&goals::Triple| !must.before(t.remote, t.first) && !must.before(t.second, t.remote);
    let ordered = all.iter().filter(is_open).count();
    let (regions, all, left) = (regions.len(), all.len(), left.len());
    Some(format!(
        "{regions} regions: {all} triples of accesses, {ordered} that nothing orders, {left} that no lock prevents"
    ))
}

/// An event, as a person finds it in the file.
fn place(ctp: &Ctp, id: EventId) -> String {
    let label = ctp.event(id).label.as_deref();
    label.map_or_else(|| ctp.name(id), |label| format!("{} ({label})", ctp.name(id)))
}

fn answer(out: &mut dyn Write, ctp: &Ctp, asked: &Asked, verdict: &Verdict, orders: bool) -> anyhow::Result<()> {
    match verdict {
        Verdict::Yes(witness) => {
            writeln!(out, "can happen: {} ({} context switches)", asked.name, witness.switches)?;
            if orders {
                order(out, ctp, witness)?;
            }
        }
        Verdict::No { .. } => writeln!(out, "cannot happen: {}", asked.name)?,
        Verdict::Unknown => writeln!(out, "not decided: {}", asked.name)?,
    }
    Ok(())
}

fn order(out: &mut dyn Write, ctp: &Ctp, witness: &Witness) -> anyhow::Result<()> {
    for id in &witness.order {
        let seen = witness.reads.iter().find(|(read, _)| read == id).and_then(|(_, value)| {
            let place = ctp.event(*id).action.place()?;
            Some(format!(" reads `{}` = {value}", ctp.place_name(place)))
        });
        writeln!(out, "    {}{}", place(ctp, *id), seen.unwrap_or_default())?;
    }
    Ok(())
}
