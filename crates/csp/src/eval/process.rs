//! Process expressions become terms. Only as much is evaluated as the first step needs; the rest is delayed.

use super::env::child;
use super::*;
use crate::machine::event::{Event, EventSet};
use crate::machine::term::Term;
use crate::syntax::*;

impl Evaluator {
    pub fn process(&mut self, expr: &Expr, env: &Env) -> Eval<TermId> {
        use ExprKind::*;
        match &*expr.kind {
            Prefix(head, fields, body) => {
                let value = self.eval(head, env)?;
                self.prefix(value, fields, body, env, head.span)
            }
            Guard(condition, process) => match self.eval_bool(condition, env)? {
                true => self.process(process, env),
                false => Ok(self.terms.add(Term::Stop)),
            },
            Proc(op, a, b) => self.two_processes(*op, a, b, env),
            OnSet(op, p, set, q) => self.on_set(*op, p, set, q, env),
            Alphabetised(p, a, b, q) => {
                let left = (self.event_set(a, env)?, self.process(p, env)?);
                let right = (self.event_set(b, env)?, self.process(q, env)?);
                Ok(self.terms.add(Term::Alphabetised(vec![left, right])))
            }
            Hide(p, set) => {
                let (p, set) = (self.process(p, env)?, self.event_set(set, env)?);
                Ok(self.terms.add(Term::Hide(p, set)))
            }
            Project(p, set) => {
                let (p, set) = (self.process(p, env)?, self.event_set(set, env)?);
                let others = EventSet { complement: true, ..(**self.terms.set(set)).clone() };
                let others = self.terms.add_set(others);
                Ok(self.terms.add(Term::Hide(p, others)))
            }
            Rename(p, pairs, stmts) => {
                let p = self.process(p, env)?;
                let relation = self.renaming(pairs, stmts, env, expr.span)?;
                Ok(self.terms.add(Term::Rename(p, Rc::new(relation))))
            }
            Link(p, pairs, stmts, q) => {
                let (p, q) = (self.process(p, env)?, self.process(q, env)?);
                let links = self.event_pairs(pairs, stmts, env)?;
                self.link(p, &links, q, expr.span)
            }
            Replicated(op, stmts, body) => self.replicated(op, stmts, body, env, expr.span),
            _ => match self.eval(expr, env)? {
                Value::Proc(term) => Ok(term),
                other => error(expr.span, format!("expected a process, found {}", self.show(&other))),
            },
        }
    }

    fn two_processes(&mut self, op: ProcOp, a: &Expr, b: &Expr, env: &Env) -> Eval<TermId> {
        let term = match op {
            ProcOp::Internal => Term::Internal(vec![self.later(a, env)?, self.later(b, env)?]),
            ProcOp::Sequential => Term::Sequential(self.process(a, env)?, self.later(b, env)?),
            ProcOp::Sliding => Term::Sliding(self.process(a, env)?, self.later(b, env)?),
            ProcOp::External => return self.external(a, b, env),
            ProcOp::Interrupt => Term::Interrupt(self.process(a, env)?, self.process(b, env)?),
            ProcOp::Interleave => {
                let none = self.terms.add_set(EventSet::empty());
                Term::Parallel(self.process(a, env)?, none, self.process(b, env)?)
            }
        };
        Ok(self.terms.add(term))
    }

    /// External choice, flattened: `P [] Q [] R` is one choice of three.
    fn external(&mut self, a: &Expr, b: &Expr, env: &Env) -> Eval<TermId> {
        let (a, b) = (self.process(a, env)?, self.process(b, env)?);
        Ok(self.external_of([a, b]))
    }

    pub(super) fn external_of(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            match &*self.terms.get(part) {
                Term::External(inner) => flat.extend(inner.iter().copied()),
                Term::Stop => {}
                _ => flat.push(part),
            }
        }
        match flat.len() {
            0 => self.terms.add(Term::Stop),
            1 => flat[0],
            _ => self.terms.add(Term::External(flat)),
        }
    }

    fn on_set(&mut self, op: SetOp, p: &Expr, set: &Expr, q: &Expr, env: &Env) -> Eval<TermId> {
        let left = self.process(p, env)?;
        let set = self.event_set(set, env)?;
        let term = match op {
            SetOp::Exception => Term::Exception(left, set, self.later(q, env)?),
            SetOp::Parallel => Term::Parallel(left, set, self.process(q, env)?),
            SetOp::SyncExternal => Term::SyncExternal(left, set, self.process(q, env)?),
            SetOp::SyncInterrupt => Term::SyncInterrupt(left, set, self.process(q, env)?),
        };
        Ok(self.terms.add(term))
    }

    /// `P [c <-> d] Q`: both sides do a private event where one did `c` and the other `d`, and nobody sees it. The
    /// linked events are no longer possible by themselves.
    pub(super) fn link(&mut self, p: TermId, links: &[(Value, Value)], q: TermId, span: Span) -> Eval<TermId> {
        let (mut left, mut right, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for (from, to) in links {
            let event = self.link_event(from, to);
            left.push((self.event(from, span)?, event));
            right.push((self.event(to, span)?, event));
            inner.push(event);
        }
        left.sort();
        right.sort();
        for side in [&left, &right] {
            if let Some(twice) = side.windows(2).find(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1) {
                let name = self.events.name(twice[0].0).to_owned();
                return error_hint(span, format!("{name} is linked twice"), "link each event to one event");
            }
        }
        let set = self.terms.add_set(EventSet::new(inner));
        let p = self.terms.add(Term::Rename(p, Rc::new(left)));
        let q = self.terms.add(Term::Rename(q, Rc::new(right)));
        let both = self.terms.add(Term::Parallel(p, set, q));
        Ok(self.terms.add(Term::Hide(both, set)))
    }

    /// A prefix with its fields: inputs offer every value, `$` chooses one of them silently.
    fn prefix(&mut self, value: Value, fields: &[Field], body: &Expr, env: &Env, span: Span) -> Eval<TermId> {
        let silent = fields.iter().any(|f| matches!(f.kind, FieldKind::NondetInput(..)));
        if silent {
            return self.silent_prefix(value, fields, body, env, span);
        }
        let mut offers = Vec::new();
        self.offers(value, fields, body, env, span, &mut offers)?;
        Ok(self.terms.add(if offers.is_empty() { Term::Stop } else { Term::Prefix(offers) }))
    }

    fn offers(
        &mut self,
        value: Value,
        fields: &[Field],
        body: &Expr,
        env: &Env,
        span: Span,
        out: &mut Vec<(Event, Next)>,
    ) -> Eval<()> {
        let Some((field, rest)) = fields.split_first() else {
            let event = self.event(&value, span)?;
            out.push((event, self.later(body, env)?));
            return Ok(());
        };
        for (value, scope) in self.field_values(value, field, rest.is_empty(), env)? {
            self.offers(value, rest, body, &scope, field.span, out)?;
        }
        Ok(())
    }

    fn silent_prefix(&mut self, value: Value, fields: &[Field], body: &Expr, env: &Env, span: Span) -> Eval<TermId> {
        let Some((field, rest)) = fields.split_first() else {
            let event = self.event(&value, span)?;
            let next = self.later(body, env)?;
            return Ok(self.prefix_term(event, next));
        };
        let mut parts = Vec::new();
        for (value, scope) in self.field_values(value, field, rest.is_empty(), env)? {
            parts.push(self.silent_prefix(value, rest, body, &scope, field.span)?);
        }
        match field.kind {
            FieldKind::NondetInput(..) if parts.is_empty() => error(field.span, "there is no value to choose from"),
            FieldKind::NondetInput(..) => {
                Ok(self.terms.add(Term::Internal(parts.into_iter().map(Next::Now).collect())))
            }
            _ => Ok(self.external_of(parts)),
        }
    }

    /// Each value a field can take, joined to the event so far, with what it binds.
    fn field_values(&mut self, value: Value, field: &Field, last: bool, env: &Env) -> Eval<Vec<(Value, Env)>> {
        let (pat, from) = match &field.kind {
            FieldKind::Output(e) => {
                let part = self.eval(e, env)?;
                return Ok(vec![(self.combine(value, part, field.span)?, env.clone())]);
            }
            FieldKind::Input(pat, from) | FieldKind::NondetInput(pat, from) => (pat, from),
        };
        let candidates = match from {
            Some(set) => match self.eval(set, env)? {
                Value::Set(values) => self.list(&values, set.span)?.to_vec(),
                other => return error(set.span, format!("expected a set, found {}", self.show(&other))),
            },
            None => self.field_candidates(&value, pat, last, field.span)?,
        };
        let mut out = Vec::new();
        for candidate in candidates {
            let mut bound = Vec::new();
            if self.matches_value(pat, &candidate, &mut bound)? {
                out.push((self.combine(value.clone(), candidate, field.span)?, child(bound, env)));
            }
        }
        Ok(out)
    }

    /// What an input without a set ranges over: one field a dotted part, and all that are left for the last.
    fn field_candidates(&mut self, value: &Value, pat: &Pat, last: bool, span: Span) -> Eval<Vec<Value>> {
        let missing = self.missing(value, span)?;
        if missing.is_empty() {
            let shown = self.show(value);
            return error_hint(span, format!("{shown} has no further field to input"), "see the channel's declaration");
        }
        let mut parts = Vec::new();
        flatten_dots(pat, &mut parts);
        let take = if last { missing.len() } else { self.fields_taken(&parts).min(missing.len()) };
        let rows = self.first_fields(value, take, span)?;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().reduce(|a, b| self.join(a, b))).collect())
    }

    /// How many fields dotted patterns stand for: a constructor and the fields it holds are one.
    fn fields_taken(&mut self, parts: &[&Pat]) -> usize {
        let (mut at, mut taken) = (0, 0);
        while at < parts.len() {
            let held = match parts[at].kind {
                PatKind::Name(name) if self.constructors.contains_key(&name) => {
                    self.fields(name, parts[at].span).map_or(0, |fields| fields.len())
                }
                _ => 0,
            };
            (at, taken) = (at + 1 + held, taken + 1);
        }
        taken
    }
}
