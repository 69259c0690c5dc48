//! A prompt at which a script can be asked for values, types, answers and steps.

use super::text;
use crate::output;
use foretrace_csp::budget::Budget;
use foretrace_csp::machine::Lts;
use foretrace_csp::script::Script;
use std::io::{IsTerminal, Write};
use std::sync::atomic::Ordering;

const HELP: &str = "EXPR            its value
:type EXPR      its type
:assert CLAIM   whether a claim such as P [T= Q holds
:probe PROCESS  what a process can do; a number then takes that step
:quit           leave
";

/// A process that is being stepped through.
struct Probe {
    lts: Lts,
    names: Vec<String>,
    at: u32,
}

/// Answers the questions on the standard input until it ends.
pub fn run(script: &Script, budget: &Budget) -> anyhow::Result<()> {
    let (mut probe, mut buffer) = (None, Vec::new());
    prompt()?;
    while foretrace_file::line(&mut std::io::stdin().lock(), &mut buffer)? {
        let line = String::from_utf8_lossy(&buffer);
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            ":quit" | ":q" => return Ok(()),
            _ => output::write(|out| answer(out, script, budget, (word, rest.trim(), line.trim()), &mut probe))?,
        }
        // Ctrl-C ends one answer, not the conversation.
        if let Some(interrupted) = budget.interrupted {
            interrupted.store(false, Ordering::Relaxed);
        }
        prompt()?;
    }
    Ok(())
}

/// Prints the prompt if the input is a terminal.
fn prompt() -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        eprint!("csp> ");
        std::io::stderr().flush()?;
    }
    Ok(())
}

fn answer(
    out: &mut dyn Write,
    script: &Script,
    budget: &Budget,
    (word, rest, line): (&str, &str, &str),
    probe: &mut Option<Probe>,
) -> anyhow::Result<()> {
    let told = match word {
        "" => return Ok(()),
        ":help" | ":h" => return Ok(write!(out, "{HELP}")?),
        ":type" | ":t" => script.type_of(rest, budget),
        ":assert" | ":a" => match script.ask(rest, budget, &|_| {}) {
            Ok(report) => return text::report(out, &report, script),
            Err(error) => Err(error),
        },
        ":probe" | ":p" => match script.explore(rest, budget) {
            Ok((lts, names)) => {
                *probe = Some(Probe { at: lts.initial, lts, names });
                return steps(out, probe.as_ref());
            }
            Err(error) => Err(error),
        },
        _ if word.starts_with(':') => return Ok(writeln!(out, "there is no command {word}; :help lists them")?),
        _ if follow(line, probe) => return steps(out, probe.as_ref()),
        _ => script.evaluate(line, budget),
    };
    match told {
        Ok(told) => writeln!(out, "{told}")?,
        Err(error) => write!(out, "{}", error.render())?,
    }
    Ok(())
}

/// Takes a step of the process that is stepped through, if the line is the number of one.
fn follow(line: &str, probe: &mut Option<Probe>) -> bool {
    let Some(probe) = probe else { return false };
    let step = line.parse::<usize>().ok().and_then(|n| probe.lts.row(probe.at).get(n.checked_sub(1)?).copied());
    if let Some((_, to)) = step {
        probe.at = to;
    }
    step.is_some()
}

fn steps(out: &mut dyn Write, probe: Option<&Probe>) -> anyhow::Result<()> {
    let Some(probe) = probe else { return Ok(()) };
    writeln!(out, "state {} of {}", probe.at, probe.lts.len())?;
    for (i, (e, t)) in probe.lts.row(probe.at).iter().enumerate() {
        writeln!(out, "  {}: {} -> {t}", i + 1, probe.names[e.0 as usize])?;
    }
    Ok(())
}
