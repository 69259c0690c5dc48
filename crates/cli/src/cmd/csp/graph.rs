//! State spaces as text, for Graphviz and for other tools.

use foretrace_csp::machine::{Lts, TAU};
use std::io::Write;

pub fn steps(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "{} states, {} transitions, state {} first", lts.len(), lts.steps.len(), lts.initial)?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            writeln!(out, "{s} -{}-> {t}", names[e.0 as usize])?;
        }
    }
    Ok(())
}

pub fn dot(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "digraph process {{\n  rankdir = LR;\n  node [shape = circle];\n  {} [style = bold];", lts.initial)?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            writeln!(out, "  {s} -> {t} [label = {:?}];", names[e.0 as usize])?;
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}

pub fn aut(out: &mut dyn Write, lts: &Lts, names: &[String]) -> anyhow::Result<()> {
    writeln!(out, "des ({},{},{})", lts.initial, lts.steps.len(), lts.len())?;
    for s in lts.states() {
        for (e, t) in lts.row(s) {
            let name = if *e == TAU { "tau" } else { &names[e.0 as usize] };
            writeln!(out, "({s},{name:?},{t})")?;
        }
    }
    Ok(())
}
