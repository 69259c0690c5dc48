//! An attack on the command line tool from outside: broken files, special files, endless inputs, limits, signals, kills, faults
//! of the environment and nasty programs, all from a seed. The tool may refuse anything; it may not panic, hang, die by a
//! signal, take memory without bound, leave a temporary directory, or say that a program is fine that it could not check.
//!
//! One file a kind of attack. Each makes one attack from a seed on the [`Ground`] that was prepared, and returns what was
//! wrong. The readers themselves are attacked millions of times, without processes, by `cargo xtask fuzz`.

mod endless;
mod environment;
mod files;
mod ground;
mod kills;
mod limits;
mod nasty;
mod signals;

use crate::run::{cargo, check};
use anyhow::{Context, bail, ensure};
use foretrace_testkit::Random;
use ground::Ground;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A kind of attack. The function makes one, and returns what was wrong.
struct Attack {
    name: &'static str,
    once: fn(&Ground, &mut Random) -> Result<(), String>,
}

const ATTACKS: [Attack; 8] = [
    Attack { name: "files", once: files::mutated },
    Attack { name: "special files", once: files::special },
    Attack { name: "limits", once: limits::once },
    Attack { name: "signals", once: signals::once },
    Attack { name: "kills", once: kills::once },
    Attack { name: "environment", once: environment::once },
    Attack { name: "endless inputs", once: endless::once },
    Attack { name: "nasty programs", once: nasty::once },
];

/// How many, and from which seed.
#[derive(clap::Args)]
pub struct Args {
    /// For how many minutes at the most
    #[arg(long)]
    minutes: Option<f64>,
    /// The first seed; the seed of a failure is printed, and repeats it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make only attacks of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Make this many attacks; by default as many as continuous integration makes, or, with --minutes, as many as fit
    #[arg(long)]
    count: Option<u64>,
}

/// What continuous integration makes: the same attacks on each machine, in about two minutes on two quiet cores.
const OF_CI: u64 = 400;

impl Args {
    /// What continuous integration runs.
    pub fn of_ci() -> Self {
        Self { minutes: None, seed: 1, kind: None, count: None }
    }
}

/// Makes the attacks; fails if one succeeded.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--package", "foretrace"]))?;
    let length =
        |minutes: f64| Duration::try_from_secs_f64(minutes * 60.0).context("--minutes must be a length of time");
    let end = args.minutes.map(length).transpose()?.map(|length| Instant::now() + length);
    let kinds: Vec<&Attack> = ATTACKS.iter().filter(|attack| is_wanted(args, attack)).collect();
    if kinds.is_empty() {
        bail!("there is no such kind; there are {}", ATTACKS.map(|attack| attack.name).join(", "));
    }
    let ground = Ground::prepare()?;
    files::check_whole(&ground).map_err(anyhow::Error::msg)?;
    let counts = attack(args, &ground, &kinds, end);
    for (kind, count) in &counts {
        println!("{kind:14} {:8} attacks, {} succeeded", count.made, count.succeeded);
    }
    let [made, succeeded] = [|count: &Count| count.made, |count: &Count| count.succeeded]
        .map(|number| counts.values().map(number).sum::<u64>());
    println!("{} passed, {succeeded} failed", made - succeeded);
    ensure!(succeeded == 0, "{succeeded} attacks succeeded");
    Ok(())
}

fn is_wanted(args: &Args, attack: &Attack) -> bool {
    args.kind.as_ref().is_none_or(|kind| kind == attack.name)
}

/// Attacks of a kind.
#[derive(Default)]
struct Count {
    made: u64,
    succeeded: u64,
}

/// One attack after the other, the kinds in turn, each told if it succeeds; how many there were of each.
fn attack(args: &Args, ground: &Ground, kinds: &[&Attack], end: Option<Instant>) -> BTreeMap<&'static str, Count> {
    let mut counts: BTreeMap<&'static str, Count> = BTreeMap::new();
    let count = args.count.or(end.is_none().then_some(OF_CI)).unwrap_or(u64::MAX);
    for seed in args.seed..args.seed.saturating_add(count) {
        if end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        let kind = kinds[(seed % kinds.len() as u64) as usize];
        let count = counts.entry(kind.name).or_default();
        count.made += 1;
        if let Err(wrong) = (kind.once)(ground, &mut Random::new(seed)).and_then(|()| ground.nothing_left()) {
            count.succeeded += 1;
            let same = args.kind.as_ref().map_or(String::new(), |kind| format!(" --kind {kind:?}"));
            eprintln!("{}: {wrong}\nrepeat it with cargo xtask attack --count 1 --seed {seed}{same}\n", kind.name);
        }
    }
    counts
}
