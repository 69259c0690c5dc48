//! Where a report goes, and in which form: the flags of all commands that report findings.

use anyhow::Context;
use clap::ValueEnum;
use console::Term;
use foretrace_report::{Format, Report, Style};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What to do if findings cannot be saved.
pub const ELSEWHERE: &str = "choose another place with --findings";

/// How findings are reported.
#[derive(clap::Args)]
pub struct Reporting {
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Form::Human)]
    format: Form,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
    /// Write the report to this file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Save each finding in a folder of its own in this directory
    #[arg(long, value_name = "DIR", default_value = "foretrace-findings")]
    pub findings: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Whether colours are used on a terminal, or elsewhere, if the environment holds what `get` says.
    fn is_on(self, terminal: bool, get: impl Fn(&str) -> Option<String>) -> bool {
        let is = |name, value: &str| get(name).is_some_and(|found| found == value);
        let is_set = |name| get(name).is_some_and(|found| !found.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if is_set("NO_COLOR") => false,
            Self::Auto if is_set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
            Self::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        }
    }

    /// How a report for people looks on this stream.
    pub fn style(self, stream: &Term) -> Style {
        let get = |name: &str| std::env::var(name).ok();
        let columns = get("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
        let width = columns.or_else(|| stream.size_checked().map(|(_, columns)| usize::from(columns)));
        Style { colour: self.is_on(stream.is_term(), get), width: width.unwrap_or(Style::plain().width) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Human,
    Html,
    Json,
    Sarif,
    Tsan,
    Junit,
    Github,
}

impl Form {
    pub fn format(self) -> Format {
        match self {
            Self::Human => Format::Human,
            Self::Html => Format::Html,
            Self::Json => Format::Json,
            Self::Sarif => Format::Sarif,
            Self::Tsan => Format::Tsan,
            Self::Junit => Format::Junit,
            Self::Github => Format::Github,
        }
    }
}

impl Reporting {
    /// Is the report for people?
    pub fn is_human(&self) -> bool {
        self.format == Form::Human
    }

    /// Does the program's output not mix with the report? Machine-readable reports have the standard output to themselves.
    fn leaves_output(&self) -> bool {
        self.is_human() || self.output.is_some()
    }

    /// Where the output of the checked program goes.
    pub fn output_of_program(&self) -> Stdio {
        if self.leaves_output() { Stdio::inherit() } else { Stdio::from(io::stderr()) }
    }

    /// Opens the report's file, if there is one, before anything is run.
    pub fn open(&self) -> anyhow::Result<Option<File>> {
        self.output.as_deref().map(open_output).transpose()
    }

    /// Writes the report.
    pub fn write(&self, output: Option<File>, report: &Report) -> anyhow::Result<()> {
        write(self, output, report)
    }
}

/// Opens the report's file before anything is run, and leaves what is in it until there is a report.
pub fn open_output(path: &Path) -> anyhow::Result<File> {
    let opened = File::options().write(true).create(true).truncate(false).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))
}

/// A file is emptied first; a pipe cannot be.
pub fn write_output(mut file: File, report: &Report, format: Format, style: Style) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    foretrace_report::write(report, format, style, &mut file)
}

/// A report for people goes to the stream that the program's output does not use.
fn write(args: &Reporting, output: Option<File>, report: &Report) -> anyhow::Result<()> {
    let format = args.format.format();
    let written = match output {
        Some(file) => {
            let style = Style { colour: args.color == Colour::Always, ..Style::plain() };
            write_output(file, report, format, style)
        }
        None if format == Format::Human => {
            let mut text = Vec::new();
            foretrace_report::write(report, format, args.color.style(&Term::stderr()), &mut text)?;
            io::stderr().lock().write_all(&text)
        }
        None => foretrace_report::write(report, format, Style::plain(), &mut io::stdout().lock()),
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write the report"),
    }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn colours_follow_the_flag_then_the_environment_then_the_terminal() {
        for (flag, terminal, set, on) in [
            (Colour::Auto, true, "", true),
            (Colour::Auto, false, "", false),
            (Colour::Auto, true, "NO_COLOR=1", false),
            (Colour::Auto, true, "NO_COLOR=", true),
            (Colour::Auto, true, "CLICOLOR=0", false),
            (Colour::Auto, true, "TERM=dumb", false),
            (Colour::Auto, false, "CLICOLOR_FORCE=1", true),
            (Colour::Auto, false, "CLICOLOR_FORCE=0", false),
            (Colour::Auto, false, "CLICOLOR_FORCE=1 NO_COLOR=1", false),
            (Colour::Always, false, "NO_COLOR=1", true),
            (Colour::Never, true, "CLICOLOR_FORCE=1", false),
        ] {
            let get = |name: &str| {
                let value = set.split(' ').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
                value.map(str::to_owned)
            };
            assert_eq!(flag.is_on(terminal, get), on, "{set} terminal={terminal}");
        }
    }
}
