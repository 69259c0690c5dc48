//! What can happen in each state of each component, laid out for the search's inner loop.
//!
//! Most rules move one component, or two of which the other has at most one step for its event. Those are decided with
//! one or two loads: a move of the leader, and the partner's answer by its state.

use super::component::Machine;
use super::field::Field;
use super::flat_rule::FlatRule;
use super::rules::Comp;
use rustc_hash::FxHashMap;

/// A step of a component under one rule that it leads, and what that rule requires of its partner.
#[derive(Clone, Copy)]
struct Move {
    /// What to exclusive-or into the leader's word.
    delta: u64,
    rule: u32,
    /// Where the partner keeps its state, and where its answers begin. Without a partner the mask is zero and the
    /// answer is always yes.
    word: u8,
    shift: u8,
    mask: u32,
    answers: u32,
}

/// The partner has no step for the event. A field is narrower than a word, so no difference of two states has this value.
const NEVER: u64 = u64::MAX;

/// The most answers that are stored; further pairs of component and event take the general path.
const MAX_ANSWERS: usize = 1 << 18;

/// Moves by the component that leads them and its state.
#[derive(Default)]
struct Table {
    leads: Vec<Lead>,
    places: Vec<u32>,
    moves: Vec<Move>,
}

/// A component that leads rules.
struct Lead {
    field: Field,
    /// The index in `places` of its first state; the others follow.
    at: u32,
}

impl Table {
    /// Adds the moves of a component, one list for each state.
    fn add(&mut self, field: Field, states: Vec<Vec<Move>>) {
        if states.iter().all(Vec::is_empty) {
            return;
        }
        self.leads.push(Lead { field, at: self.places.len() as u32 });
        for moves in states {
            self.places.push(self.moves.len() as u32);
            self.moves.extend(moves);
        }
        self.places.push(self.moves.len() as u32);
    }

    /// Each leader with its moves in a state.
    #[inline(always)]
    fn of<const W: usize>(&self, key: &[u64; W]) -> impl Iterator<Item = (Field, &[Move])> {
        self.leads.iter().map(|lead| {
            let place = lead.at as usize + lead.field.get(key) as usize;
            (lead.field, &self.moves[self.places[place] as usize..self.places[place + 1] as usize])
        })
    }
}

/// Steps from one state: the rule of each, and the state after it.
pub struct Found<const W: usize> {
    rules: Vec<u32>,
    next: Vec<[u64; W]>,
    len: usize,
}

impl<const W: usize> Default for Found<W> {
    fn default() -> Self {
        Found { rules: Vec::new(), next: Vec::new(), len: 0 }
    }
}

impl<const W: usize> Found<W> {
    pub fn clear(&mut self) {
        self.len = 0;
    }

    pub fn push(&mut self, rule: u32, next: [u64; W]) {
        self.reserve(1);
        (self.rules[self.len], self.next[self.len]) = (rule, next);
        self.len += 1;
    }

    fn reserve(&mut self, more: usize) {
        if self.rules.len() < self.len + more {
            self.rules.resize(self.len + more, 0);
            self.next.resize(self.len + more, [0; W]);
        }
    }

    pub fn rules(&self) -> &[u32] {
        &self.rules[..self.len]
    }

    pub fn next(&self) -> &[[u64; W]] {
        &self.next[..self.len]
    }

    /// Maps every step's state, and leaves out those it maps to nothing.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, [u64; W]) -> Option<[u64; W]>) {
        let mut kept = 0;
        for i in 0..self.len {
            if let Some(next) = keep(self.rules[i], self.next[i]) {
                (self.rules[kept], self.next[kept]) = (self.rules[i], next);
                kept += 1;
            }
        }
        self.len = kept;
    }
}

#[derive(Default)]
pub struct Plan {
    /// Moves that are complete with the partner's answer.
    plain: Table,
    /// Moves whose rule has several followers, or switches.
    rest: Table,
    /// By component, event and state: what to exclusive-or into the word, or `NEVER`. The first one is zero, for moves
    /// without a partner.
    answers: Vec<u64>,
}

impl Plan {
    /// A plan of some rules; `led` answers which of them an event of a component leads.
    pub fn new<'a>(machines: &[Machine], rules: &[FlatRule], led: impl Fn(usize, u32) -> &'a [u32]) -> Plan {
        let mut plan = Plan { plain: Table::default(), rest: Table::default(), answers: vec![0] };
        let mut known = FxHashMap::default();
        for (comp, machine) in machines.iter().enumerate().filter(|(_, m)| m.native().is_none()) {
            let states = machine.states() as usize;
            let (mut plain, mut rest) = (vec![Vec::new(); states], vec![Vec::new(); states]);
            for state in 0..states {
                for step in machine.row(state as u32) {
                    for &rule in led(comp, step.local) {
                        let mv = plan.single(machines, &rules[rule as usize], &mut known);
                        let list = if mv.is_some() { &mut plain[state] } else { &mut rest[state] };
                        list.push(Move { delta: step.delta, rule, ..mv.unwrap_or(ALONE) });
                    }
                }
            }
            plan.plain.add(machine.field, plain);
            plan.rest.add(machine.field, rest);
        }
        plan
    }

    /// The plain move of a rule, without its leader's part, if the rule has at most one partner.
    fn single(
        &mut self,
        machines: &[Machine],
        rule: &FlatRule,
        known: &mut FxHashMap<(Comp, u32), Option<u32>>,
    ) -> Option<Move> {
        match (&rule.others[..], rule.sets.is_empty()) {
            ([], true) => Some(ALONE),
            (&[(comp, local)], true) => {
                let partner = &machines[comp as usize];
                let answers = (*known.entry((comp, local)).or_insert_with(|| self.answers(partner, local)))?;
                let field = partner.field;
                let word = u8::try_from(field.word).ok()?;
                Some(Move { word, shift: field.shift as u8, mask: field.mask as u32, answers, ..ALONE })
            }
            _ => None,
        }
    }

    /// The index of a component's first answer for one of its events; none if a state may have several answers, or if there
    /// are too many.
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

    /// Finds every step of the plan's rules.
    #[inline]
    pub fn find<const W: usize>(&self, machines: &[Machine], rules: &[FlatRule], key: &[u64; W], found: &mut Found<W>) {
        self.plain(key, found);
        self.rest(key, &mut |rule, next| {
            rules[rule as usize].fire(machines, 0, key, next, &mut |next| found.push(rule, next));
        });
    }

    /// Finds the steps of plain moves. Whether a partner has an answer is close to random, so the loop does not branch on
    /// it: a step without an answer is overwritten by the next one.
    #[inline]
    fn plain<const W: usize>(&self, key: &[u64; W], found: &mut Found<W>) {
        let mut len = 0;
        for (field, moves) in self.plain.of(key) {
            found.len = len;
            found.reserve(moves.len());
            for mv in moves {
                let word = mv.word as usize % W;
                let state = (key[word] >> (mv.shift % 64)) as u32 & mv.mask;
                let answer = self.answers[mv.answers as usize + state as usize];
                let mut next = *key;
                next[field.word % W] ^= mv.delta;
                next[word] ^= answer;
                (found.rules[len], found.next[len]) = (mv.rule, next);
                len += usize::from(answer != NEVER);
            }
        }
        found.len = len;
    }

    /// Calls `emit` with the rule of every other move, and the state after its leader's step.
    #[inline]
    fn rest<const W: usize>(&self, key: &[u64; W], emit: &mut impl FnMut(u32, [u64; W])) {
        for (field, moves) in self.rest.of(key) {
            for mv in moves {
                let mut next = *key;
                next[field.word] ^= mv.delta;
                emit(mv.rule, next);
            }
        }
    }
}

/// A move without a partner.
const ALONE: Move = Move { delta: 0, rule: 0, word: 0, shift: 0, mask: 0, answers: 0 };
