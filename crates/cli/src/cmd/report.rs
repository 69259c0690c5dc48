//! `foretrace report`: the report of saved findings once more, in any form.

use super::check::saved::{PICTURE, REPORT};
use super::reporting::{Colour, Form, open_output, write_output};
use anyhow::{Context, bail};
use console::Term;
use foretrace_report::{Picture, Report, Style};
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make the report of saved findings again, for example as a page.
///
/// `foretrace check` and `foretrace explore` save each finding in a folder. `foretrace report foretrace-findings -o report.html`
/// writes one page of all of them; the folder of one finding gives a page of that finding. Nothing is run.
#[derive(clap::Args)]
pub struct Args {
    /// The directory with the findings, or the folder of one finding
    #[arg(value_name = "DIR")]
    findings: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Form::Html)]
    format: Form,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
    /// Write the report to this file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A saved report that is longer is not one of ours.
const LONGEST: u64 = 256 << 20;

/// Writes the report.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let report = read(&args.findings)?;
    let format = args.format.format();
    match &args.output {
        Some(path) => {
            let style = Style { colour: args.color == Colour::Always, ..Style::plain() };
            let written = write_output(open_output(path)?, &report, format, style);
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        None if args.format == Form::Html && io::stdout().is_terminal() => {
            bail!("a page is not for a terminal: name a file with -o, such as -o report.html")
        }
        None => foretrace_report::write(&report, format, args.color.style(&Term::stdout()), &mut io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Of a finding, or of all findings of a directory in the order of their names.
fn read(directory: &Path) -> anyhow::Result<Report> {
    if directory.join(REPORT).is_file() {
        return one(directory);
    }
    let entries = std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut folders: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    folders.retain(|folder| folder.join(REPORT).is_file());
    folders.sort();
    let Some((first, others)) = folders.split_first() else {
        bail!("{} holds no findings; `foretrace check` saves findings", directory.display());
    };
    others.iter().try_fold(one(first)?, |all, folder| Ok(joined(all, one(folder)?)))
}

/// Findings that were made into one report. What was said of a run besides is said once.
fn joined(mut all: Report, more: Report) -> Report {
    let known: BTreeSet<String> = all.notes.iter().cloned().collect();
    all.notes.extend(more.notes.into_iter().filter(|note| !known.contains(note)));
    if !all.program.split(", ").any(|known| known == more.program) {
        all.program = format!("{}, {}", all.program, more.program);
    }
    if all.exit != more.exit {
        all.exit = String::new();
    }
    all.findings.extend(more.findings);
    all.incomplete |= more.incomplete;
    all
}

/// The report of one finding, where it is now.
fn one(folder: &Path) -> anyhow::Result<Report> {
    let path = folder.join(REPORT);
    let damaged = || format!("{} is not a report of this version; check the program again", path.display());
    let text = foretrace_file::read(&path, LONGEST).with_context(|| format!("cannot read {}", path.display()))?;
    let mut report: Report = serde_json::from_slice(&text).with_context(damaged)?;
    if !report.is_sound() {
        bail!("{}: it names a thread that it does not list", damaged());
    }
    let picture = picture(folder)?;
    if let Some(finding) = report.findings.first_mut() {
        finding.folder = Some(folder.display().to_string());
        finding.picture = picture.map(Box::new);
    }
    Ok(report)
}

/// What a page shows besides; findings of other versions may have none.
fn picture(folder: &Path) -> anyhow::Result<Option<Picture>> {
    let path = folder.join(PICTURE);
    if !path.is_file() {
        return Ok(None);
    }
    let damaged = || format!("{} is damaged; check the program again", path.display());
    let text = foretrace_file::read(&path, LONGEST).with_context(|| format!("cannot read {}", path.display()))?;
    let picture: Picture = serde_json::from_slice(&text).with_context(damaged)?;
    if !picture.is_sound() {
        bail!("{}", damaged());
    }
    Ok(Some(picture))
}
