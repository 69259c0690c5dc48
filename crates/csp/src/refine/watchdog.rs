//! Watchdogs: processes that run beside an implementation and show that it does not refine a specification.
//!
//! `trace_watchdog(S, A, bark)` follows the specification `S` by the events of `A`, all of which it always offers. After
//! one that `S` does not allow it can only do `bark`, once. So `S [T= P` holds if `P [| A |] trace_watchdog(S, A, bark)`
//! never barks. `failure_watchdog` also tests what is refused: it may decide silently to offer only a set of events of
//! which a process that refines `S` cannot refuse all. So `S [F= P` holds if the composition never barks and is deadlock
//! free in `F`.
//! M. Goldsmith, N. Moffat, B. Roscoe, T. Whitworth, I. Zakiuddin, *Watchdog transformations for property-oriented
//! model-checking*, FME 2003.
//!
//! A test is a set that meets every acceptance of the specification; the smallest ones are enough. Where the
//! specification may deadlock there is none, and the watchdog works silently, so that nothing counts as a deadlock.
//! Termination is followed where the specification allows it, and is not watched otherwise.

use crate::budget::{Limit, Meter};
use crate::compress;
use crate::compress::normal::{Bits, NOWHERE, Norm};
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::lts::Lts;

/// What a watchdog watches.
pub struct Watched<'a> {
    /// The specification.
    pub lts: &'a Lts,
    /// The events that it sees, in order.
    pub events: &'a [Event],
    pub bark: Event,
    /// Whether refusals are tested.
    pub failures: bool,
}

pub fn watchdog(watched: &Watched, meter: &Meter) -> Result<Lts, Limit> {
    let norm = Norm::of(&compress::strong(watched.lts, meter)?, false, meter)?;
    let nodes = norm.nodes.len() as u32;
    let (alarm, ended) = (nodes, nodes + 1);
    let mut rows: Vec<Vec<(Event, u32)>> = Vec::new();
    for node in 0..nodes {
        meter.check_time()?;
        let offers = norm.offers(node as usize).filter(|(e, _)| *e == TICK || watched.events.binary_search(e).is_ok());
        let mut row: Vec<(Event, u32)> = offers.collect();
        let forbidden = |e: &Event| norm.events.binary_search(e).map_or(true, |c| norm.step(node, c) == NOWHERE);
        row.extend(watched.events.iter().filter(|e| forbidden(e)).map(|&e| (e, alarm)));
        rows.push(row);
    }
    rows.push(vec![(watched.bark, ended)]);
    rows.push(Vec::new());
    if watched.failures {
        add_tests(&norm, &mut rows, meter)?;
    }
    compress::strong(&Lts::from_rows(0, rows), meter)
}

/// Gives each node a silent step to each of its tests.
fn add_tests(norm: &Norm, rows: &mut Vec<Vec<(Event, u32)>>, meter: &Meter) -> Result<(), Limit> {
    for (n, node) in norm.nodes.iter().enumerate() {
        let tests = hitting_sets(&node.acceptances, norm.events.len(), meter)?;
        for test in &tests {
            let offered = |event: &Event| norm.events.binary_search(event).is_ok_and(|column| test.contains(column));
            let row = norm.offers(n).filter(|(event, _)| offered(event)).collect();
            let number = rows.len() as u32;
            rows[n].push((TAU, number));
            rows.push(row);
        }
        if tests.is_empty() {
            rows[n].push((TAU, n as u32));
        }
    }
    Ok(())
}

/// The smallest sets that have an element in common with each of some sets.
fn hitting_sets(sets: &[Bits], columns: usize, meter: &Meter) -> Result<Vec<Bits>, Limit> {
    let mut found = vec![Bits::new(columns)];
    for set in sets {
        let mut next: Vec<Bits> = Vec::new();
        for hit in found {
            meter.check_time()?;
            if hit.0.iter().zip(&set.0).any(|(a, b)| a & b != 0) {
                next.push(hit);
                continue;
            }
            for column in (0..columns).filter(|c| set.contains(*c)) {
                let mut more = hit.clone();
                more.insert(column);
                next.push(more);
            }
        }
        found = smallest(next, meter)?;
    }
    Ok(found)
}

/// Leaves out sets that contain another one.
fn smallest(mut sets: Vec<Bits>, meter: &Meter) -> Result<Vec<Bits>, Limit> {
    sets.sort_by_key(|bits| (bits.0.iter().map(|word| word.count_ones()).sum::<u32>(), bits.0.clone()));
    let mut least: Vec<Bits> = Vec::new();
    for set in sets {
        meter.check_time()?;
        if !least.iter().any(|smaller| smaller.is_subset(&set.0)) {
            least.push(set);
        }
    }
    Ok(least)
}
