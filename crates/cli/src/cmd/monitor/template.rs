//! Generated specifications.

use anyhow::bail;
use clap::ValueEnum;
use foretrace_stream::templates::{Fixed, WITH_MAPS, WITH_STATES, with_sets, without_sets};

#[derive(Clone, Copy, ValueEnum)]
pub enum Template {
    /// Lockset algorithm: checks that every shared variable is always protected by the same lock
    Lockset,
}

#[derive(clap::Args)]
pub struct Sizes {
    /// Number of threads besides the main thread; with --variables, gives the specification of the 2018 paper
    #[arg(long, value_name = "N", requires = "template")]
    threads: Option<usize>,
    /// Variables to check, by name or address
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "template")]
    variables: Vec<String>,
    /// Do not use sets, for hardware without dynamic memory; needs --locks
    #[arg(long, requires = "template")]
    no_sets: bool,
    /// Number of locks to distinguish
    #[arg(long, value_name = "N", requires = "no_sets")]
    locks: Option<usize>,
    /// Support any number of threads, locks and variables, with Eraser's states, which allow initialisation without a lock
    #[arg(long, requires = "template")]
    states: bool,
}

/// The most threads or locks a specification is unfolded for.
const MAX: usize = 256;

/// The text of a specification.
pub fn generate(template: Template, sizes: &Sizes) -> anyhow::Result<String> {
    let Template::Lockset = template;
    if sizes.threads.is_none() && sizes.variables.is_empty() && !sizes.no_sets {
        return Ok(if sizes.states { WITH_STATES } else { WITH_MAPS }.to_owned());
    }
    if sizes.states {
        bail!("--states is for any number of threads and variables; leave out --threads, --variables and --no-sets");
    }
    let Some(threads) = sizes.threads else { bail!("give the number of threads besides the main one with --threads") };
    if sizes.variables.is_empty() {
        bail!("name the variables to check with --variables");
    }
    if threads > MAX || sizes.locks.is_some_and(|locks| locks > MAX) {
        bail!(
            "more than {MAX} threads or locks are too many to unfold; leave --threads and --variables away for any number"
        );
    }
    let fixed = Fixed { threads, variables: sizes.variables.clone() };
    match (sizes.no_sets, sizes.locks) {
        (false, _) => Ok(with_sets(&fixed)),
        (true, Some(locks)) => Ok(without_sets(&fixed, locks)),
        (true, None) => bail!("without sets the number of locks is needed: --locks"),
    }
}
