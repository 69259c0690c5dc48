//! Foretrace on every program, built with gcc and clang at -O0, -O1 and -O2, several times: is the verdict the same?

use super::tools::{self, Compiler, Watch};
use crate::run::root;
use anyhow::{Context, ensure};
use foretrace_testkit::corpus::{Judgement, Level, Specimen};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many builds run side by side.
const WORKERS: usize = 2;

/// A compiler and a level.
type Build = (Compiler, Level);

/// The result of one build of one program.
struct Cell {
    build: Build,
    right: u32,
    /// The errors, each listed once.
    wrong: BTreeSet<String>,
}

/// Checks each build this many times; fails if any check was wrong. The table of the whole corpus is written to a file.
pub fn run(specimens: &[Specimen], rounds: u32, whole: bool) -> anyhow::Result<()> {
    let rows = all(specimens, rounds)?;
    let text = page(&rows, rounds);
    println!("{text}");
    if whole {
        std::fs::write(root().join("docs/dev/corpus-levels.md"), &text)?;
    }
    let wrong = rows.iter().filter(|(_, cells)| cells.iter().any(|cell| cell.right < rounds)).count();
    ensure!(wrong == 0, "{wrong} of {} programs are not right in every build", rows.len());
    Ok(())
}

fn builds() -> impl Iterator<Item = Build> {
    Compiler::ALL.into_iter().flat_map(|compiler| Level::ALL.map(|level| (compiler, level)))
}

type Row<'a> = (&'a Specimen, Vec<Cell>);

fn all(specimens: &[Specimen], rounds: u32) -> anyhow::Result<Vec<Row<'_>>> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let work = || -> anyhow::Result<()> {
        while let Some(specimen) = specimens.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = builds().map(|build| one(specimen, build, rounds)).collect::<anyhow::Result<Vec<Cell>>>();
            let row = row.with_context(|| specimen.name.clone())?;
            rows.lock().expect("nobody panics with it").push((specimen, row));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut rows = rows.into_inner().expect("nobody panics with it");
    rows.sort_by(|(a, _): &Row, (b, _)| a.name.cmp(&b.name));
    Ok(rows)
}

fn one(specimen: &Specimen, build: Build, rounds: u32) -> anyhow::Result<Cell> {
    let (compiler, level) = build;
    let specimen = specimen.at(level);
    let mut cell = Cell { build, right: 0, wrong: BTreeSet::new() };
    let scratch = tempfile::tempdir()?;
    let program = scratch.path().join("program");
    if let Err(error) = tools::build_at(&specimen, &program, compiler, level) {
        cell.wrong.insert(format!("does not build: {}", error.to_string().lines().next().unwrap_or_default()));
        return Ok(cell);
    }
    let mut first = None;
    for _ in 0..rounds {
        match round(&specimen, &program, &scratch.path().join("findings"), &mut first)? {
            None => cell.right += 1,
            Some(why) => drop(cell.wrong.insert(why)),
        }
    }
    for why in &cell.wrong {
        println!("{} {} {}: {why}", specimen.name, compiler.of(&specimen), level.flag());
    }
    Ok(cell)
}

/// What was wrong in one check, if anything. The findings must equal those of the first check.
fn round(
    specimen: &Specimen,
    program: &Path,
    findings: &Path,
    first: &mut Option<BTreeSet<String>>,
) -> anyhow::Result<Option<String>> {
    let answer = tools::check(specimen, program, findings, Watch::AsUsual)?;
    let Some(judgement) = answer.judgement else { return Ok(Some("crashed or took too long".to_owned())) };
    let same = *first.get_or_insert_with(|| answer.ids.clone()) == answer.ids;
    Ok(match judgement.is_right() {
        false => Some(words(&judgement)),
        true => (!same).then(|| "other findings than in the first check".to_owned()),
    })
}

fn words(judgement: &Judgement) -> String {
    let misses = judgement.misses.iter().map(|mark| format!("misses the {:?} of line {}", mark.what, mark.line));
    let alarms = judgement.false_alarms.iter().map(|alarm| format!("reports a {alarm}"));
    misses.chain(alarms).collect::<Vec<_>>().join(", ")
}

fn page(rows: &[Row<'_>], rounds: u32) -> String {
    let mut text = String::from(HEAD);
    let mut line = |words: String| writeln!(text, "{words}").expect("a string takes all that is written to it");
    line(format!("{} programs, each build checked {rounds} times.\n", rows.len()));
    line("| compiler | level | programs right in every check | checks right |".to_owned());
    line("| --- | --- | --- | --- |".to_owned());
    for (compiler, level) in builds() {
        let cells: Vec<&Cell> =
            rows.iter().flat_map(|(_, cells)| cells).filter(|cell| cell.build == (compiler, level)).collect();
        let programs = cells.iter().filter(|cell| cell.right == rounds).count();
        let checks: u32 = cells.iter().map(|cell| cell.right).sum();
        let (of, all) = (cells.len(), cells.len() as u32 * rounds);
        line(format!("| {compiler:?} | `{}` | {programs} of {of} | {checks} of {all} |", level.flag()));
    }
    line("\n## Where it is wrong\n".to_owned());
    for (specimen, cells) in rows {
        for cell in cells.iter().filter(|cell| cell.right < rounds) {
            let (compiler, level) = cell.build;
            let why: Vec<&str> = cell.wrong.iter().map(String::as_str).collect();
            let how = format!("{compiler:?} {}, {} of {rounds} right", level.flag(), cell.right);
            line(format!("- `{}` ({how}): {}", specimen.name, why.join("; ")));
        }
    }
    text
}

const HEAD: &str = "\
# The corpus, built with both compilers at three levels of optimisation

`cargo xtask corpus --levels` writes this page. Every program under `tests/programs` is built with gcc and clang at `-O0`,
`-O1` and `-O2`, and every build is checked several times. A check is right if it reports each marked error, with its kind and
at its lines, nothing else, and the same findings as the first check of the same build. A mark that ends with `at -O0` holds
at that level; at others the compiler may remove one of the two accesses.

";
