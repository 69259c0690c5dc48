//! The solver beside z3, on thousands of formulas that are written from the definitions and not from our clauses.
//! `cargo xtask test` installs z3.

use foretrace_cssa::model::Modelled;
use foretrace_cssa::{Analysis, Extent, Model, Options, Verdict, smt};
use foretrace_ctp::text;
use foretrace_order::Budget;
use std::io::Write;
use std::process::{Command, Stdio};

mod random;
use random::{Random, counters, program, questions};

/// The answers of z3 to formulas, one a line.
fn z3(formulas: &str) -> Vec<String> {
    let mut child = Command::new("timeout")
        .args(["200", "z3", "-in", "-memory:2000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 and timeout, which `cargo xtask test` installs");
    let mut input = child.stdin.take().unwrap();
    let formulas = formulas.to_owned();
    let writer = std::thread::spawn(move || input.write_all(formulas.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn thousands_of_formulas_have_the_answers_of_z3() {
    let mut random = Random(7);
    let (mut formulas, mut ours) = (String::new(), Vec::new());
    for round in 0..2400 {
        let source = if round % 5 == 0 { counters(&mut random) } else { program(&mut random) };
        let ctp = text::parse(&source).unwrap();
        let extent = if round % 3 == 0 { Extent::Whole } else { Extent::Prefix };
        let model = if round % 4 == 0 { Model::Constrained } else { Model::Exact };
        let options = Options { extent, model, ..Options::default() };
        let (Ok(mut analysis), Ok(modelled)) = (Analysis::new(&ctp, options), Modelled::new(&ctp, model)) else {
            continue;
        };
        for goal in questions(&ctp, extent) {
            let Some(formula) = smt::question(&modelled, &goal, options) else { continue };
            formulas.push_str("(reset)\n");
            formulas.push_str(&formula);
            let yes = matches!(analysis.ask(&goal, &Budget::default()), Verdict::Yes(_));
            ours.push((if yes { "sat" } else { "unsat" }, goal, source.clone()));
        }
    }
    let theirs = z3(&formulas);
    assert_eq!(theirs.len(), ours.len(), "z3 said: {:?}", theirs.iter().find(|line| line.contains("error")));
    for ((ours, goal, source), theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{goal:?}\n{source}");
    }
    let yes = theirs.iter().filter(|line| *line == "sat").count();
    assert!(ours.len() > 3_000 && yes > 100 && yes + 100 < ours.len(), "{yes} of {}", ours.len());
}
