//! The types of patterns, and of what they bind.

use super::{Checker, Type};
use crate::syntax::*;

impl Checker<'_> {
    /// The type a pattern matches; its variables are declared in the scope at hand.
    pub(super) fn bind_pattern(&mut self, pat: &Pat) -> Type {
        let mut seen = Vec::new();
        self.pattern(pat, &mut seen)
    }

    pub(super) fn pattern(&mut self, pat: &Pat, seen: &mut Vec<Symbol>) -> Type {
        match &pat.kind {
            PatKind::Wildcard => self.fresh(),
            PatKind::Int(_) => Type::Int,
            PatKind::Char(_) => Type::Char,
            PatKind::Bool(_) => Type::Bool,
            PatKind::Name(name) => self.name_pattern(*name, pat, seen),
            PatKind::Tuple(items) => Type::Tuple(items.iter().map(|p| self.pattern(p, seen)).collect()),
            PatKind::Seq(items) => {
                let item = self.fresh();
                for p in items {
                    let found = self.pattern(p, seen);
                    self.solve();
                    self.unify(&item, &found, p.span);
                }
                Type::Seq(Box::new(item))
            }
            PatKind::Concat(a, b) => {
                let item = self.fresh();
                let seq = Type::Seq(Box::new(item));
                for p in [a, b] {
                    let found = self.pattern(p, seen);
                    self.unify(&seq, &found, p.span);
                }
                seq
            }
            PatKind::EmptySet => Type::Set(Box::new(self.fresh())),
            PatKind::Singleton(p) => Type::Set(Box::new(self.pattern(p, seen))),
            PatKind::Dot(..) => {
                let mut parts = Vec::new();
                flatten_dots(pat, &mut parts);
                let types: Vec<Type> = parts.into_iter().map(|p| self.pattern(p, seen)).collect();
                let head = types[0].clone();
                let result = self.dotted(types, pat.span);
                // The last variable takes the rest of the dot.
                if let (Type::Var(_), Type::Dotable(..)) = (self.resolve(&result), self.resolve(&head)) {
                    let whole = self.yielded(&head);
                    self.try_unify(&result, &whole);
                    self.solve();
                }
                result
            }
            PatKind::Both(a, b) => {
                let first = self.pattern(a, seen);
                let second = self.pattern(b, seen);
                self.unify(&first, &second, pat.span);
                first
            }
        }
    }

    fn name_pattern(&mut self, name: Symbol, pat: &Pat, seen: &mut Vec<Symbol>) -> Type {
        if let Some(ty) = self.constructors.get(&name) {
            return ty.clone();
        }
        if seen.contains(&name) {
            let text = self.name(name);
            self.error(pat.span, format!("{text} is bound twice in one pattern")).hint =
                Some("use two names and compare them".into());
        }
        seen.push(name);
        let ty = self.fresh();
        self.declare(name, ty.clone());
        ty
    }
}
