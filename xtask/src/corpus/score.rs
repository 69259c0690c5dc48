//! Counts right and wrong answers.

use super::tools::{Answer, TOOLS};
use anyhow::Context;
use foretrace_testkit::corpus::{Judgement, Specimen};
use std::fmt::Write;

/// A program, and the answer of each tool.
pub type Row = Vec<Answer>;

/// Runs every tool on every program.
pub fn all(specimens: &[Specimen]) -> anyhow::Result<Vec<Row>> {
    let scratch = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for specimen in specimens {
        let ask = |(_, tool): &(&str, super::tools::Tool)| tool(specimen, scratch.path());
        let row: anyhow::Result<Row> = TOOLS.iter().map(ask).collect();
        rows.push(row.with_context(|| specimen.name.clone())?);
        eprint!(".");
    }
    eprintln!();
    Ok(rows)
}

/// The class of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    TruePositive,
    TrueNegative,
    FalsePositive,
    FalseNegative,
    Crash,
}

impl Class {
    const ALL: [Self; 5] =
        [Self::TruePositive, Self::TrueNegative, Self::FalsePositive, Self::FalseNegative, Self::Crash];

    fn of(specimen: &Specimen, answer: &Answer) -> Self {
        match &answer.judgement {
            None => Self::Crash,
            Some(Judgement { false_alarms, .. }) if !false_alarms.is_empty() => Self::FalsePositive,
            Some(Judgement { misses, .. }) if !misses.is_empty() => Self::FalseNegative,
            Some(_) if specimen.marks.is_empty() => Self::TrueNegative,
            Some(_) => Self::TruePositive,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::TruePositive | Self::TrueNegative => "right",
            Self::FalsePositive => "false alarm",
            Self::FalseNegative => "missed",
            Self::Crash => "crashed or hung",
        }
    }
}

/// The page.
pub fn text(specimens: &[Specimen], rows: &[Row]) -> String {
    let failing = specimens.iter().filter(|specimen| !specimen.marks.is_empty()).count();
    let mut text = String::from(HEAD);
    let mut line = |words: String| writeln!(text, "{words}").expect("a string takes all that is written to it");
    line(format!("{} programs, {failing} of them with an error.\n", specimens.len()));
    line(
        "| tool | true positives | true negatives | false positives | false negatives | crashed or hung | time |"
            .to_owned(),
    );
    line("| --- | --- | --- | --- | --- | --- | --- |".to_owned());
    for (tool, (name, _)) in TOOLS.iter().enumerate() {
        let of = |class: Class| {
            specimens.iter().zip(rows).filter(|(specimen, row)| Class::of(specimen, &row[tool]) == class).count()
        };
        let counts: Vec<String> = Class::ALL.iter().map(|class| of(*class).to_string()).collect();
        let ended: Vec<&Answer> = rows.iter().map(|row| &row[tool]).filter(|row| row.judgement.is_some()).collect();
        let time: f64 = ended.iter().map(|answer| answer.time.as_secs_f64()).sum();
        line(format!("| {name} | {} | {:.0} ms |", counts.join(" | "), time * 1e3 / ended.len().max(1) as f64));
    }
    line("\n## Where a tool is wrong\n".to_owned());
    line(format!("| program | {} |", TOOLS.map(|(name, _)| name).join(" | ")));
    line("| --- | --- | --- | --- |".to_owned());
    for (specimen, row) in specimens.iter().zip(rows) {
        let classes: Vec<Class> = row.iter().map(|answer| Class::of(specimen, answer)).collect();
        let words: Vec<&str> = classes.iter().map(|class| class.word()).collect();
        if words.iter().any(|word| *word != "right") {
            line(format!("| `{}` | {} |", specimen.name, words.join(" | ")));
        }
    }
    text
}

const HEAD: &str = "\
# Foretrace, ThreadSanitizer and Helgrind over the corpus

`cargo xtask corpus` writes this page. The programs are those under `tests/programs`; those in `fail` mark the lines of
their errors. Each tool runs once on each program, built with `-g -O0`: `foretrace check` on a build of `foretrace cc`,
gcc's ThreadSanitizer, and Valgrind's Helgrind on gcc's plain build. The same rule applies to all three: an answer is a
*true positive* if each marked error is reported, with its kind and at its lines, and nothing else is; a *false positive* if
anything is reported that is not marked; a *false negative* if a marked error is missing. The time is the mean over the
programs that ended, without compilation; Foretrace's includes the recorded run, prediction and all replays.

";
