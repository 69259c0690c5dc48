//! Fuzzing: random input to everything that reads what others wrote. A target must not panic, whatever it is given.

mod arguments;
mod csp;
mod files;
mod predict;
mod properties;
mod random;
mod specifications;
mod streams;
mod symbolic;

use anyhow::bail;
use foretrace_testkit::fuzz as readers;
use random::Random;
use std::time::{Duration, Instant};

/// A fuzz target: makes one random input and reads it.
struct Target {
    name: &'static str,
    about: &'static str,
    once: fn(&mut Random),
}

/// All targets. A new one is a file and a line here.
const TARGETS: &[Target] = &[
    Target { name: "predict", about: "predictions against the oracle", once: |random| predict::once(random.next()) },
    Target { name: "arguments", about: "a compiler's arguments and response files", once: arguments::once },
    Target { name: "csp", about: "CSP_M scripts", once: csp::once },
    Target { name: "property", about: "files of properties", once: properties::once },
    Target { name: "specification", about: "specifications of events", once: specifications::specification },
    Target { name: "recording", about: "recordings", once: |random| readers::recording(random.next()) },
    Target { name: "text", about: "text traces", once: |random| readers::text_form(random.next()) },
    Target { name: "std", about: "STD traces", once: |random| readers::std_trace(random.next()) },
    Target { name: "symbolic", about: "concurrent trace programs", once: symbolic::once },
    Target { name: "tessla", about: "stream specifications", once: streams::specification },
    Target { name: "schedule", about: "schedules of findings", once: files::schedule },
    Target { name: "outcome", about: "outcomes of replays", once: files::outcome },
    Target { name: "input", about: "the standard input that a finding names", once: files::input },
    Target { name: "side", about: "the files beside the events of a recording", once: files::side_files },
    Target { name: "module", about: "modules with symbols and debug information", once: files::module },
    Target { name: "events", about: "traces of stream monitors: text, CSV, binary", once: streams::events },
];

/// Which target to run, and for how long.
#[derive(clap::Args)]
pub struct Args {
    /// The target's name; without one, all are listed
    name: Option<String>,
    /// For how many seconds
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// The first seed; a failure prints its seed, which repeats it
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs one, or lists them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(name) = &args.name else {
        TARGETS.iter().for_each(|target| println!("{:13} {}", target.name, target.about));
        return Ok(());
    };
    match TARGETS.iter().find(|target| target.name == name) {
        Some(target) => fuzz(target, args),
        None => bail!("no fuzz target is called {name}; cargo xtask fuzz lists them"),
    }
}

fn fuzz(target: &Target, args: &Args) -> anyhow::Result<()> {
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut seed = args.seed;
    while Instant::now() < end {
        let once = std::panic::catch_unwind(|| (target.once)(&mut Random::new(seed)));
        if once.is_err() {
            bail!("{} failed; repeat it with cargo xtask fuzz {} --seconds 1 --seed {seed}", target.name, target.name);
        }
        seed += 1;
    }
    println!("{}: {} inputs, no failure", target.name, seed - args.seed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs that every target reads in the tests; more are for `cargo xtask fuzz`.
    const FEW: u64 = 60;

    #[test]
    fn a_few_inputs_of_every_target() {
        for target in TARGETS {
            (1..=FEW).for_each(|seed| (target.once)(&mut Random::new(seed)));
        }
    }
}
