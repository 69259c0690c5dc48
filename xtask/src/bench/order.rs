//! Our solver against z3, on the same questions: reads and writes of four threads in growing numbers, and the programs of
//! the paper's tables. z3 reads the SMT-LIB that `foretrace symbolic --emit-smt` writes, with a limit of a minute.

use crate::run::exists;
use anyhow::Context;
use foretrace_cssa::{Analysis, Extent, Goal, Options, Verdict, goals, smt};
use foretrace_ctp::{Ctp, text};
use foretrace_order::Budget;
use foretrace_testkit::symbolic;
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
}

pub fn run(_: usize) -> anyhow::Result<()> {
    println!("| program | questions | can happen | ours s | z3 s |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for accesses in [200, 1_000, 3_000, 10_000] {
        for (kind, share) in [("sparse", 10), ("dense", 50)] {
            let source = symbolic::orderings(accesses, accesses / share, accesses as u64);
            let ctp = text::parse(&source)?;
            let goals = reversed(&ctp);
            let name = format!("{accesses} accesses, {kind}");
            line(&Row { name: name.clone(), ctp: ctp.clone(), goals: vec![Goal::default()], extent: Extent::Whole })?;
            line(&Row { name: format!("{name}, turned round"), ctp, goals, extent: Extent::Whole })?;
        }
    }
    for (name, source) in assertions() {
        let ctp = text::parse(&source)?;
        let goals = goals::assertions(&ctp);
        line(&Row { name, ctp, goals, extent: Extent::Prefix })?;
    }
    for (name, source) in regions() {
        let ctp = text::parse(&source)?;
        let (_, triples) = goals::triples(&ctp, &goals::marked_regions(&ctp));
        let goals = triples.into_iter().map(goals::Triple::goal).collect();
        line(&Row { name, ctp, goals, extent: Extent::Prefix })?;
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

/// Table 1.
fn assertions() -> Vec<(String, String)> {
    let banking = [2, 5, 10].into_iter().flat_map(|n| [(n, false), (n, true)]);
    let indexer = [10, 15, 20, 25].into_iter().flat_map(|n| [(n, false), (n, true)]);
    let letter = |error: bool| if error { "a" } else { "" };
    let banking = banking.map(|(n, e)| (format!("banking-{n}{}", letter(e)), symbolic::banking(n, e)));
    // With 10 threads nothing collides.
    let indexer = indexer.filter(|which| *which != (10, true));
    banking.chain(indexer.map(|(n, e)| (format!("indexer-{n}{}", letter(e)), symbolic::indexer(n, e)))).collect()
}

/// Table 2.
fn regions() -> Vec<(String, String)> {
    let mut found = vec![
        ("atom001".to_owned(), symbolic::atom(2, 6, false)),
        ("atom001a".to_owned(), symbolic::atom(2, 6, true)),
        ("atom002".to_owned(), symbolic::atom(34, 178, false)),
        ("atom002a".to_owned(), symbolic::atom(34, 178, true)),
    ];
    for (kind, protected) in [("av", 0), ("sav", 2), ("nav", 4)] {
        found.extend([2, 4, 6, 8].map(|n| (format!("bank-{kind}-{n}"), symbolic::bank(n, protected))));
    }
    found
}

fn line(row: &Row) -> anyhow::Result<()> {
    let options = Options { extent: row.extent, ..Options::default() };
    let start = Instant::now();
    let mut analysis = Analysis::new(&row.ctp, options)?;
    let budget = Budget { until: Some(start + LIMIT), ..Budget::default() };
    let verdicts: Vec<Verdict> = row.goals.iter().map(|goal| analysis.ask(goal, &budget)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let yes = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Yes(_))).count();
    let open = if verdicts.contains(&Verdict::Unknown) { ">" } else { "" };
    let theirs = z3(&analysis, row, options)?;
    println!("| {} | {} | {yes} | {open}{seconds:.3} | {theirs} |", row.name, row.goals.len());
    Ok(())
}

/// The time of z3 for all questions, as one script.
fn z3(analysis: &Analysis, row: &Row, options: Options) -> anyhow::Result<String> {
    if !exists("z3") {
        return Ok("not installed".to_owned());
    }
    let one = |goal| smt::question(analysis.modelled(), goal, options).map(|formula| format!("(reset)\n{formula}"));
    let Some(script) = row.goals.iter().map(one).collect::<Option<String>>() else { return Ok("–".to_owned()) };
    if script.len() > 200 << 20 {
        return Ok(format!("formula of {} MB", script.len() >> 20));
    }
    let file = tempfile::NamedTempFile::with_suffix(".smt2")?;
    std::fs::write(file.path(), script)?;
    let start = Instant::now();
    let limit = LIMIT.as_secs().to_string();
    let output = Command::new("timeout").arg(&limit).args(["z3", "-memory:6000"]).arg(file.path()).output();
    let output = output.context("cannot run z3")?;
    let answers = String::from_utf8_lossy(&output.stdout).lines().filter(|l| matches!(*l, "sat" | "unsat")).count();
    let seconds = start.elapsed().as_secs_f64();
    Ok(if answers == row.goals.len() { format!("{seconds:.3}") } else { format!(">{seconds:.0}, {answers} answered") })
}
