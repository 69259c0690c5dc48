//! Bisimulations that look through silent steps: strong bisimulation of the machine with those steps made explicit.

use super::closure::closure;
use super::partition::{coarsest, quotient};
use super::silent::silent_parts;
use crate::budget::{Limit, Meter};
use crate::machine::event::{Event, TAU};
use crate::machine::lts::Lts;

/// Steps beyond which saturation costs more than it saves; the machine is then returned as it is.
const MAX_STEPS: usize = 20_000_000;

/// Weak bisimulation, or delay bisimulation (silent steps before an event only). Both tell diverging states apart.
pub fn bisimulation(lts: &Lts, weak: bool, meter: &Meter) -> Result<Lts, Limit> {
    let parts = silent_parts(lts, meter)?;
    let Some(saturated) = saturated(lts, weak, meter)? else { return Ok(lts.clone()) };
    let first = lts.states().map(|s| u32::from(parts.diverges[s as usize])).collect();
    let blocks = coarsest(&saturated, compact(first), meter)?;
    let mut divergent = vec![false; blocks.len()];
    for s in lts.states() {
        divergent[blocks[s as usize] as usize] |= parts.on_loop[s as usize];
    }
    let keep = |(e, from, to): (Event, u32, u32)| e != TAU || from != to || divergent[from as usize];
    quotient(lts, &blocks, keep, meter)
}

fn compact(mut first: Vec<u32>) -> Vec<u32> {
    if !first.contains(&0) {
        first.iter_mut().for_each(|b| *b = 0);
    }
    first
}

fn saturated(lts: &Lts, weak: bool, meter: &Meter) -> Result<Option<Lts>, Limit> {
    let mut closures: Vec<Vec<u32>> = Vec::with_capacity(lts.len());
    let mut reached = 0;
    for s in lts.states() {
        meter.check_time()?;
        closures.push(closure(lts, s, meter)?);
        reached += closures[s as usize].len();
        if reached > MAX_STEPS {
            return Ok(None);
        }
    }
    let mut rows = Vec::with_capacity(lts.len());
    let mut total = 0;
    for s in lts.states() {
        meter.check_time()?;
        let mut row: Vec<(Event, u32)> = closures[s as usize].iter().map(|&t| (TAU, t)).collect();
        for &via in &closures[s as usize] {
            for &(e, t) in lts.row(via).iter().filter(|(e, _)| *e != TAU) {
                match weak {
                    true => row.extend(closures[t as usize].iter().map(|&u| (e, u))),
                    false => row.push((e, t)),
                }
            }
        }
        row.sort_unstable();
        row.dedup();
        total += row.len();
        if total > MAX_STEPS {
            return Ok(None);
        }
        rows.push(row);
    }
    Ok(Some(Lts::from_rows(lts.initial, rows)))
}
