//! General types: what is the same for all types of some variables.

use super::{Checker, Constraint, Type};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug)]
pub struct Scheme {
    pub vars: Vec<u32>,
    pub constraints: Vec<Constraint>,
    pub ty: Type,
}

impl Scheme {
    pub fn plain(ty: Type) -> Scheme {
        Scheme { vars: Vec::new(), constraints: Vec::new(), ty }
    }
}

/// A copy of types with some variables replaced. What does not mention them is shared, not copied, and what is used
/// several times is copied once.
struct Copy<'a, 'b> {
    checker: &'a mut Checker<'b>,
    map: FxHashMap<u32, Type>,
}

impl Copy<'_, '_> {
    fn of(&mut self, ty: &Type) -> Type {
        let mut one = |t: &Type| Box::new(self.of(t));
        match ty {
            Type::Var(_) => self.variable(ty),
            Type::Set(a) => Type::Set(one(a)),
            Type::Seq(a) => Type::Seq(one(a)),
            Type::Map(a, b) => Type::Map(one(a), one(b)),
            Type::Dot(a, b) => Type::Dot(one(a), one(b)),
            Type::Dotable(a, b) => Type::Dotable(one(a), one(b)),
            Type::Tuple(items) => Type::Tuple(items.iter().map(|t| self.of(t)).collect()),
            Type::Function(args, to) => {
                let args = args.iter().map(|t| self.of(t)).collect();
                Type::Function(args, Box::new(self.of(to)))
            }
            other => other.clone(),
        }
    }

    fn variable(&mut self, ty: &Type) -> Type {
        let Type::Var(written) = ty else { return ty.clone() };
        // Variables of the prelude are no variables of the checker.
        if let Some(copy) = self.map.get(written) {
            return copy.clone();
        }
        let Some(v) = self.checker.root(ty) else { return ty.clone() };
        if self.checker.is_expired() {
            return Type::Var(v);
        }
        if let Some(copy) = self.map.get(&v) {
            return copy.clone();
        }
        let Some(bound) = self.checker.bindings[v as usize].clone() else { return Type::Var(v) };
        let inner = self.of(&bound);
        let copy = if inner == bound { Type::Var(v) } else { self.checker.known(inner) };
        self.map.insert(v, copy.clone());
        copy
    }
}

impl Checker<'_> {
    /// A variable that stands for a type.
    fn known(&mut self, ty: Type) -> Type {
        let fresh = self.fresh();
        if let Type::Var(v) = fresh {
            self.bindings[v as usize] = Some(ty);
        }
        fresh
    }

    /// A copy with fresh variables; its constraints are asked of the place where it is used.
    pub(super) fn instantiate(&mut self, scheme: &Scheme, at: Span) -> Type {
        if scheme.vars.is_empty() {
            return scheme.ty.clone();
        }
        let map: FxHashMap<u32, Type> = scheme.vars.iter().map(|&v| (v, self.fresh())).collect();
        let mut copy = Copy { checker: self, map };
        let mut constraints = Vec::new();
        for constraint in &scheme.constraints {
            constraints.push(match constraint {
                Constraint::Class(class, ty, _) => Constraint::Class(*class, copy.of(ty), at),
                Constraint::Dot { left, row, result, .. } => Constraint::Dot {
                    left: copy.of(left),
                    row: row.iter().map(|t| copy.of(t)).collect(),
                    result: copy.of(result),
                    span: at,
                },
                Constraint::Yields { of, to, .. } => Constraint::Yields { of: copy.of(of), to: copy.of(to), span: at },
            });
        }
        let ty = copy.of(&scheme.ty);
        self.constraints.extend(constraints);
        ty
    }

    /// Makes the variables that only this definition knows general, with the constraints on them.
    pub(super) fn generalise(&mut self, types: &[Type]) -> Vec<Scheme> {
        let kept = self.split_constraints();
        let mut found = Found::default();
        types.iter().for_each(|t| self.general_vars(t, &mut found));
        for constraint in &kept {
            constraint_types(constraint).into_iter().for_each(|t| self.general_vars(t, &mut found));
        }
        found.vars.sort_unstable();
        found.vars.dedup();
        let scheme = |ty: &Type| Scheme { vars: found.vars.clone(), constraints: kept.clone(), ty: ty.clone() };
        types.iter().map(scheme).collect()
    }

    /// Takes out the constraints that mention a variable of this level.
    fn split_constraints(&mut self) -> Vec<Constraint> {
        let all = std::mem::take(&mut self.constraints);
        let mut kept = Vec::new();
        for constraint in all {
            let mut found = Found::default();
            constraint_types(&constraint).into_iter().for_each(|t| self.general_vars(t, &mut found));
            if found.vars.is_empty() {
                self.constraints.push(constraint);
            } else {
                kept.push(constraint);
            }
        }
        kept
    }

    fn general_vars(&mut self, ty: &Type, found: &mut Found) {
        if let Some(v) = self.root(ty)
            && (!found.seen.insert(v) || self.is_expired())
        {
            return;
        }
        match self.resolve(ty) {
            Type::Var(v) if self.levels[v as usize] > self.level => found.vars.push(v),
            Type::Set(a) | Type::Seq(a) => self.general_vars(&a, found),
            Type::Map(a, b) | Type::Dot(a, b) | Type::Dotable(a, b) => {
                self.general_vars(&a, found);
                self.general_vars(&b, found);
            }
            Type::Tuple(items) => items.iter().for_each(|t| self.general_vars(t, found)),
            Type::Function(args, to) => {
                args.iter().for_each(|t| self.general_vars(t, found));
                self.general_vars(&to, found);
            }
            _ => {}
        }
    }
}

/// Variables that can be made general, and those that were looked at.
#[derive(Default)]
struct Found {
    vars: Vec<u32>,
    seen: FxHashSet<u32>,
}

fn constraint_types(constraint: &Constraint) -> Vec<&Type> {
    match constraint {
        Constraint::Class(_, ty, _) => vec![ty],
        Constraint::Dot { left, row, result, .. } => [left, result].into_iter().chain(row).collect(),
        Constraint::Yields { of, to, .. } => vec![of, to],
    }
}
