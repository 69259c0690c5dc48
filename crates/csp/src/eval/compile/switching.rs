//! Operators that switch their parts on and off: sequence, exception, choices.

use super::builder::Builder;
use crate::eval::{Eval, Evaluator};
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::lts::Lts;
use crate::machine::product::Component;
use crate::machine::rules::{self, Comp, Rule, Target};
use crate::machine::term::{Next, SetId, TermId};
use std::sync::Arc;

impl Evaluator {
    pub(super) fn build_sequential(
        &mut self,
        b: &mut Builder,
        id: TermId,
        p: TermId,
        q: Next,
        depth: usize,
    ) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let q = self.now(q)?;
        let (l, r) = (self.build(b, p, depth + 1)?, self.build(b, q, depth + 1)?);
        let start = rules::start(b.node(r));
        let mut rules = rules::switching(&b.side(l, 0), |e| e == TICK, &start);
        for rule in rules.iter_mut().filter(|r| r.result == TICK) {
            rule.result = TAU;
        }
        rules.extend(rules::switching(&b.side(r, 1), |_| false, &[]));
        let active = b.node(l).active.clone();
        Ok(b.add(self.name_of(id, ";"), vec![l, r], rules, active, from))
    }

    pub(super) fn build_exception(
        &mut self,
        b: &mut Builder,
        id: TermId,
        (p, set, q): (TermId, SetId, Next),
        depth: usize,
    ) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let q = self.now(q)?;
        let (l, r) = (self.build(b, p, depth + 1)?, self.build(b, q, depth + 1)?);
        let thrown = self.terms.set(set).clone();
        let mut sets = rules::kill(b.node(l));
        sets.extend(rules::start(b.node(r)));
        let mut rules = rules::switching(&b.side(l, 0), |e| thrown.contains(e), &sets);
        rules.extend(rules::switching(&b.side(r, 1), |_| false, &[]));
        let active = b.node(l).active.clone();
        Ok(b.add(self.name_of(id, "[|...|>"), vec![l, r], rules, active, from))
    }

    pub(super) fn build_external(
        &mut self,
        b: &mut Builder,
        id: TermId,
        parts: &[TermId],
        depth: usize,
    ) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let children = parts.iter().map(|&p| self.build(b, p, depth + 1)).collect::<Eval<Vec<_>>>()?;
        let mut rules = Vec::new();
        for (i, &child) in children.iter().enumerate() {
            let others = children.iter().filter(|&&c| c != child);
            let sets: Vec<_> = others.flat_map(|&c| rules::kill(b.node(c))).collect();
            rules.extend(rules::switching(&b.side(child, i as u32), |e| e != TAU, &sets));
        }
        let active = children.iter().flat_map(|&c| b.node(c).active.clone()).collect();
        Ok(b.add(self.name_of(id, "[]"), children, rules, active, from))
    }

    /// A component with one state, whose events switch other parts on. Its events are numbered from the top.
    fn control(b: &mut Builder, choices: usize) -> Comp {
        let row = (0..choices as u32).map(|i| (control_event(i), 1)).collect();
        b.comps.push(Component::Explicit(Arc::new(Lts::from_rows(0, vec![row, Vec::new()]))));
        b.comps.len() as Comp - 1
    }

    pub(super) fn build_internal(&mut self, b: &mut Builder, id: TermId, parts: &[Next], depth: usize) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let control = Self::control(b, parts.len());
        let mut children = Vec::new();
        for &part in parts {
            let part = self.now(part)?;
            children.push(self.build(b, part, depth + 1)?);
        }
        let mut rules = Vec::new();
        for (i, &child) in children.iter().enumerate() {
            let moves = vec![(control, control_event(i as u32))];
            rules.push(Rule { result: TAU, moves, sets: rules::start(b.node(child)), from: Vec::new() });
            rules.extend(rules::switching(&b.side(child, i as u32), |_| false, &[]));
        }
        Ok(b.add(self.name_of(id, "|~|"), children, rules, vec![control], from))
    }

    pub(super) fn build_sliding(
        &mut self,
        b: &mut Builder,
        id: TermId,
        p: TermId,
        q: Next,
        depth: usize,
    ) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let control = Self::control(b, 1);
        let q = self.now(q)?;
        let (l, r) = (self.build(b, p, depth + 1)?, self.build(b, q, depth + 1)?);
        let mut rules = rules::switching(&b.side(l, 0), |e| e != TAU, &[(control, Target::Off)]);
        let mut sets = rules::kill(b.node(l));
        sets.extend(rules::start(b.node(r)));
        rules.push(Rule { result: TAU, moves: vec![(control, control_event(0))], sets, from: Vec::new() });
        rules.extend(rules::switching(&b.side(r, 1), |_| false, &[]));
        let active = b.node(l).active.iter().copied().chain([control]).collect();
        Ok(b.add(self.name_of(id, "[>"), vec![l, r], rules, active, from))
    }
}

fn control_event(choice: u32) -> Event {
    Event(u32::MAX - choice)
}
