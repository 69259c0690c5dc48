//! Constraints: answered when enough is known, kept when not.

use super::{Checker, Class, Constraint, Type};
use crate::source::Span;

impl Checker<'_> {
    /// Answers every constraint it can, until none makes progress.
    pub(super) fn solve(&mut self) {
        loop {
            let before = self.constraints.len();
            let mut progress = false;
            if self.is_expired() {
                return;
            }
            for constraint in std::mem::take(&mut self.constraints) {
                match self.attempt(&constraint, false) {
                    true => progress = true,
                    false => self.constraints.push(constraint),
                }
            }
            if !progress || (self.constraints.is_empty() && before == 0) {
                return;
            }
        }
    }

    /// Answers the dots whose left side is known but whose extent is not: one field a variable.
    pub(super) fn settle(&mut self) {
        self.solve();
        loop {
            let guess = self.constraints.iter().position(|c| match c {
                Constraint::Dot { left, .. } => matches!(self.resolve(left), Type::Dotable(..)),
                _ => false,
            });
            let Some(at) = guess else { return };
            let constraint = self.constraints.remove(at);
            self.attempt(&constraint, true);
            self.solve();
        }
    }

    /// True if the constraint is answered, well or badly.
    fn attempt(&mut self, constraint: &Constraint, guess: bool) -> bool {
        match constraint {
            Constraint::Class(class, ty, span) => self.class(*class, ty, *span),
            Constraint::Dot { left, row, result, span } => self.dot(left, row, result, *span, guess),
            Constraint::Yields { of, to, span } => match self.resolve(of) {
                Type::Var(_) => false,
                known => {
                    let whole = self.yielded(&known);
                    self.unify(to, &whole, *span);
                    true
                }
            },
        }
    }

    /// What a type becomes once it has all its fields.
    pub(super) fn yielded(&self, ty: &Type) -> Type {
        let mut ty = self.resolve(ty);
        loop {
            match ty {
                Type::Dotable(_, result) => ty = self.resolve(&result),
                Type::Dot(a, b) => return Type::Dot(a, Box::new(self.yielded(&b))),
                other => return other,
            }
        }
    }

    fn class(&mut self, class: Class, ty: &Type, span: Span) -> bool {
        let root = self.root(ty);
        let ty = self.resolve(ty);
        if !matches!(ty, Type::Var(_))
            && let Some(root) = root
            && !self.classified.insert((class, root))
        {
            return true;
        }
        let belongs = match (&ty, class) {
            (Type::Var(_), _) => return false,
            (Type::Rigid(_, id), _) => class == Class::Complete || self.given.contains(&(class, *id)),
            (Type::Function(..), Class::Eq | Class::Ord | Class::Set) => false,
            (Type::Proc, Class::Eq | Class::Ord | Class::Set) => false,
            (Type::Bool | Type::Event | Type::Data(_) | Type::Dot(..) | Type::Dotable(..), Class::Ord) => false,
            (Type::Dotable(..), Class::Complete) => false,
            _ => true,
        };
        if !belongs {
            self.class_error(class, &ty, span);
            return true;
        }
        if class == Class::Complete {
            return true;
        }
        let inner = if class == Class::Ord && matches!(ty, Type::Set(_) | Type::Seq(_)) { Class::Eq } else { class };
        let parts: Vec<Type> = match ty {
            Type::Set(a) | Type::Seq(a) => vec![*a],
            Type::Map(a, b) | Type::Dot(a, b) => vec![*a, *b],
            Type::Tuple(items) => items,
            _ => Vec::new(),
        };
        for part in parts {
            self.constraints.push(Constraint::Class(inner, part, span));
        }
        true
    }

    fn class_error(&mut self, class: Class, ty: &Type, span: Span) {
        let shown = self.show(ty);
        let (message, hint) = match class {
            Class::Eq => (format!("values of type {shown} cannot be compared"), "compare what they are made from"),
            Class::Ord => (
                format!("values of type {shown} have no order"),
                "only numbers, characters, sets, sequences, tuples and maps do",
            ),
            Class::Set => (
                format!("values of type {shown} cannot be in a set"),
                "functions and processes cannot; put what they depend on into the set",
            ),
            Class::Complete => (format!("a value of type {shown} waits for more fields"), "give the missing fields"),
        };
        self.error(span, message).hint = Some(hint.into());
    }
}
