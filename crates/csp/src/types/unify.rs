//! Making two types equal.

use super::{Checker, Type};
use crate::source::Span;

impl Checker<'_> {
    /// What is known of a type, at its top.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Var(v) = ty {
            match &self.bindings[v as usize] {
                Some(bound) => ty = bound.clone(),
                None => break,
            }
        }
        match ty {
            // A field that is itself a row is as many fields.
            Type::Dotable(arg, result) => match self.resolve(&arg) {
                Type::Dot(a, b) => Type::Dotable(a, Box::new(Type::Dotable(b, result))),
                arg => Type::Dotable(Box::new(arg), result),
            },
            other => other,
        }
    }

    /// What is known of a type, all through.
    pub(super) fn expand(&self, ty: &Type) -> Type {
        let two = |a: &Type, b: &Type| (Box::new(self.expand(a)), Box::new(self.expand(b)));
        match self.resolve(ty) {
            Type::Set(a) => Type::Set(Box::new(self.expand(&a))),
            Type::Seq(a) => Type::Seq(Box::new(self.expand(&a))),
            Type::Map(a, b) => {
                let (a, b) = two(&a, &b);
                Type::Map(a, b)
            }
            Type::Dot(a, b) => {
                let (a, b) = two(&a, &b);
                Type::Dot(a, b)
            }
            Type::Dotable(a, b) => {
                let (a, b) = two(&a, &b);
                Type::Dotable(a, b)
            }
            Type::Tuple(items) => Type::Tuple(items.iter().map(|t| self.expand(t)).collect()),
            Type::Function(args, to) => {
                Type::Function(args.iter().map(|t| self.expand(t)).collect(), Box::new(self.expand(&to)))
            }
            other => other,
        }
    }

    /// Makes two types equal or reports that they are not.
    pub(super) fn unify(&mut self, wanted: &Type, found: &Type, span: Span) -> bool {
        if self.try_unify(wanted, found) {
            return true;
        }
        let (wanted, found) = (self.expand(wanted), self.expand(found));
        let hint = self.mismatch_hint(&wanted, &found);
        let message = format!("expected {}, found {}", self.show(&wanted), self.show(&found));
        self.error(span, message).hint = hint;
        false
    }

    fn mismatch_hint(&self, wanted: &Type, found: &Type) -> Option<String> {
        match (wanted, found) {
            (Type::Event, Type::Dotable(..)) => Some("the event needs more fields: give them with . ! or ?".into()),
            (Type::Set(a), Type::Set(b)) if **a == Type::Event && matches!(**b, Type::Dotable(..)) => {
                Some("write {| c |} for all events of channel c".into())
            }
            (Type::Proc, Type::Event) => Some("put -> and a process after the event".into()),
            (Type::Set(_), Type::Seq(_)) => Some("turn a sequence into a set with set(s)".into()),
            (Type::Seq(_), Type::Set(_)) => Some("turn a set into a sequence with seq(s)".into()),
            (Type::Function(a, _), Type::Function(b, _)) if a.len() != b.len() => {
                Some(format!("it takes {} argument(s) and is given {}", b.len(), a.len()))
            }
            _ => None,
        }
    }

    pub(super) fn try_unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            (Type::Var(x), Type::Var(y)) if x == y => true,
            (Type::Var(v), other) | (other, Type::Var(v)) => self.bind(*v, other),
            (Type::Set(x), Type::Set(y)) | (Type::Seq(x), Type::Seq(y)) => self.try_unify(x, y),
            (Type::Map(k, v), Type::Map(l, w)) => self.try_unify(k, l) && self.try_unify(v, w),
            (Type::Dot(p, q), Type::Dot(r, s)) | (Type::Dotable(p, q), Type::Dotable(r, s)) => {
                self.try_unify(p, r) && self.try_unify(q, s)
            }
            (Type::Tuple(x), Type::Tuple(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(s, t)| self.try_unify(s, t))
            }
            (Type::Function(x, s), Type::Function(y, t)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(s, t)| self.try_unify(s, t)) && self.try_unify(s, t)
            }
            _ => a == b,
        }
    }

    fn bind(&mut self, var: u32, ty: &Type) -> bool {
        if !self.adjust(var, ty) {
            return false;
        }
        self.bindings[var as usize] = Some(ty.clone());
        true
    }

    /// Refuses a type that contains the variable, and lowers the levels of those it does contain.
    fn adjust(&mut self, var: u32, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Var(v) if v == var => false,
            Type::Var(v) => {
                let level = self.levels[var as usize].min(self.levels[v as usize]);
                self.levels[v as usize] = level;
                true
            }
            Type::Set(a) | Type::Seq(a) => self.adjust(var, &a),
            Type::Map(a, b) | Type::Dot(a, b) | Type::Dotable(a, b) => self.adjust(var, &a) && self.adjust(var, &b),
            Type::Tuple(items) => items.iter().all(|t| self.adjust(var, t)),
            Type::Function(args, to) => args.iter().all(|t| self.adjust(var, t)) && self.adjust(var, &to),
            _ => true,
        }
    }
}
