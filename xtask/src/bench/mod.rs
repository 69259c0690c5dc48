//! Benchmarks: each compares with its peers in one run and prints a table for `BENCHMARKS.md`.

mod check;
mod csp;
mod explore;
mod follow;
mod measure;
mod order;
mod predict;
mod property;
mod prune;
mod record;
mod replay;
mod stream;
mod trace;

use anyhow::bail;

/// A benchmark.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn(rounds: usize) -> anyhow::Result<()>,
}

/// All benchmarks. A new one is a file and a line here.
const BENCHES: &[Bench] = &[
    Bench {
        name: "record",
        about: "recording against ThreadSanitizer: time, memory, bytes an access",
        run: record::run,
    },
    Bench {
        name: "replay",
        about: "replay against ThreadSanitizer: the detector, and the order of a whole run",
        run: replay::run,
    },
    Bench { name: "check", about: "foretrace check on every small program, from command to report", run: check::run },
    Bench { name: "explore", about: "executions a second of foretrace explore", run: explore::run },
    Bench { name: "prune", about: "pruning of explorations: the programs of ATVA 2008, Table 1", run: prune::run },
    Bench { name: "trace", about: "from recording to trace, over growing sizes", run: trace::run },
    Bench { name: "csp", about: "checking CSP_M against spin: states a second, bytes a state", run: csp::run },
    Bench { name: "follow", about: "recording builds whose values can be followed", run: follow::run },
    Bench { name: "order", about: "orders with values: our solver against z3 on the emitted SMT-LIB", run: order::run },
    Bench {
        name: "property",
        about: "properties: the use cases, events a second of the pass, cuts a second of the search",
        run: property::run,
    },
    Bench { name: "stream", about: "stream monitors against the RTLola interpreter", run: stream::run },
    Bench {
        name: "predict",
        about: "prediction: growth with events, threads and cuts, from file to candidates",
        run: predict::run,
    },
];

/// Which benchmark to run, and how often.
#[derive(clap::Args)]
pub struct Args {
    /// The benchmark's name; without one, all are listed
    name: Option<String>,
    /// Runs of each variant; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Runs one, or lists them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(name) = &args.name else {
        BENCHES.iter().for_each(|bench| println!("{:10} {}", bench.name, bench.about));
        return Ok(());
    };
    match BENCHES.iter().find(|bench| bench.name == name) {
        Some(bench) => (bench.run)(args.rounds),
        None => bail!("no benchmark is called {name}; cargo xtask bench lists them"),
    }
}
