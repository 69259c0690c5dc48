//! Sets of events and relations between them, as processes use them.

use super::*;
use crate::machine::event::{Event, EventSet};
use crate::machine::term::SetId;
use crate::syntax::*;

impl Evaluator {
    pub(super) fn event_set(&mut self, expr: &Expr, env: &Env) -> Eval<SetId> {
        let value = self.eval(expr, env)?;
        let set = self.event_set_of(&value, expr.span)?;
        Ok(self.terms.add_set(set))
    }

    pub(super) fn event_set_of(&mut self, value: &Value, span: Span) -> Eval<EventSet> {
        let Value::Set(set) = value else {
            return error(span, format!("expected a set of events, found {}", self.show(value)));
        };
        let values = self.list(set, span)?;
        let events = values.iter().map(|v| self.event(v, span)).collect::<Eval<Vec<Event>>>()?;
        Ok(EventSet::new(events))
    }

    /// The pairs of a renaming or link, each channel extended to its events.
    pub(super) fn event_pairs(
        &mut self,
        pairs: &[(Expr, Expr)],
        stmts: &[Stmt],
        env: &Env,
    ) -> Eval<Vec<(Value, Value)>> {
        let mut out = Vec::new();
        for scope in self.solutions(stmts, env)? {
            for (from, to) in pairs {
                let (a, b) = (self.eval(from, &scope)?, self.eval(to, &scope)?);
                let (missing_a, missing_b) = (self.missing(&a, from.span)?.len(), self.missing(&b, to.span)?.len());
                if missing_a != missing_b {
                    let (a, b) = (self.show(&a), self.show(&b));
                    return error_hint(
                        from.span.to(to.span),
                        format!("{a} and {b} need different numbers of further fields"),
                        "both sides of a renaming or link must have the same shape",
                    );
                }
                for row in self.suffixes(&a, from.span)? {
                    let full = |v: &Value, s: &Self| row.iter().cloned().fold(v.clone(), |v, part| s.join(v, part));
                    out.push((full(&a, self), full(&b, self)));
                }
            }
        }
        Ok(out)
    }

    pub(super) fn renaming(
        &mut self,
        pairs: &[(Expr, Expr)],
        stmts: &[Stmt],
        env: &Env,
        span: Span,
    ) -> Eval<Vec<(Event, Event)>> {
        let values = self.event_pairs(pairs, stmts, env)?;
        let mut out = Vec::new();
        for (from, to) in values {
            out.push((self.event(&from, span)?, self.event(&to, span)?));
        }
        out.sort();
        out.dedup();
        Ok(out)
    }

    /// The private event that stands for a link of two events; the same two have the same one.
    pub(super) fn link_event(&mut self, from: &Value, to: &Value) -> Event {
        let key = (from.clone(), to.clone());
        if let Some(&event) = self.links.get(&key) {
            return event;
        }
        let name = format!("{}<->{}", self.show(from), self.show(to));
        let event = self.events.add_internal(name);
        self.links.insert(key, event);
        event
    }
}
