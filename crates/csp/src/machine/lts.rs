//! Explicit machines: every state and step written down.

use super::event::{Event, TAU};
use crate::budget::{Limit, Meter};

/// A labelled transition system. The steps of state `s` are `steps[offsets[s]..offsets[s + 1]]`, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    pub initial: u32,
    pub offsets: Vec<u32>,
    pub steps: Vec<(Event, u32)>,
}

impl Lts {
    pub fn from_rows(initial: u32, rows: Vec<Vec<(Event, u32)>>) -> Lts {
        let mut offsets = vec![0];
        let mut steps = Vec::new();
        for mut row in rows {
            row.sort();
            row.dedup();
            steps.extend(row);
            offsets.push(steps.len() as u32);
        }
        Lts { initial, offsets, steps }
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn row(&self, state: u32) -> &[(Event, u32)] {
        &self.steps[self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize]
    }

    pub fn states(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// The events it can ever do, in order.
    pub fn alphabet(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.steps.iter().map(|(e, _)| *e).collect();
        events.sort();
        events.dedup();
        events
    }

    /// The targets of one event from one state.
    pub fn targets(&self, state: u32, event: Event) -> impl Iterator<Item = u32> {
        let row = self.row(state);
        let from = row.partition_point(|(e, _)| *e < event);
        row[from..].iter().take_while(move |(e, _)| *e == event).map(|(_, t)| *t)
    }

    /// A copy in which states with a silent step have no steps of the events in `held`.
    pub fn with_priority(&self, held: &[Event]) -> Lts {
        let row = |s: u32| {
            let silent = self.targets(s, TAU).next().is_some();
            self.row(s).iter().copied().filter(|(e, _)| !silent || !held.contains(e)).collect()
        };
        Lts::from_rows(self.initial, self.states().map(row).collect())
    }

    /// Leaves out states whose only step is silent. Of each cycle of such states one is kept.
    pub fn without_chains(&self, meter: &Meter) -> Result<Lts, Limit> {
        let next = |s: u32| match self.row(s) {
            [(TAU, t)] => Some(*t),
            _ => None,
        };
        let mut end: Vec<Option<u32>> = vec![None; self.len()];
        for s in self.states() {
            let (mut chain, mut at) = (Vec::new(), s);
            let last = loop {
                if let Some(known) = end[at as usize] {
                    break known;
                }
                // For the time being it ends at itself, where a loop will find it.
                end[at as usize] = Some(at);
                chain.push(at);
                match next(at) {
                    Some(t) => at = t,
                    None => break at,
                }
            };
            chain.into_iter().for_each(|c| end[c as usize] = Some(last));
        }
        let end = |s: u32| end[s as usize].expect("every chain was followed");
        let row = |s: u32| self.row(s).iter().map(|&(e, t)| (e, end(t))).collect();
        Lts::from_rows(end(self.initial), self.states().map(row).collect()).reachable(meter)
    }

    /// Keeps what can be reached, numbered in the order it is reached.
    pub fn reachable(&self, meter: &Meter) -> Result<Lts, Limit> {
        let mut number = vec![u32::MAX; self.len()];
        number[self.initial as usize] = 0;
        let mut order = vec![self.initial];
        let mut out = Lts { initial: 0, offsets: vec![0], steps: Vec::with_capacity(self.steps.len()) };
        let mut row = Vec::new();
        let (mut at, mut pace) = (0, meter.pace());
        while at < order.len() {
            pace.step()?;
            row.clear();
            for &(e, t) in self.row(order[at]) {
                let id = &mut number[t as usize];
                if *id == u32::MAX {
                    *id = order.len() as u32;
                    order.push(t);
                }
                row.push((e, *id));
            }
            row.sort_unstable();
            row.dedup();
            out.steps.extend_from_slice(&row);
            out.offsets.push(out.steps.len() as u32);
            at += 1;
        }
        Ok(out)
    }
}
