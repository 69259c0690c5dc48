//! `foretrace csp`: reads CSP_M scripts and checks their assertions.

mod budget;
mod graph;
mod html;
mod json;
mod progress;
mod repl;
mod text;

use super::interrupt;
use crate::flags;
use crate::output;
use anyhow::{Context, bail};
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Report, Script, Verdict, with_stack};
use foretrace_csp::source;
use progress::ProgressLine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Check the assertions of CSP_M scripts.
///
/// The exit code is 0 if all assertions hold, 1 if some fail, and 2 if one could not be decided or a script has an error.
#[derive(clap::Args)]
pub struct Args {
    /// The scripts; `-` stands for standard input
    #[arg(required_unless_present = "eval", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of the results
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print one line for each assertion
    #[arg(long)]
    brief: bool,
    /// Check only the assertion with this number (counted from 1), or the assertions that contain this text
    #[arg(long = "assert", value_name = "N|TEXT")]
    only: Vec<String>,
    /// Print the value of an expression instead of checking assertions
    #[arg(long, value_name = "EXPR", conflicts_with = "explore")]
    eval: Vec<String>,
    /// Evaluate expressions of a script at a prompt
    #[arg(long, conflicts_with_all = ["eval", "explore", "check_only"])]
    repl: bool,
    /// Write the results and the graphs of the processes to an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the state space of this process instead of checking assertions
    #[arg(long, value_name = "PROCESS")]
    explore: Option<String>,
    /// The format of the state space
    #[arg(long, value_enum, default_value_t = Graph::Text, requires = "explore")]
    graph: Graph,
    /// Give up on an assertion after this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Give up on an assertion when it needs more memory than this (such as 500M or 2G)
    #[arg(long, value_name = "SIZE", default_value = "8G", value_parser = flags::size)]
    max_memory: u64,
    /// Store states in files of this directory once they fill the memory, instead of giving up
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// With --spill, use at most this much disk space (such as 500M or 20G)
    #[arg(long, value_name = "SIZE", default_value = "64G", value_parser = flags::size, requires = "spill")]
    max_disk: u64,
    /// Give up on an assertion, and on reading a script, after this time (such as 30s or 5m)
    #[arg(long, value_name = "TIME", value_parser = flags::time, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    /// Number of counterexamples to show for each assertion
    #[arg(long, value_name = "N", default_value_t = 1)]
    counterexamples: usize,
    /// Number of threads; 0 means one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = flags::jobs)]
    jobs: usize,
    /// Only parse and type-check the scripts
    #[arg(long, conflicts_with = "explore")]
    check_only: bool,
    /// Do not show progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    /// One document at the end
    Json,
    /// One line for each result, as soon as it is known
    Jsonl,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Graph {
    /// One transition on each line
    Text,
    /// Graphviz
    Dot,
    /// Aldebaran format, for other tools
    Aut,
}

/// The worst result so far, which is the exit code.
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
    let mut texts = Vec::new();
    for file in &args.files {
        texts.push((file.display().to_string(), read(file)?));
    }
    if texts.is_empty() {
        texts.push(("<none>".to_owned(), String::new()));
    }
    let budget = budget::of(args, interrupt::flag()?);
    for (name, text) in &texts {
        documents.extend(with_stack(|| script(args, &budget, name, text, worst))?);
    }
    if let Some(page) = &args.html {
        std::fs::write(page, html::page(&documents)).with_context(|| format!("cannot write {}", page.display()))?;
    }
    if args.format == Format::Json && args.explore.is_none() && args.eval.is_empty() && !args.repl {
        let document = json!({ "version": 1, "scripts": documents });
        output::write(|out| Ok(writeln!(out, "{document:#}")?))?;
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file != Path::new("-") {
        return source::read(file).with_context(|| format!("cannot read {}", file.display()));
    }
    let bytes = foretrace_file::stream(std::io::stdin().lock(), foretrace_file::LONGEST_TEXT);
    Ok(source::decode(bytes.context("cannot read the standard input")?))
}

fn script(args: &Args, budget: &Budget, name: &str, text: &str, worst: &mut Worst) -> anyhow::Result<Option<Value>> {
    let script = match Script::load_within(name, text, Vec::new(), budget) {
        Ok(script) => script,
        Err(error) => {
            *worst = Worst::Undecided;
            if args.format != Format::Text {
                let told = json::load_error(name, &error);
                json::line(args, &told)?;
                return Ok(Some(told));
            }
            output::show(&error.render());
            return Ok(None);
        }
    };
    if let Some(process) = &args.explore
        && args.html.is_none()
    {
        return explore(args, &script, process, budget).map(|()| None);
    }
    if !args.eval.is_empty() {
        return evaluate(args, &script, budget, worst).map(|()| None);
    }
    if args.repl {
        return repl::run(&script, budget).map(|()| None);
    }
    if args.check_only {
        return Ok(Some(json!({ "file": name, "assertions": [] })));
    }
    let prints = print_values(args, &script, budget, worst)?;
    let results = assertions(args, &script, budget, worst)?;
    let mut document = json!({ "file": name, "prints": prints, "assertions": results });
    if args.html.is_some() {
        document["graphs"] = html::graphs(&script, args.explore.as_deref(), budget);
    }
    Ok(Some(document))
}

/// Checks the assertions that were asked for, and tells each result as it comes.
fn assertions(args: &Args, script: &Script, budget: &Budget, worst: &mut Worst) -> anyhow::Result<Vec<Value>> {
    let all = script.assertions();
    let wanted: Vec<usize> = (0..all.len()).filter(|&i| is_wanted(args, i + 1, &script.text_of(&all[i]))).collect();
    if wanted.is_empty() && !args.only.is_empty() {
        bail!("no assertion of the script is {}", args.only.join(" or "));
    }
    let mut results = Vec::new();
    for (done, &i) in wanted.iter().enumerate() {
        let line = ProgressLine::new(args.quiet, script.text_of(&all[i]), done + 1, wanted.len());
        let report = script.check(&all[i], budget, &|p| line.show(p));
        line.clear();
        *worst = (*worst).max(rank(&report));
        match args.format {
            Format::Text if args.brief => output::write(|out| text::brief(out, &report))?,
            Format::Text => output::write(|out| text::report(out, &report, script))?,
            _ => json::line(args, &json::report(&report))?,
        }
        results.push(json::report(&report));
    }
    Ok(results)
}

fn is_wanted(args: &Args, number: usize, text: &str) -> bool {
    let fits = |only: &String| only.parse() == Ok(number) || (only.parse::<usize>().is_err() && text.contains(only));
    args.only.is_empty() || args.only.iter().any(fits)
}

fn rank(report: &Report) -> Worst {
    match &report.verdict {
        Verdict::Holds => Worst::AllHold,
        Verdict::Fails(_) => Worst::SomeFail,
        Verdict::Unknown(_) | Verdict::Error(_) => Worst::Undecided,
    }
}

fn print_values(args: &Args, script: &Script, budget: &Budget, worst: &mut Worst) -> anyhow::Result<Vec<Value>> {
    let mut told = Vec::new();
    for (text, value) in script.prints(budget) {
        let value = match value {
            Ok(value) => value,
            Err(diagnostic) => {
                output::show(&diagnostic.render(&script.sources));
                *worst = Worst::Undecided;
                continue;
            }
        };
        if args.format == Format::Text {
            output::write(|out| Ok(writeln!(out, "{text} = {value}")?))?;
        }
        let print = json!({ "print": text, "value": value });
        json::line(args, &print)?;
        told.push(print);
    }
    Ok(told)
}

fn evaluate(args: &Args, script: &Script, budget: &Budget, worst: &mut Worst) -> anyhow::Result<()> {
    for expression in &args.eval {
        match script.evaluate(expression, budget) {
            Ok(value) => output::write(|out| Ok(writeln!(out, "{value}")?))?,
            Err(error) => {
                output::show(&error.render());
                *worst = Worst::Undecided;
            }
        }
    }
    Ok(())
}

fn explore(args: &Args, script: &Script, process: &str, budget: &Budget) -> anyhow::Result<()> {
    let (lts, names) = match script.explore(process, budget) {
        Ok(found) => found,
        Err(error) => bail!("cannot explore {process}\n{}", error.render()),
    };
    output::write(|out| match args.graph {
        Graph::Text => graph::steps(out, &lts, &names),
        Graph::Dot => graph::dot(out, &lts, &names),
        Graph::Aut => graph::aut(out, &lts, &names),
    })
}
