//! What each kind of declaration says of the types of its names.

use super::{Checker, Type};
use crate::source::Span;
use crate::syntax::*;

impl Checker<'_> {
    pub(super) fn declaration(&mut self, decl: &Decl, names: &[(Symbol, Type)]) {
        let of = |name: Symbol| names.iter().find(|(n, _)| *n == name).map(|(_, t)| t.clone());
        match &decl.kind {
            DeclKind::Function(name, clauses) => {
                if let Some(ty) = of(*name) {
                    clauses.iter().for_each(|clause| self.clause(clause, &ty));
                }
            }
            DeclKind::Pattern(pat, e) => self.pattern_declaration(pat, e, names),
            DeclKind::Channel(channels, ty) => {
                for (name, span) in channels {
                    let ty = self.waiting_for(ty.as_ref(), Type::Event);
                    if let Some(known) = of(*name) {
                        self.unify(&known, &ty, *span);
                    }
                }
            }
            DeclKind::Datatype(name, ctors) => {
                for c in ctors {
                    let ty = self.waiting_for(c.of.as_ref(), Type::Data(*name));
                    if let Some(known) = of(c.name) {
                        self.unify(&known, &ty, c.span);
                    }
                }
                if let Some(known) = of(*name) {
                    self.unify(&known, &Type::Set(Box::new(Type::Data(*name))), decl.span);
                }
            }
            DeclKind::Subtype(name, ctors) => self.subtype(of(*name), ctors),
            DeclKind::Nametype(name, e) => {
                let ty = Type::Set(Box::new(self.type_set(e)));
                if let Some(known) = of(*name) {
                    self.unify(&known, &ty, decl.span);
                }
            }
            _ => {}
        }
    }

    fn subtype(&mut self, known: Option<Type>, ctors: &[Constructor]) {
        for c in ctors {
            let Some(ty) = self.constructors.get(&c.name).cloned() else {
                let text = self.name(c.name);
                self.error(c.span, format!("{text} is not a constructor")).hint =
                    Some("a subtype lists constructors of one datatype".into());
                continue;
            };
            let whole = self.yielded(&ty);
            // A bare constructor stands for all of its values.
            if c.of.is_some() {
                let found = self.waiting_for(c.of.as_ref(), whole.clone());
                self.unify(&ty, &found, c.span);
            }
            if let Some(known) = &known {
                self.unify(known, &Type::Set(Box::new(whole)), c.span);
            }
        }
    }

    fn waiting_for(&mut self, fields: Option<&Expr>, result: Type) -> Type {
        match fields {
            None => result,
            Some(e) => Type::Dotable(Box::new(self.type_set(e)), Box::new(result)),
        }
    }

    /// The type of the values of a type expression: its dots and tuples are products of sets.
    fn type_set(&mut self, expr: &Expr) -> Type {
        match &*expr.kind {
            ExprKind::Dot(a, b) => {
                let first = self.type_set(a);
                Type::Dot(Box::new(first), Box::new(self.type_set(b)))
            }
            ExprKind::Tuple(items) => Type::Tuple(items.iter().map(|e| self.type_set(e)).collect()),
            _ => {
                let item = self.fresh();
                self.expect(expr, &Type::Set(Box::new(item.clone())));
                item
            }
        }
    }

    fn clause(&mut self, clause: &Clause, ty: &Type) {
        self.scoped(|c| {
            let mut seen = Vec::new();
            let mut rest = ty.clone();
            for group in &clause.params {
                let found: Vec<Type> = group.iter().map(|p| c.pattern(p, &mut seen)).collect();
                rest = c.parameters(rest, group, found, clause.span);
            }
            let body = c.infer(&clause.body);
            c.solve();
            c.unify(&rest, &body, clause.body.span);
        });
    }

    /// Takes one group of parameters off a function's type.
    fn parameters(&mut self, ty: Type, group: &[Pat], found: Vec<Type>, span: Span) -> Type {
        if let Type::Function(wanted, to) = self.resolve(&ty)
            && wanted.len() == found.len()
        {
            for ((wanted, found), pat) in wanted.iter().zip(&found).zip(group) {
                self.solve();
                self.unify(wanted, found, pat.span);
            }
            return *to;
        }
        let to = self.fresh();
        let span = group.iter().map(|p| p.span).reduce(Span::to).unwrap_or(span);
        self.unify(&ty, &Type::Function(found, Box::new(to.clone())), span);
        to
    }

    fn pattern_declaration(&mut self, pat: &Pat, e: &Expr, names: &[(Symbol, Type)]) {
        let bound = self.scoped(|c| {
            let ty = c.bind_pattern(pat);
            for (name, known) in names {
                let found =
                    c.scopes.last().and_then(|s| s.names.iter().find(|(n, _)| n == name).map(|(_, s)| s.ty.clone()));
                if let Some(found) = found {
                    c.unify(known, &found, pat.span);
                }
            }
            ty
        });
        self.expect(e, &bound);
    }

    /// Declarations that bind nothing.
    pub(super) fn leaf_declaration(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Assert(a) => self.assertion(a),
            DeclKind::Print(e) => drop(self.infer(e)),
            DeclKind::Annotation(names, _) => {
                for (name, span) in names {
                    if !self.globals.contains_key(name) {
                        self.undefined(*name, *span);
                    }
                }
            }
            _ => {}
        }
        self.settle();
    }

    fn assertion(&mut self, a: &Assertion) {
        match &a.claim {
            Claim::Refines { spec, implementation, .. } => {
                self.expect(spec, &Type::Proc);
                self.expect(implementation, &Type::Proc);
            }
            Claim::DeadlockFree(p, _) | Claim::DivergenceFree(p) | Claim::Deterministic(p, _) => {
                self.expect(p, &Type::Proc);
            }
            Claim::HasTrace { process, trace, .. } => {
                self.expect(process, &Type::Proc);
                self.expect(trace, &Type::Seq(Box::new(Type::Event)));
            }
        }
        if let Some(set) = &a.options.tau_priority {
            self.expect(set, &Type::Set(Box::new(Type::Event)));
        }
    }
}
