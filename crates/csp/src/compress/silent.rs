//! What silent steps do to a machine: loops of them, and shortcuts past them.

use super::closure::closure;
use crate::budget::{Limit, Meter, Pace};
use crate::machine::event::{Event, TAU};
use crate::machine::lts::Lts;

/// The silent structure of a machine.
pub struct SilentParts {
    /// Which states lie on a loop of silent steps.
    pub on_loop: Vec<bool>,
    /// Which states can reach such a loop silently.
    pub diverges: Vec<bool>,
    /// The strongly connected part each state belongs to.
    pub part: Vec<u32>,
}

/// Tarjan's algorithm over silent steps, without recursion.
pub fn silent_parts(lts: &Lts, meter: &Meter) -> Result<SilentParts, Limit> {
    let n = lts.len();
    let mut search = Tarjan {
        lts,
        index: vec![u32::MAX; n],
        low: vec![0; n],
        stack: Vec::new(),
        part: vec![u32::MAX; n],
        next: 0,
        parts: 0,
    };
    let mut pace = meter.pace();
    for s in lts.states() {
        pace.step()?;
        if search.index[s as usize] == u32::MAX {
            search.visit(s, &mut pace)?;
        }
    }
    let part = search.part;
    let mut size = vec![0u32; search.parts as usize];
    part.iter().for_each(|&p| size[p as usize] += 1);
    let self_loop = |s: u32| lts.targets(s, TAU).any(|t| t == s);
    let on_loop: Vec<bool> = lts.states().map(|s| size[part[s as usize] as usize] > 1 || self_loop(s)).collect();
    // Parts are numbered in the order they are finished: everything reachable from a part has a smaller number.
    let mut by_part: Vec<u32> = lts.states().collect();
    by_part.sort_by_key(|&s| part[s as usize]);
    let mut part_diverges = vec![false; size.len()];
    for s in by_part {
        pace.step()?;
        let p = part[s as usize] as usize;
        part_diverges[p] |=
            on_loop[s as usize] || lts.targets(s, TAU).any(|t| part_diverges[part[t as usize] as usize]);
    }
    let diverges = part.iter().map(|&p| part_diverges[p as usize]).collect();
    Ok(SilentParts { on_loop, diverges, part })
}

struct Tarjan<'a> {
    lts: &'a Lts,
    index: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    part: Vec<u32>,
    next: u32,
    parts: u32,
}

impl Tarjan<'_> {
    fn open(&mut self, s: u32) {
        self.index[s as usize] = self.next;
        self.low[s as usize] = self.next;
        self.next += 1;
        self.stack.push(s);
    }

    fn visit(&mut self, root: u32, pace: &mut Pace) -> Result<(), Limit> {
        self.open(root);
        let mut calls = vec![(root, 0usize)];
        while let Some((s, at)) = calls.pop() {
            pace.step()?;
            match self.lts.row(s).get(at).filter(|(e, _)| *e == TAU) {
                Some(&(_, t)) => {
                    calls.push((s, at + 1));
                    if self.index[t as usize] == u32::MAX {
                        self.open(t);
                        calls.push((t, 0));
                    } else if self.part[t as usize] == u32::MAX {
                        self.low[s as usize] = self.low[s as usize].min(self.index[t as usize]);
                    }
                }
                None => {
                    self.close(s);
                    if let Some(&(parent, _)) = calls.last() {
                        self.low[parent as usize] = self.low[parent as usize].min(self.low[s as usize]);
                    }
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, s: u32) {
        if self.low[s as usize] != self.index[s as usize] {
            return;
        }
        while let Some(t) = self.stack.pop() {
            self.part[t as usize] = self.parts;
            if t == s {
                break;
            }
        }
        self.parts += 1;
    }
}

/// Makes every loop of silent steps one state that loops on itself.
pub fn tau_loop_factor(lts: &Lts, meter: &Meter) -> Result<Lts, Limit> {
    let parts = silent_parts(lts, meter)?;
    let mut looping = vec![false; parts.part.len()];
    for s in lts.states() {
        looping[parts.part[s as usize] as usize] |= parts.on_loop[s as usize];
    }
    let keep = |(e, from, to): (Event, u32, u32)| e != TAU || from != to || looping[from as usize];
    super::partition::quotient(lts, &parts.part, keep, meter)
}

/// Gives every state the events it can reach silently, and keeps silent steps only to the stable states with the
/// fewest offers and to silent loops.
pub fn diamond(lts: &Lts, meter: &Meter) -> Result<Lts, Limit> {
    let lts = tau_loop_factor(lts, meter)?;
    let mut rows = Vec::with_capacity(lts.len());
    let mut steps = 0;
    for s in lts.states() {
        rows.push(diamond_row(&lts, s, meter)?);
        steps += rows[s as usize].len() as u64;
        meter.check(0, steps * 8)?;
    }
    Lts::from_rows(lts.initial, rows).reachable(meter)
}

fn diamond_row(lts: &Lts, s: u32, meter: &Meter) -> Result<Vec<(Event, u32)>, Limit> {
    let reach = closure(lts, s, meter)?;
    if reach.len() == 1 {
        return Ok(lts.row(s).to_vec());
    }
    let visible = |&t: &u32| lts.row(t).iter().copied().filter(|(e, _)| *e != TAU).collect::<Vec<_>>();
    let mut row: Vec<(Event, u32)> = reach.iter().flat_map(visible).collect();
    let loops = |t: u32| lts.targets(t, TAU).any(|u| u == t);
    row.extend(reach.iter().filter(|&&t| loops(t)).map(|&t| (TAU, t)));
    let stable: Vec<(u32, Vec<Event>)> =
        reach.iter().filter(|&&t| lts.targets(t, TAU).next().is_none()).map(|&t| (t, offers(lts, t))).collect();
    for (t, offered) in &stable {
        meter.check_time()?;
        let smaller = |(u, other): &(u32, Vec<Event>)| {
            u != t && other.iter().all(|e| offered.contains(e)) && (other.len() < offered.len() || u < t)
        };
        if !stable.iter().any(smaller) {
            row.push((TAU, *t));
        }
    }
    Ok(row)
}

fn offers(lts: &Lts, s: u32) -> Vec<Event> {
    let mut events: Vec<Event> = lts.row(s).iter().map(|(e, _)| *e).collect();
    events.dedup();
    events
}
