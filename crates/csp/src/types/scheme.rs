//! General types: what is the same for all types of some variables.

use super::{Checker, Constraint, Type};
use crate::source::Span;
use rustc_hash::FxHashMap;

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

fn substitute(ty: &Type, map: &FxHashMap<u32, Type>) -> Type {
    let one = |t: &Type| Box::new(substitute(t, map));
    match ty {
        Type::Var(v) => map.get(v).cloned().unwrap_or(Type::Var(*v)),
        Type::Set(a) => Type::Set(one(a)),
        Type::Seq(a) => Type::Seq(one(a)),
        Type::Map(a, b) => Type::Map(one(a), one(b)),
        Type::Dot(a, b) => Type::Dot(one(a), one(b)),
        Type::Dotable(a, b) => Type::Dotable(one(a), one(b)),
        Type::Tuple(items) => Type::Tuple(items.iter().map(|t| substitute(t, map)).collect()),
        Type::Function(args, to) => Type::Function(args.iter().map(|t| substitute(t, map)).collect(), one(to)),
        other => other.clone(),
    }
}

impl Checker<'_> {
    /// A copy with fresh variables; its constraints are asked of the place where it is used.
    pub(super) fn instantiate(&mut self, scheme: &Scheme, at: Span) -> Type {
        if scheme.vars.is_empty() {
            return scheme.ty.clone();
        }
        let map: FxHashMap<u32, Type> = scheme.vars.iter().map(|&v| (v, self.fresh())).collect();
        for constraint in &scheme.constraints {
            let put = |t: &Type| substitute(t, &map);
            self.constraints.push(match constraint {
                Constraint::Class(class, ty, _) => Constraint::Class(*class, put(ty), at),
                Constraint::Dot { left, row, result, .. } => Constraint::Dot {
                    left: put(left),
                    row: row.iter().map(put).collect(),
                    result: put(result),
                    span: at,
                },
                Constraint::Yields { of, to, .. } => Constraint::Yields { of: put(of), to: put(to), span: at },
            });
        }
        substitute(&scheme.ty, &map)
    }

    /// Makes the variables that only this definition knows general, with the constraints on them.
    pub(super) fn generalise(&mut self, types: &[Type]) -> Vec<Scheme> {
        let kept = self.split_constraints();
        let expanded: Vec<Type> = types.iter().map(|t| self.expand(t)).collect();
        let mut vars = Vec::new();
        expanded.iter().for_each(|t| self.general_vars(t, &mut vars));
        for constraint in &kept {
            self.constraint_types(constraint).iter().for_each(|t| self.general_vars(t, &mut vars));
        }
        vars.sort_unstable();
        vars.dedup();
        let scheme = |ty| Scheme { vars: vars.clone(), constraints: kept.clone(), ty };
        expanded.into_iter().map(scheme).collect()
    }

    /// Takes out the constraints that mention a variable of this level.
    fn split_constraints(&mut self) -> Vec<Constraint> {
        let all = std::mem::take(&mut self.constraints);
        let mut kept = Vec::new();
        for constraint in all {
            let mut vars = Vec::new();
            let types = self.constraint_types(&constraint);
            types.iter().for_each(|t| self.general_vars(t, &mut vars));
            if vars.is_empty() {
                self.constraints.push(constraint);
            } else {
                kept.push(self.expanded(constraint));
            }
        }
        kept
    }

    fn expanded(&self, constraint: Constraint) -> Constraint {
        match constraint {
            Constraint::Class(c, ty, span) => Constraint::Class(c, self.expand(&ty), span),
            Constraint::Dot { left, row, result, span } => Constraint::Dot {
                left: self.expand(&left),
                row: row.iter().map(|t| self.expand(t)).collect(),
                result: self.expand(&result),
                span,
            },
            Constraint::Yields { of, to, span } => {
                Constraint::Yields { of: self.expand(&of), to: self.expand(&to), span }
            }
        }
    }

    fn constraint_types(&self, constraint: &Constraint) -> Vec<Type> {
        let types = match constraint {
            Constraint::Class(_, ty, _) => vec![ty],
            Constraint::Dot { left, row, result, .. } => [left, result].into_iter().chain(row).collect(),
            Constraint::Yields { of, to, .. } => vec![of, to],
        };
        types.into_iter().map(|t| self.expand(t)).collect()
    }

    fn general_vars(&self, ty: &Type, out: &mut Vec<u32>) {
        match ty {
            Type::Var(v) if self.levels[*v as usize] > self.level => out.push(*v),
            Type::Set(a) | Type::Seq(a) => self.general_vars(a, out),
            Type::Map(a, b) | Type::Dot(a, b) | Type::Dotable(a, b) => {
                self.general_vars(a, out);
                self.general_vars(b, out);
            }
            Type::Tuple(items) => items.iter().for_each(|t| self.general_vars(t, out)),
            Type::Function(args, to) => {
                args.iter().for_each(|t| self.general_vars(t, out));
                self.general_vars(to, out);
            }
            _ => {}
        }
    }
}
