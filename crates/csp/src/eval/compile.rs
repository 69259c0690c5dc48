//! Terms to products. Operators that only combine are kept as rules; what is left are leaves, explored by themselves.

mod builder;
mod composite;
mod switching;

use super::{Eval, Evaluator};
use crate::budget::Limit;
use crate::compress;
use crate::machine::event::{EventSet, TAU, TICK};
use crate::machine::lts::Lts;
use crate::machine::product::{Component, Filter, Kind, Product};
use crate::machine::rules::{self, Comp, Rule};
use crate::machine::term::{Compression, SetId, Term, TermId};
use crate::refine::explicate::{self, Restriction};
use builder::Builder;
use std::rc::Rc;
use std::sync::Arc;

/// Compositions nested deeper than this are explored as one leaf.
const MAX_NESTING: usize = 300;
/// Leaves up to this size are reduced by strong bisimulation before they are used.
const REDUCE_LEAVES: usize = 50_000;
/// What priority, chase or deter leave of a part is written out up to this many states.
const WRITTEN_OUT: u64 = 20_000;

impl Evaluator {
    /// Compiles a process for exploration.
    pub fn compile(&mut self, term: TermId) -> Eval<Product> {
        let mut builder = Builder::default();
        let mut filter = None;
        let root = self.build_root(&mut builder, term, &mut filter)?;
        let Builder { comps, nodes, inner, origins } = builder;
        Ok(Product { comps, nodes, root, filter, inner, origins })
    }

    /// Builds a process that may be restricted as a whole: priority, chase and deter, with nothing but hiding and
    /// renaming around them, are left to the search.
    fn build_root(&mut self, b: &mut Builder, id: TermId, filter: &mut Option<Filter>) -> Eval<usize> {
        let term = self.terms.get(id);
        let from = b.comps.len() as Comp;
        let (kind, inside) = match &*term {
            Term::Hide(p, set) if self.restricted(*p) => {
                let child = self.build_root(b, *p, filter)?;
                let rules = rules::hide(&b.side(child, 0), &self.terms.set(*set).clone());
                return Ok(self.add_one(b, id, "\\", child, rules, from));
            }
            Term::Rename(p, relation) if self.restricted(*p) => {
                let child = self.build_root(b, *p, filter)?;
                let rules = rules::rename(&b.side(child, 0), relation);
                return Ok(self.add_one(b, id, "[[...]]", child, rules, from));
            }
            Term::Prioritise(p, order) => (Kind::Priority(order.clone()), *p),
            Term::Chase(p) => (Kind::Chase, *p),
            Term::Determined(p) => (Kind::Determined, *p),
            _ => return self.build(b, id, 0),
        };
        if !self.is_composite(inside) {
            return self.build(b, id, 0);
        }
        let child = self.build(b, inside, 0)?;
        let rules = rules::switching(&b.side(child, 0), |_| false, &[]);
        let node = self.add_one(b, id, "restricted process", child, rules, from);
        *filter = Some(Filter { kind, node });
        Ok(node)
    }

    /// Whether a term is restricted as a whole, but for hiding and renaming.
    fn restricted(&self, id: TermId) -> bool {
        match &*self.terms.get(id) {
            Term::Hide(p, _) | Term::Rename(p, _) => self.restricted(*p),
            Term::Prioritise(..) | Term::Chase(_) | Term::Determined(_) => true,
            _ => false,
        }
    }

    /// The process as one explicit machine.
    pub fn explicate(&mut self, term: TermId) -> Eval<Lts> {
        if !self.is_composite(term) {
            return self.explicate_term(term);
        }
        let product = self.compile(term)?;
        Ok(explicate::product(&product, Restriction::Free, &self.meter)?)
    }

    fn name_of(&self, term: TermId, otherwise: &str) -> String {
        self.term_name(term).map_or_else(|| otherwise.to_owned(), str::to_owned)
    }

    fn build(&mut self, b: &mut Builder, id: TermId, depth: usize) -> Eval<usize> {
        self.meter.check_time()?;
        let term = self.terms.get(id);
        if let Term::Compress(kind, p) = &*term {
            return self.build_compressed(b, id, *kind, *p);
        }
        if let Term::Native(native, _) = &*term {
            return self.build_native(b, id, *native);
        }
        if depth > MAX_NESTING || !self.is_composite(id) {
            return self.build_leaf(b, id);
        }
        let from = b.comps.len() as Comp;
        match &*term {
            Term::Prioritise(p, order) => self.build_restricted(b, id, *p, Restriction::Priority(order), depth),
            Term::Chase(p) => self.build_restricted(b, id, *p, Restriction::Chase, depth),
            Term::Determined(p) => self.build_restricted(b, id, *p, Restriction::Determined, depth),
            Term::Parallel(p, set, q) => {
                let (l, r) = (self.build(b, *p, depth + 1)?, self.build(b, *q, depth + 1)?);
                let shared = self.terms.set(*set).clone();
                let rules = rules::parallel(&b.side(l, 0), &b.side(r, 1), &shared, &self.meter)?;
                let label = if shared.events.is_empty() && !shared.complement { "|||" } else { "[|...|]" };
                Ok(self.add_both(b, id, label, l, r, rules, from))
            }
            Term::Alphabetised(parts) => Ok(self.build_alphabetised(b, id, parts, depth)?.0),
            Term::Hide(p, set) => {
                let child = self.build(b, *p, depth + 1)?;
                let rules = rules::hide(&b.side(child, 0), &self.terms.set(*set).clone());
                Ok(self.add_one(b, id, "\\", child, rules, from))
            }
            Term::Rename(p, relation) => {
                let child = self.build(b, *p, depth + 1)?;
                let rules = rules::rename(&b.side(child, 0), relation);
                Ok(self.add_one(b, id, "[[...]]", child, rules, from))
            }
            Term::Sequential(p, q) => self.build_sequential(b, id, *p, *q, depth),
            Term::Exception(p, set, q) => self.build_exception(b, id, (*p, *set, *q), depth),
            Term::Interrupt(p, q) => {
                let (l, r) = (self.build(b, *p, depth + 1)?, self.build(b, *q, depth + 1)?);
                let (off_l, off_r) = (rules::kill(b.node(l)), rules::kill(b.node(r)));
                let mut rules = rules::switching(&b.side(l, 0), |e| e == TICK, &off_r);
                rules.extend(rules::switching(&b.side(r, 1), |e| e != TAU, &off_l));
                Ok(self.add_both(b, id, "/\\", l, r, rules, from))
            }
            Term::External(parts) => self.build_external(b, id, parts, depth),
            Term::Internal(parts) => self.build_internal(b, id, parts, depth),
            Term::Sliding(p, q) => self.build_sliding(b, id, *p, *q, depth),
            _ => self.build_leaf(b, id),
        }
    }

    fn add_one(
        &mut self,
        b: &mut Builder,
        id: TermId,
        label: &str,
        child: usize,
        rules: Vec<Rule>,
        from: Comp,
    ) -> usize {
        let active = b.node(child).active.clone();
        b.add(self.name_of(id, label), vec![child], rules, active, from)
    }

    #[allow(clippy::too_many_arguments)]
    fn add_both(
        &mut self,
        b: &mut Builder,
        id: TermId,
        label: &str,
        l: usize,
        r: usize,
        rules: Vec<Rule>,
        from: Comp,
    ) -> usize {
        let active = b.node(l).active.iter().chain(&b.node(r).active).copied().collect();
        b.add(self.name_of(id, label), vec![l, r], rules, active, from)
    }

    fn build_leaf(&mut self, b: &mut Builder, id: TermId) -> Eval<usize> {
        let lts = self.explicate_term(id)?;
        let lts = if lts.len() <= REDUCE_LEAVES { compress::strong(&lts, &self.meter)? } else { lts };
        Ok(b.leaf(self.name_of(id, "process"), Component::Explicit(Arc::new(lts))))
    }

    fn build_compressed(&mut self, b: &mut Builder, id: TermId, kind: Compression, p: TermId) -> Eval<usize> {
        let origin = if self.is_composite(p) { Some(self.compile(p)?) } else { None };
        let lts = match &origin {
            Some(product) => explicate::product(product, Restriction::Free, &self.meter)?,
            None => self.explicate_term(p)?,
        };
        let kind = match kind {
            // These keep failures and divergences, and no more.
            Compression::Normal | Compression::Diamond if self.fine => Compression::Strong,
            kind => kind,
        };
        let lts = compress::apply(kind, &lts, &self.meter)?;
        let node = b.leaf(self.name_of(id, "compressed process"), Component::Explicit(Arc::new(lts)));
        b.origins.extend(origin.map(|product| (node, Rc::new(product))));
        Ok(node)
    }

    /// Priority, chase and deter look at all steps of a state at once, which rules do not: what they leave of a small
    /// composition is written out, a large one is restricted as the search comes to each state.
    fn build_restricted(
        &mut self,
        b: &mut Builder,
        id: TermId,
        p: TermId,
        restriction: Restriction,
        depth: usize,
    ) -> Eval<usize> {
        let product = self.compile(p)?;
        let small = self.meter.with_states(WRITTEN_OUT);
        let meter = if product.has_native() { &self.meter } else { &small };
        let mut lts = match explicate::product(&product, restriction, meter) {
            Err(Limit::States(WRITTEN_OUT)) if self.meter.budget.max_states > WRITTEN_OUT => {
                return self.build_filtered(b, id, p, restriction, depth);
            }
            lts => lts?,
        };
        if let Restriction::Chase | Restriction::Determined = restriction {
            lts = lts.without_chains(&self.meter)?;
        }
        Ok(b.leaf(self.name_of(id, "restricted process"), Component::Explicit(Arc::new(lts))))
    }

    fn build_filtered(
        &mut self,
        b: &mut Builder,
        id: TermId,
        p: TermId,
        restriction: Restriction,
        depth: usize,
    ) -> Eval<usize> {
        let from = b.comps.len() as Comp;
        let child = self.build(b, p, depth + 1)?;
        let rules = rules::switching(&b.side(child, 0), |_| false, &[]);
        let node = self.add_one(b, id, "restricted process", child, rules, from);
        let kind = match restriction {
            Restriction::Free => return Ok(node),
            Restriction::Priority(order) => Kind::Priority(Rc::new(order.clone())),
            Restriction::Chase => Kind::Chase,
            Restriction::Determined => Kind::Determined,
        };
        b.inner.push(Filter { kind, node });
        Ok(node)
    }

    fn build_native(&mut self, b: &mut Builder, id: TermId, native: u32) -> Eval<usize> {
        let events = self.native_events(native)?;
        let process = self.natives[native as usize].clone();
        Ok(b.leaf(self.name_of(id, "native process"), Component::Native(process, events)))
    }

    /// A balanced tree, each node with the union of its alphabets.
    fn build_alphabetised(
        &mut self,
        b: &mut Builder,
        id: TermId,
        parts: &[(SetId, TermId)],
        depth: usize,
    ) -> Eval<(usize, Rc<EventSet>)> {
        let from = b.comps.len() as Comp;
        if let [(set, term)] = parts {
            let child = self.build(b, *term, depth + 1)?;
            let alphabet = self.terms.set(*set).clone();
            let outside = EventSet { complement: true, ..(*alphabet).clone() };
            let side = b.side(child, 0);
            let kept = side.rules.iter().enumerate().filter(|(_, r)| !outside.contains(r.result));
            let rules = kept.map(|(i, r)| side.lift(i, r.result, Vec::new())).collect();
            return Ok((self.add_one(b, *term, "process", child, rules, from), alphabet));
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let (l, alpha_l) = self.build_alphabetised(b, id, left, depth)?;
        let (r, alpha_r) = self.build_alphabetised(b, id, right, depth)?;
        let rules = rules::alphabetised((&b.side(l, 0), &alpha_l), (&b.side(r, 1), &alpha_r), &self.meter)?;
        let all = EventSet::new(alpha_l.events.iter().chain(&alpha_r.events).copied().collect());
        Ok((self.add_both(b, id, "[A||B]", l, r, rules, from), Rc::new(all)))
    }
}
