//! Normal forms: one node for each set of states a trace can lead to, with what may be refused there.

use super::silent::silent_parts;
use crate::budget::{Limit, Meter};
use crate::machine::event::{Event, TAU};
use crate::machine::lts::Lts;
use rustc_hash::FxHashMap;

/// No node: the specification does not allow the event here.
pub const NOWHERE: u32 = u32::MAX;

/// A normalised specification. Events are columns; acceptances are sets of columns.
#[derive(Debug, Clone)]
pub struct Norm {
    pub events: Vec<Event>,
    /// Row by row: the node after each event.
    pub next: Vec<u32>,
    pub nodes: Vec<NormNode>,
}

#[derive(Debug, Clone)]
pub struct NormNode {
    /// The smallest sets of events the specification may offer; none at all if it never comes to rest.
    pub acceptances: Vec<Bits>,
    pub divergent: bool,
}

/// A set of columns.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bits(pub Vec<u64>);

impl Bits {
    pub fn new(columns: usize) -> Self {
        Bits(vec![0; columns.div_ceil(64)])
    }

    pub fn insert(&mut self, column: usize) {
        self.0[column / 64] |= 1 << (column % 64);
    }

    pub fn contains(&self, column: usize) -> bool {
        self.0[column / 64] >> (column % 64) & 1 == 1
    }

    pub fn is_subset(&self, other: &[u64]) -> bool {
        self.0.iter().zip(other).all(|(a, b)| a & !b == 0)
    }
}

impl Norm {
    /// Normalises a machine. With `divergences`, what follows a divergence is chaos and is not looked at.
    pub fn of(lts: &Lts, divergences: bool, meter: &Meter) -> Result<Norm, Limit> {
        Norm::build(lts, divergences, divergences, meter)
    }

    /// Normalises a machine for every model up to failures and divergences: what can follow a divergence is kept.
    pub fn whole(lts: &Lts, meter: &Meter) -> Result<Norm, Limit> {
        Norm::build(lts, true, false, meter)
    }

    /// With `marked`, nodes know whether they diverge; with `cut`, nothing follows those that do.
    fn build(lts: &Lts, marked: bool, cut: bool, meter: &Meter) -> Result<Norm, Limit> {
        let events: Vec<Event> = lts.alphabet().into_iter().filter(|&e| e != TAU).collect();
        let column: FxHashMap<Event, usize> = events.iter().enumerate().map(|(i, &e)| (e, i)).collect();
        let diverges = silent_parts(lts, meter)?.diverges;
        let mut number: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let first = close(lts, vec![lts.initial], meter)?;
        number.insert(first.clone(), 0);
        let mut sets = vec![first];
        let mut norm = Norm { events, next: Vec::new(), nodes: Vec::new() };
        let (mut held, mut pace) = (0u64, meter.pace());
        while norm.nodes.len() < sets.len() {
            let set = sets[norm.nodes.len()].clone();
            let divergent = marked && set.iter().any(|&s| diverges[s as usize]);
            let acceptances = minimal(lts, &set, &column, meter)?;
            norm.nodes.push(NormNode { acceptances, divergent });
            let mut targets: Vec<Vec<u32>> = vec![Vec::new(); column.len()];
            for &s in set.iter().filter(|_| !(cut && divergent)) {
                pace.step()?;
                for &(e, t) in lts.row(s).iter().filter(|(e, _)| *e != TAU) {
                    targets[column[&e]].push(t);
                }
            }
            for target in targets {
                if target.is_empty() {
                    norm.next.push(NOWHERE);
                    continue;
                }
                let target = close(lts, target, meter)?;
                held += target.len() as u64 * 4;
                let fresh = sets.len() as u32;
                let id = *number.entry(target.clone()).or_insert(fresh);
                if id == fresh {
                    sets.push(target);
                }
                norm.next.push(id);
            }
            meter.check(sets.len() as u64, held * 2 + norm.next.len() as u64 * 4)?;
        }
        Ok(norm)
    }

    pub fn step(&self, node: u32, column: usize) -> u32 {
        self.next[node as usize * self.events.len() + column]
    }

    /// The normal form as a machine: a node with one acceptance that offers everything is stable; otherwise each
    /// acceptance is a stable state reached silently. A node that diverges has a silent loop besides.
    pub fn to_lts(&self) -> Lts {
        let mut rows: Vec<Vec<(Event, u32)>> = vec![Vec::new(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            let offers: Vec<(Event, u32)> = self.offers(n).collect();
            let full = |a: &Bits| offers.iter().all(|(e, _)| a.contains(self.column(*e)));
            if let [only] = &node.acceptances[..]
                && full(only)
                && !node.divergent
            {
                rows[n] = offers;
                continue;
            }
            for acceptance in &node.acceptances {
                let stable = rows.len() as u32;
                rows.push(offers.iter().copied().filter(|(e, _)| acceptance.contains(self.column(*e))).collect());
                rows[n].push((TAU, stable));
            }
            rows[n].extend(offers);
            if node.acceptances.is_empty() || node.divergent {
                rows[n].push((TAU, n as u32));
            }
        }
        Lts::from_rows(0, rows)
    }

    fn column(&self, event: Event) -> usize {
        self.events.binary_search(&event).unwrap_or(0)
    }

    pub fn offers(&self, node: usize) -> impl Iterator<Item = (Event, u32)> {
        let width = self.events.len();
        let row = &self.next[node * width..(node + 1) * width];
        self.events.iter().copied().zip(row.iter().copied()).filter(|(_, t)| *t != NOWHERE)
    }
}

/// Adds what silent steps reach; sorted.
pub fn close(lts: &Lts, states: Vec<u32>, meter: &Meter) -> Result<Vec<u32>, Limit> {
    let mut seen: rustc_hash::FxHashSet<u32> = states.iter().copied().collect();
    let mut todo: Vec<u32> = seen.iter().copied().collect();
    let mut pace = meter.pace();
    while let Some(s) = todo.pop() {
        pace.step()?;
        for t in lts.targets(s, TAU) {
            if seen.insert(t) {
                todo.push(t);
            }
        }
    }
    let mut out: Vec<u32> = seen.into_iter().collect();
    out.sort_unstable();
    Ok(out)
}

/// The minimal sets of offers among the stable states of a set.
fn minimal(lts: &Lts, set: &[u32], column: &FxHashMap<Event, usize>, meter: &Meter) -> Result<Vec<Bits>, Limit> {
    let mut found: Vec<Bits> = Vec::new();
    let mut pace = meter.pace();
    for &s in set.iter().filter(|&&s| lts.targets(s, TAU).next().is_none()) {
        pace.step()?;
        let mut bits = Bits::new(column.len());
        lts.row(s).iter().for_each(|(e, _)| bits.insert(column[e]));
        found.push(bits);
    }
    found.sort();
    found.dedup();
    // The smaller ones first: what is minimal has nothing minimal before it inside it.
    found.sort_by_key(|b| b.0.iter().map(|w| w.count_ones()).sum::<u32>());
    let mut least: Vec<Bits> = Vec::new();
    for bits in found {
        pace.step()?;
        if !least.iter().any(|a| a.is_subset(&bits.0)) {
            least.push(bits);
        }
    }
    least.sort();
    Ok(least)
}
