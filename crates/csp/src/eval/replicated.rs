//! Replicated operators: one process for each way to satisfy the statements.

use super::*;
use crate::machine::event::EventSet;
use crate::machine::term::Term;
use crate::syntax::*;

impl Evaluator {
    pub(super) fn replicated(
        &mut self,
        op: &ReplOp,
        stmts: &[Stmt],
        body: &Expr,
        env: &Env,
        span: Span,
    ) -> Eval<TermId> {
        let scopes = self.solutions(stmts, env)?;
        match op {
            ReplOp::Internal => {
                if scopes.is_empty() {
                    return error_hint(span, "internal choice over nothing", "its set must not be empty");
                }
                let parts = scopes.iter().map(|s| self.later(body, s)).collect::<Eval<Vec<_>>>()?;
                Ok(self.terms.add(Term::Internal(parts)))
            }
            ReplOp::Sequential => self.sequence_of(&scopes, body),
            ReplOp::Alphabetised(set) => {
                let mut parts = Vec::new();
                for scope in &scopes {
                    parts.push((self.event_set(set, scope)?, self.process(body, scope)?));
                }
                Ok(self.terms.add(if parts.is_empty() { Term::Skip } else { Term::Alphabetised(parts) }))
            }
            ReplOp::External => {
                let parts = self.bodies(&scopes, body)?;
                Ok(self.external_of(parts))
            }
            ReplOp::Interleave => {
                let none = self.terms.add_set(EventSet::empty());
                let parts = self.bodies(&scopes, body)?;
                Ok(self.parallel_of(parts, none))
            }
            ReplOp::Parallel(set) => {
                let set = self.event_set(set, env)?;
                let parts = self.bodies(&scopes, body)?;
                Ok(self.parallel_of(parts, set))
            }
            ReplOp::SyncExternal(set) => {
                let set = self.event_set(set, env)?;
                let parts = self.bodies(&scopes, body)?;
                let joined = parts.into_iter().reduce(|a, b| self.terms.add(Term::SyncExternal(a, set, b)));
                Ok(joined.unwrap_or_else(|| self.terms.add(Term::Stop)))
            }
            ReplOp::Link(pairs, inner) => self.chain(pairs, inner, &scopes, body, span),
        }
    }

    fn bodies(&mut self, scopes: &[Env], body: &Expr) -> Eval<Vec<TermId>> {
        scopes.iter().map(|s| self.process(body, s)).collect()
    }

    /// A balanced tree of parallel compositions; none at all is SKIP.
    fn parallel_of(&mut self, parts: Vec<TermId>, set: crate::machine::term::SetId) -> TermId {
        match parts.len() {
            0 => self.terms.add(Term::Skip),
            1 => parts[0],
            n => {
                let (left, right) = parts.split_at(n / 2);
                let (left, right) = (self.parallel_of(left.to_vec(), set), self.parallel_of(right.to_vec(), set));
                self.terms.add(Term::Parallel(left, set, right))
            }
        }
    }

    fn sequence_of(&mut self, scopes: &[Env], body: &Expr) -> Eval<TermId> {
        let mut rest: Option<Next> = None;
        for scope in scopes.iter().rev() {
            let process = self.process(body, scope)?;
            rest = Some(Next::Now(match rest {
                Some(next) => self.terms.add(Term::Sequential(process, next)),
                None => process,
            }));
        }
        match rest {
            Some(next) => self.now(next),
            None => Ok(self.terms.add(Term::Skip)),
        }
    }

    /// `[c <-> d] x:<...> @ P(x)`: each linked to the next.
    fn chain(
        &mut self,
        pairs: &[(Expr, Expr)],
        stmts: &[Stmt],
        scopes: &[Env],
        body: &Expr,
        span: Span,
    ) -> Eval<TermId> {
        let Some((last, firsts)) = scopes.split_last() else {
            return error_hint(span, "linked parallel over nothing", "its sequence must not be empty");
        };
        let mut chained = self.process(body, last)?;
        for scope in firsts.iter().rev() {
            let links = self.event_pairs(pairs, stmts, scope)?;
            let process = self.process(body, scope)?;
            chained = self.link(process, &links, chained, span)?;
        }
        Ok(chained)
    }
}
