//! What can happen in each state of each component, laid out for the search's inner loop.
//!
//! Most rules move one component, or two of which the other has at most one step for its event. Those are decided with
//! one or two loads: a move of the leader, and the partner's answer by its state.

use super::product::{Field, FlatRule, Machine};
use super::rules::Comp;
use rustc_hash::FxHashMap;

/// A step of a component under one rule it leads, with what the rule needs to happen.
#[derive(Clone, Copy)]
pub struct Move {
    /// What to exclusive-or into the leader's word.
    delta: u64,
    pub rule: u32,
    pub kind: Kind,
    /// Where the partner keeps its state, and where its answers begin. Without a partner the mask is zero and the
    /// answer is always yes.
    word: u8,
    shift: u8,
    mask: u32,
    answers: u32,
}

/// How a move is completed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is complete.
    Plain,
    /// By firing the rule's followers and switches.
    Rest,
}

/// The partner has no step for the event. No field is as wide as a word, so this is no difference of two states.
const NEVER: u64 = u64::MAX;

/// Answers beyond which further pairs of component and event are left to the general way.
const MAX_ANSWERS: usize = 1 << 18;

/// A component that leads rules.
struct Lead {
    field: Field,
    /// Where the places of its moves begin, by its state.
    at: u32,
}

pub struct Plan {
    leads: Vec<Lead>,
    places: Vec<u32>,
    moves: Vec<Move>,
    /// By component, event and state: what to exclusive-or into the word, or `NEVER`. The first is for moves without
    /// a partner: yes, and nothing changes.
    answers: Vec<u64>,
}

impl Plan {
    pub fn new(machines: &[Machine], rules: &[FlatRule]) -> Plan {
        let mut plan = Plan { leads: Vec::new(), places: Vec::new(), moves: Vec::new(), answers: vec![0] };
        let mut known = FxHashMap::default();
        for machine in machines.iter().filter(|m| m.native().is_none()) {
            let (at, before) = (plan.places.len(), plan.moves.len());
            for state in 0..machine.states() {
                plan.places.push(plan.moves.len() as u32);
                for step in machine.row(state) {
                    for &rule in machine.led(step.local) {
                        let mv = plan.single(machines, &rules[rule as usize], &mut known);
                        plan.moves.push(Move { delta: step.delta, rule, ..mv });
                    }
                }
            }
            plan.places.push(plan.moves.len() as u32);
            if plan.moves.len() == before {
                plan.places.truncate(at);
            } else {
                plan.leads.push(Lead { field: machine.field, at: at as u32 });
            }
        }
        plan
    }

    /// A move of a rule but for its leader's part.
    fn single(
        &mut self,
        machines: &[Machine],
        rule: &FlatRule,
        known: &mut FxHashMap<(Comp, u32), Option<u32>>,
    ) -> Move {
        let alone = Move { delta: 0, rule: 0, kind: Kind::Plain, word: 0, shift: 0, mask: 0, answers: 0 };
        let general = Move { kind: Kind::Rest, ..alone };
        match (&rule.others[..], rule.sets.is_empty()) {
            ([], true) => alone,
            (&[(comp, local)], true) => {
                let partner = &machines[comp as usize];
                let answers = *known.entry((comp, local)).or_insert_with(|| self.answers(partner, local));
                let field = partner.field;
                match (answers, u8::try_from(field.word)) {
                    (Some(answers), Ok(word)) => {
                        Move { word, shift: field.shift as u8, mask: field.mask as u32, answers, ..alone }
                    }
                    _ => general,
                }
            }
            _ => general,
        }
    }

    /// Where a component's answers for one of its events begin; nothing if it may have several, or if they are many.
    fn answers(&mut self, partner: &Machine, local: u32) -> Option<u32> {
        let states = 0..partner.states();
        let fits = self.answers.len() + states.len() <= MAX_ANSWERS;
        if partner.native().is_some() || !fits || states.clone().any(|s| partner.on(s, local).len() > 1) {
            return None;
        }
        let at = self.answers.len() as u32;
        self.answers.extend(states.map(|s| partner.on(s, local).first().map_or(NEVER, |step| step.delta)));
        Some(at)
    }

    /// Calls `emit` with every move that can take place, and the state after the part of it that is known here.
    #[inline(always)]
    pub fn moves<const W: usize>(&self, key: &[u64; W], emit: &mut impl FnMut(&Move, [u64; W])) {
        for lead in &self.leads {
            let place = lead.at as usize + lead.field.get(key) as usize;
            for mv in &self.moves[self.places[place] as usize..self.places[place + 1] as usize] {
                let word = mv.word as usize % W;
                let state = (key[word] >> (mv.shift % 64)) as u32 & mv.mask;
                let answer = self.answers[mv.answers as usize + state as usize];
                if answer != NEVER {
                    let mut next = *key;
                    next[lead.field.word] ^= mv.delta;
                    next[word] ^= answer;
                    emit(mv, next);
                }
            }
        }
    }
}
