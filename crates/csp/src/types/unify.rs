//! Making two types equal.
//!
//! A type may use a part of itself many times over: each use is then a variable, and every walk here visits a variable
//! once. That keeps pairs of pairs of pairs as small as they are written.

use super::{Checker, Type};
use crate::source::Span;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// The variable a type is known through, at the end of its chain.
    pub(super) fn root(&self, ty: &Type) -> Option<u32> {
        let &Type::Var(mut v) = ty else { return None };
        // Variables of the prelude's types are numbered beyond those of scripts.
        self.bindings.get(v as usize)?;
        while let Some(Type::Var(next)) = &self.bindings[v as usize] {
            v = *next;
        }
        Some(v)
    }

    /// What is known of a type, at its top.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let known = match self.root(ty) {
            Some(v) => self.bindings[v as usize].clone().unwrap_or(Type::Var(v)),
            None => ty.clone(),
        };
        match known {
            // A field that is itself a row is as many fields.
            Type::Dotable(arg, result) => match self.resolve(&arg) {
                Type::Dot(a, b) => Type::Dotable(a, Box::new(Type::Dotable(b, result))),
                _ => Type::Dotable(arg, result),
            },
            other => other,
        }
    }

    /// Makes two types equal or reports that they are not.
    pub(super) fn unify(&mut self, wanted: &Type, found: &Type, span: Span) -> bool {
        if self.try_unify(wanted, found) {
            return true;
        }
        let hint = self.mismatch_hint(wanted, found);
        let message = format!("expected {}, found {}", self.show(wanted), self.show(found));
        self.error(span, message).hint = hint;
        false
    }

    fn mismatch_hint(&self, wanted: &Type, found: &Type) -> Option<String> {
        match (self.resolve(wanted), self.resolve(found)) {
            (Type::Rigid(name, _), _) | (_, Type::Rigid(name, _)) => {
                Some(format!("the annotation says that {} may be any type", self.name(name)))
            }
            (Type::Event, Type::Dotable(..)) => Some("the event needs more fields: give them with . ! or ?".into()),
            (Type::Set(a), Type::Set(b))
                if self.resolve(&a) == Type::Event && matches!(self.resolve(&b), Type::Dotable(..)) =>
            {
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
        let (left, right) = (self.root(a), self.root(b));
        // Once the time is up, all types fit, so that only the limit is reported.
        if left.is_some() && left == right || self.is_expired() {
            return true;
        }
        let (a, b) = (self.resolve(a), self.resolve(b));
        let same = match (&a, &b) {
            (Type::Var(v), _) => return self.bind(*v, &right.map_or_else(|| b.clone(), Type::Var)),
            (_, Type::Var(v)) => return self.bind(*v, &left.map_or_else(|| a.clone(), Type::Var)),
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
        };
        if let (true, Some(left), Some(right)) = (same, left, right) {
            // From now on they are one, and are not compared again.
            self.bindings[left as usize] = Some(Type::Var(right));
        }
        same
    }

    fn bind(&mut self, var: u32, ty: &Type) -> bool {
        if !self.adjust(var, ty, &mut FxHashSet::default()) {
            return false;
        }
        self.bindings[var as usize] = Some(ty.clone());
        true
    }

    /// Refuses a type that contains the variable, and lowers the levels of those it does contain.
    fn adjust(&mut self, var: u32, ty: &Type, seen: &mut FxHashSet<u32>) -> bool {
        if let Some(v) = self.root(ty) {
            if v == var {
                return false;
            }
            if !seen.insert(v) || self.is_expired() {
                return true;
            }
            let level = self.levels[var as usize].min(self.levels[v as usize]);
            self.levels[v as usize] = level;
        }
        match self.resolve(ty) {
            Type::Set(a) | Type::Seq(a) => self.adjust(var, &a, seen),
            Type::Map(a, b) | Type::Dot(a, b) | Type::Dotable(a, b) => {
                self.adjust(var, &a, seen) && self.adjust(var, &b, seen)
            }
            Type::Tuple(items) => items.iter().all(|t| self.adjust(var, t, seen)),
            Type::Function(args, to) => args.iter().all(|t| self.adjust(var, t, seen)) && self.adjust(var, &to, seen),
            _ => true,
        }
    }
}
