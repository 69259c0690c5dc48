//! Compressions: smaller machines with the same meaning.
//!
//! | name | keeps | by |
//! | --- | --- | --- |
//! | `sbisim` | everything | strong bisimulation |
//! | `dbisim` | traces, failures, divergences | delay bisimulation that respects divergence |
//! | `wbisim` | traces, failures, divergences | weak bisimulation that respects divergence |
//! | `tau_loop_factor` | everything | states of a silent loop become one |
//! | `diamond` | traces, failures, divergences | silent steps are kept only to the stable states that matter |
//! | `normal` | traces, failures, divergences | one state a trace, with its minimal acceptances |

mod closure;
pub mod normal;
mod partition;
mod saturate;
mod silent;

use crate::budget::{Limit, Meter};
use crate::machine::lts::Lts;
use crate::machine::term::Compression;
use normal::Norm;

pub use silent::{SilentParts, diamond, silent_parts, tau_loop_factor};

/// Merges strongly bisimilar states and drops what cannot be reached.
pub fn strong(lts: &Lts, meter: &Meter) -> Result<Lts, Limit> {
    let lts = lts.reachable(meter)?;
    let blocks = partition::coarsest(&lts, vec![0; lts.len()], meter)?;
    partition::quotient(&lts, &blocks, |_| true, meter)
}

pub fn apply(kind: Compression, lts: &Lts, meter: &Meter) -> Result<Lts, Limit> {
    Ok(match kind {
        Compression::Explicate => lts.clone(),
        Compression::Strong => strong(lts, meter)?,
        Compression::Weak => saturate::bisimulation(&strong(lts, meter)?, true, meter)?,
        Compression::Delay => saturate::bisimulation(&strong(lts, meter)?, false, meter)?,
        Compression::TauLoops => tau_loop_factor(lts, meter)?,
        Compression::Diamond => strong(&diamond(&strong(lts, meter)?, meter)?, meter)?,
        Compression::Normal => strong(&Norm::whole(&strong(lts, meter)?, meter)?.to_lts(), meter)?,
    })
}
