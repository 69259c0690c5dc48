//! The types of processes: everything a process is made of is an event, a set of events or a process.

use super::{Checker, Constraint, Type};
use crate::source::Span;
use crate::syntax::*;

impl Checker<'_> {
    pub(super) fn process(&mut self, expr: &Expr) -> Type {
        use ExprKind::*;
        match &*expr.kind {
            Prefix(head, fields, body) => self.prefix(head, fields, body),
            Guard(condition, p) => {
                self.expect(condition, &Type::Bool);
                self.is_process(p);
            }
            Proc(_, p, q) => {
                self.is_process(p);
                self.is_process(q);
            }
            OnSet(_, p, set, q) => {
                self.is_process(p);
                self.is_event_set(set);
                self.is_process(q);
            }
            Alphabetised(p, a, b, q) => {
                self.is_process(p);
                self.is_event_set(a);
                self.is_event_set(b);
                self.is_process(q);
            }
            Hide(p, set) | Project(p, set) => {
                self.is_process(p);
                self.is_event_set(set);
            }
            Link(p, pairs, stmts, q) => {
                self.is_process(p);
                self.is_process(q);
                self.scoped(|c| {
                    c.statements(stmts, true);
                    c.event_pairs(pairs);
                });
            }
            Rename(p, pairs, stmts) => {
                self.is_process(p);
                self.scoped(|c| {
                    c.statements(stmts, true);
                    c.event_pairs(pairs);
                });
            }
            Replicated(op, stmts, body) => self.replicated(op, stmts, body),
            _ => drop(self.error(expr.span, "expected a process").hint.take()),
        }
        Type::Proc
    }

    fn is_process(&mut self, expr: &Expr) {
        self.expect(expr, &Type::Proc);
    }

    fn is_event_set(&mut self, expr: &Expr) {
        self.expect(expr, &Type::Set(Box::new(Type::Event)));
    }

    /// Both sides of each pair have the same shape and make events.
    fn event_pairs(&mut self, pairs: &[(Expr, Expr)]) {
        for (from, to) in pairs {
            let (a, b) = (self.infer(from), self.infer(to));
            self.solve();
            let span = from.span.to(to.span);
            self.unify(&a, &b, span);
            self.constraints.push(Constraint::Yields { of: a, to: Type::Event, span });
        }
    }

    fn prefix(&mut self, head: &Expr, fields: &[Field], body: &Expr) {
        let head_type = self.infer(head);
        self.solve();
        self.scoped(|c| {
            let (mut row, mut seen) = (Vec::new(), Vec::new());
            for field in fields {
                row.push(c.field(field, &mut seen));
            }
            if row.is_empty() {
                c.unify(&Type::Event, &head_type, head.span);
            } else {
                let span = fields.iter().fold(head.span, |s, f| s.to(f.span));
                c.event_row(head_type, row, span);
            }
            c.is_process(body);
        });
    }

    fn event_row(&mut self, left: Type, row: Vec<Type>, span: Span) {
        let known = self.resolve(&left);
        if !matches!(known, Type::Var(_) | Type::Dotable(..) | Type::Dot(..)) {
            let shown = self.show(&known);
            let error = self.error(span, format!("a value of type {shown} takes no fields"));
            error.hint = Some("see the declaration of the channel".into());
            return;
        }
        self.constraints.push(Constraint::Dot { left, row, result: Type::Event, span });
        self.solve();
    }

    fn field(&mut self, field: &Field, seen: &mut Vec<Symbol>) -> Type {
        match &field.kind {
            FieldKind::Output(e) => {
                let ty = self.infer(e);
                self.solve();
                ty
            }
            FieldKind::Input(pat, from) | FieldKind::NondetInput(pat, from) => {
                let set = from.as_ref().map(|set| {
                    let item = self.fresh();
                    self.expect(set, &Type::Set(Box::new(item.clone())));
                    item
                });
                let bound = self.pattern(pat, seen);
                if let Some(item) = set {
                    self.unify(&item, &bound, pat.span);
                }
                bound
            }
        }
    }

    fn replicated(&mut self, op: &ReplOp, stmts: &[Stmt], body: &Expr) {
        if let ReplOp::Parallel(set) | ReplOp::SyncExternal(set) = op {
            self.is_event_set(set);
        }
        let over_sets = !matches!(op, ReplOp::Sequential | ReplOp::Link(..));
        for stmt in stmts.iter().filter(|_| over_sets) {
            if let Stmt::Generator(_, Expr { kind, span, .. }) = stmt
                && let ExprKind::Seq(..) | ExprKind::SeqRange(..) = **kind
            {
                self.error(*span, "this operator ranges over a set").hint = Some("write set(s), or {...}".into());
                return;
            }
        }
        self.scoped(|c| {
            c.statements(stmts, over_sets);
            match op {
                ReplOp::Alphabetised(set) => c.is_event_set(set),
                ReplOp::Link(pairs, inner) => c.scoped(|c| {
                    c.statements(inner, true);
                    c.event_pairs(pairs);
                }),
                _ => {}
            }
            c.is_process(body);
        });
    }
}
