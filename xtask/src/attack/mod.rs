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
use anyhow::{Context, bail};
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

/// How long, and from which seed.
#[derive(clap::Args)]
pub struct Args {
    /// For how many minutes
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// The first seed; the seed of a failure is printed, and repeats it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make only attacks of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Make this many attacks at the most
    #[arg(long)]
    count: Option<u64>,
}

impl Args {
    /// What continuous integration runs.
    pub fn of_ci() -> Self {
        Self { minutes: 5.0, seed: 1, kind: None, count: None }
    }
}

/// Attacks until the time is over or something is wrong.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--package", "foretrace"]))?;
    let length = Duration::try_from_secs_f64(args.minutes * 60.0).context("--minutes must be a length of time")?;
    let kinds: Vec<&Attack> = ATTACKS.iter().filter(|attack| is_wanted(args, attack)).collect();
    if kinds.is_empty() {
        bail!("there is no such kind; there are {}", ATTACKS.map(|attack| attack.name).join(", "));
    }
    let ground = Ground::prepare()?;
    let counts = attack(args, &ground, &kinds, Instant::now() + length)?;
    for (kind, count) in &counts {
        println!("{kind:14} {count:8} attacks, none succeeded");
    }
    println!("{} passed, 0 failed", counts.values().sum::<u64>());
    Ok(())
}

fn is_wanted(args: &Args, attack: &Attack) -> bool {
    args.kind.as_ref().is_none_or(|kind| kind == attack.name)
}

/// One attack after the other, the kinds in turn; how many there were of each.
fn attack(
    args: &Args,
    ground: &Ground,
    kinds: &[&Attack],
    end: Instant,
) -> anyhow::Result<BTreeMap<&'static str, u64>> {
    let mut counts = BTreeMap::new();
    for seed in (args.seed..).take_while(|seed| args.count.is_none_or(|count| seed - args.seed < count)) {
        if Instant::now() >= end {
            break;
        }
        let kind = kinds[(seed % kinds.len() as u64) as usize];
        if let Err(wrong) = (kind.once)(ground, &mut Random::new(seed)).and_then(|()| ground.nothing_left()) {
            let (name, kinds) = (kind.name, args.kind.as_ref().map_or("", |_| " (with the same --kind)"));
            bail!("{name}: {wrong}\nrepeat it with cargo xtask attack --count 1 --seed {seed}{kinds}");
        }
        *counts.entry(kind.name).or_default() += 1;
    }
    Ok(counts)
}
