//! `foretrace csp`: reads CSP_M scripts and checks their assertions.

use crate::output;
use anyhow::{Context, bail};
use foretrace_csp::budget::Budget;
use foretrace_csp::counterexample::Counterexample;
use foretrace_csp::machine::Lts;
use foretrace_csp::refine::search::Progress;
use foretrace_csp::script::{LoadError, Report, Script, Verdict, with_stack};
use foretrace_csp::source;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Check the assertions of CSP_M scripts.
///
/// Exits with 0 if all hold, 1 if some fail, 2 if one could not be decided or a script is wrong.
#[derive(clap::Args)]
pub struct Args {
    /// The scripts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print the state space of this process instead of checking
    #[arg(long, value_name = "PROCESS")]
    explore: Option<String>,
    /// The form of the state space
    #[arg(long, value_enum, default_value_t = Graph::Text, requires = "explore")]
    graph: Graph,
    /// Give up on an assertion after this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Give up on an assertion beyond this much memory, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 8192)]
    max_memory: u64,
    /// Give up on an assertion after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Threads to search with; all cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Only read and type-check
    #[arg(long, conflicts_with = "explore")]
    check_only: bool,
    /// No progress line
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Graph {
    /// One step a line
    Text,
    /// Graphviz
    Dot,
    /// Aldebaran, for other tools
    Aut,
}

/// The worst that was met, which is the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worst {
    AllHold = 0,
    SomeFail = 1,
    Undecided = 2,
}

/// Checks every script and answers with the worst result, or with the worst so far once nobody reads the results.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut worst = Worst::AllHold;
    match scripts(args, &mut worst) {
        Err(error) if !output::reader_left(&error) => Err(error),
        _ => Ok(ExitCode::from(worst as u8)),
    }
}

fn scripts(args: &Args, worst: &mut Worst) -> anyhow::Result<()> {
    let mut documents = Vec::new();
    for file in &args.files {
        let text = source::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        documents.extend(with_stack(|| script(args, file, &text, worst))?);
    }
    if args.format == Format::Json && args.explore.is_none() {
        let document = json!({ "version": 1, "scripts": documents });
        output::write(|out| Ok(writeln!(out, "{document:#}")?))?;
    }
    Ok(())
}

fn script(args: &Args, file: &Path, text: &str, worst: &mut Worst) -> anyhow::Result<Option<Value>> {
    let name = file.display().to_string();
    let script = match Script::load(&name, text, Vec::new()) {
        Ok(script) => script,
        Err(error) => {
            *worst = Worst::Undecided;
            if args.format == Format::Json {
                return Ok(Some(load_error(&name, &error)));
            }
            eprint!("{}", error.render());
            return Ok(None);
        }
    };
    if let Some(process) = &args.explore {
        return explore(args, &script, process).map(|()| None);
    }
    if args.check_only {
        return Ok(Some(json!({ "file": name, "assertions": [] })));
    }
    let budget = budget(args);
    print_values(args, &script, &budget, worst)?;
    let mut results = Vec::new();
    for assertion in script.assertions() {
        let line = ProgressLine::new(args);
        let report = script.check(&assertion, &budget, &|p| line.show(p));
        line.clear();
        *worst = (*worst).max(verdict_rank(&report.verdict));
        match args.format {
            Format::Text => output::write(|out| print_report(out, &report, &script))?,
            Format::Json => results.push(report_json(&report)),
        }
    }
    Ok(Some(json!({ "file": name, "assertions": results })))
}

fn budget(args: &Args) -> Budget {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Budget {
        max_states: args.max_states.unwrap_or(u64::MAX),
        max_memory: args.max_memory << 20,
        timeout: args.timeout.map(Duration::from_secs_f64),
        threads: args.threads.unwrap_or(cores),
    }
}

fn print_values(args: &Args, script: &Script, budget: &Budget, worst: &mut Worst) -> anyhow::Result<()> {
    for (text, value) in script.prints(budget) {
        match value {
            Ok(value) if args.format == Format::Text => output::write(|out| Ok(writeln!(out, "{text} = {value}")?))?,
            Ok(_) => {}
            Err(diagnostic) => {
                eprint!("{}", diagnostic.render(&script.sources));
                *worst = Worst::Undecided;
            }
        }
    }
    Ok(())
}

fn verdict_rank(verdict: &Verdict) -> Worst {
    match verdict {
        Verdict::Holds => Worst::AllHold,
        Verdict::Fails(_) => Worst::SomeFail,
        Verdict::Unknown(_) | Verdict::Error(_) => Worst::Undecided,
    }
}

fn print_report(out: &mut dyn Write, report: &Report, script: &Script) -> anyhow::Result<()> {
    let s = &report.statistics;
    let word = match &report.verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "FAILS",
        Verdict::Unknown(_) => "undecided",
        Verdict::Error(_) => "error",
    };
    writeln!(out, "{}: {word}: {}", report.at, report.text)?;
    let rate = s.states as f64 / s.time.as_secs_f64().max(1e-9);
    writeln!(
        out,
        "  {} states, {} transitions, depth {}, {:.3} s, {rate:.0} states/s",
        s.states,
        s.transitions,
        s.depth,
        s.time.as_secs_f64()
    )?;
    match &report.verdict {
        Verdict::Fails(Some(shown)) => print_counterexample(out, shown)?,
        Verdict::Fails(None) => writeln!(out, "  the claim holds, and it should not")?,
        Verdict::Unknown(why) => writeln!(out, "  gave up: {why}")?,
        Verdict::Error(diagnostic) => write!(out, "{}", diagnostic.render(&script.sources))?,
        Verdict::Holds => {}
    }
    if let Some(witness) = &report.witness {
        print_counterexample(out, witness)?;
    }
    Ok(())
}

fn print_counterexample(out: &mut dyn Write, shown: &Counterexample) -> anyhow::Result<()> {
    writeln!(out, "  after <{}>", shown.trace.join(", "))?;
    writeln!(out, "  {}", shown.summary())?;
    if shown.components.len() > 1 {
        writeln!(out, "  what each part did:")?;
    }
    for part in shown.components.iter().filter(|_| shown.components.len() > 1) {
        writeln!(out, "    {}{}: <{}>", "  ".repeat(part.depth), part.label, part.trace.join(", "))?;
    }
    Ok(())
}

fn load_error(file: &str, error: &LoadError) -> Value {
    let one = |d: &foretrace_csp::diagnostic::Diagnostic| {
        let at = d.position(&error.sources);
        json!({ "stage": d.stage.name(), "file": at.file, "line": at.line, "column": at.column,
                "message": d.message, "hint": d.hint })
    };
    json!({ "file": file, "errors": error.diagnostics.iter().map(one).collect::<Vec<_>>() })
}

fn report_json(report: &Report) -> Value {
    let s = &report.statistics;
    let (result, why) = match &report.verdict {
        Verdict::Holds => ("holds", None),
        Verdict::Fails(_) => ("fails", None),
        Verdict::Unknown(why) => ("unknown", Some(why.clone())),
        Verdict::Error(d) => ("error", Some(d.message.clone())),
    };
    let shown = match &report.verdict {
        Verdict::Fails(shown) => shown.as_ref(),
        _ => report.witness.as_ref(),
    };
    json!({
        "assertion": report.text, "file": report.at.file, "line": report.at.line, "result": result, "why": why,
        "counterexample": shown.map(counterexample_json),
        "statistics": { "states": s.states, "transitions": s.transitions, "depth": s.depth, "bytes": s.bytes,
                        "seconds": s.time.as_secs_f64() },
    })
}

fn counterexample_json(shown: &Counterexample) -> Value {
    let part =
        |b: &foretrace_csp::counterexample::Behaviour| json!({ "depth": b.depth, "label": b.label, "trace": b.trace });
    json!({
        "kind": shown.kind, "trace": shown.trace, "steps": shown.steps, "event": shown.event,
        "offered": shown.offered, "demanded": shown.demanded,
        "components": shown.components.iter().map(part).collect::<Vec<_>>(),
    })
}

fn explore(args: &Args, script: &Script, process: &str) -> anyhow::Result<()> {
    let (lts, names) = match script.explore(process, &budget(args)) {
        Ok(found) => found,
        Err(error) => bail!("cannot explore {process}\n{}", error.render()),
    };
    output::write(|out| match args.graph {
        Graph::Text => print_steps(out, &lts, &names),
        Graph::Dot => print_dot(out, &lts, &names),
        Graph::Aut => print_aut(out, &lts, &names),
    })
}

fn print_steps(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "{} states, {} transitions, state {} first", lts.len(), lts.steps.len(), lts.initial)?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            writeln!(out, "{s} -{}-> {t}", names[e.0 as usize])?;
        }
    }
    Ok(())
}

fn print_dot(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "digraph process {{\n  rankdir = LR;\n  node [shape = circle];\n  {} [style = bold];", lts.initial)?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            writeln!(out, "  {s} -> {t} [label = {:?}];", names[e.0 as usize])?;
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}

fn print_aut(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "des ({},{},{})", lts.initial, lts.steps.len(), lts.len())?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            let name = if *e == foretrace_csp::machine::TAU { "tau" } else { &names[e.0 as usize] };
            writeln!(out, "({s},{name:?},{t})")?;
        }
    }
    Ok(())
}

/// One line on the terminal that is rewritten a few times a second.
struct ProgressLine {
    shown: bool,
    state: Mutex<(Instant, Instant, bool)>,
}

impl ProgressLine {
    fn new(args: &Args) -> Self {
        let now = Instant::now();
        ProgressLine { shown: !args.quiet && std::io::stderr().is_terminal(), state: Mutex::new((now, now, false)) }
    }

    fn show(&self, p: Progress) {
        if !self.shown {
            return;
        }
        let mut state = self.state.lock().expect("nobody panics while it prints");
        if state.1.elapsed() < Duration::from_millis(250) {
            return;
        }
        (state.1, state.2) = (Instant::now(), true);
        let rate = p.states as f64 / state.0.elapsed().as_secs_f64();
        let line = format!("{} states, {} transitions, depth {}, {rate:.0} states/s", p.states, p.transitions, p.depth);
        eprint!("\r\x1b[K{line}");
    }

    fn clear(&self) {
        if self.state.lock().expect("nobody panics while it prints").2 {
            eprint!("\r\x1b[K");
        }
    }
}
