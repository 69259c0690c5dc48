//! Unification: making two types equal by finding out what is unknown in them.
use crate::ty::{Scheme, Ty};
use std::rc::Rc;

/// What has been inferred for type variables.
#[derive(Default)]
pub struct Unifier {
    known: Vec<Option<Ty>>,
    next_param: u32,
}

impl Unifier {
    pub fn fresh(&mut self) -> Ty {
        self.known.push(None);
        Ty::Var(self.known.len() as u32 - 1)
    }

    /// A number for a new type parameter.
    pub fn param(&mut self) -> u32 {
        self.next_param += 1;
        self.next_param
    }

    /// The type as far as its outermost constructor is known.
    pub fn head(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Var(index) = ty {
            match &self.known[index as usize] {
                Some(known) => ty = known.clone(),
                None => break,
            }
        }
        ty
    }

    /// The type with everything filled in that is known.
    pub fn zonk(&self, ty: &Ty) -> Ty {
        ty.map(&mut |part| match part {
            Ty::Var(index) => self.known[*index as usize].as_ref().map(|known| self.zonk(known)),
            _ => None,
        })
    }

    /// The type of one use of a definition.
    pub fn instantiate(&mut self, scheme: &Scheme) -> (Ty, Vec<Ty>) {
        let fresh: Vec<Ty> = scheme.params.iter().map(|_| self.fresh()).collect();
        let ty = substitute(&scheme.ty, &scheme.params, &fresh);
        (ty, fresh)
    }

    /// Makes the types equal; false if they differ, with what was inferred up to then.
    pub fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.head(a), self.head(b));
        match (&a, &b) {
            (Ty::Var(x), Ty::Var(y)) if x == y => true,
            (Ty::Var(x), other) | (other, Ty::Var(x)) => self.bind(*x, other),
            (Ty::Param(x, _), Ty::Param(y, _)) => x == y,
            (Ty::Events(a), Ty::Events(b))
            | (Ty::Option(a), Ty::Option(b))
            | (Ty::List(a), Ty::List(b))
            | (Ty::Set(a), Ty::Set(b)) => self.unify(a, b),
            (Ty::Map(a), Ty::Map(b)) => self.unify(&a.0, &b.0) && self.unify(&a.1, &b.1),
            (Ty::Tuple(a), Ty::Tuple(b)) => self.unify_all(a, b),
            (Ty::Record(a), Ty::Record(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0 == b.0 && self.unify(&a.1, &b.1))
            }
            (Ty::Fun(a), Ty::Fun(b)) => self.unify_all(&a.params, &b.params) && self.unify(&a.result, &b.result),
            (a, b) => a == b,
        }
    }

    fn unify_all(&mut self, a: &[Ty], b: &[Ty]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(a, b))
    }

    fn bind(&mut self, var: u32, ty: &Ty) -> bool {
        let full = self.zonk(ty);
        if full.any(&mut |part| matches!(part, Ty::Var(v) if *v == var)) {
            return false;
        }
        self.known[var as usize] = Some(full);
        true
    }
}

/// Replaces type parameters.
pub fn substitute(ty: &Ty, params: &[(u32, Rc<str>)], args: &[Ty]) -> Ty {
    ty.map(&mut |part| match part {
        Ty::Param(id, _) => params.iter().position(|(p, _)| p == id).map(|at| args[at].clone()),
        _ => None,
    })
}
