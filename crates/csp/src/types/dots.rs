//! What `a.b.c` means, as far as types know.

use super::{Checker, Constraint, Type};
use crate::source::Span;

impl Checker<'_> {
    /// The type of a row of dotted parts.
    pub(super) fn dotted(&mut self, parts: Vec<Type>, span: Span) -> Type {
        let mut parts = parts.into_iter();
        let left = parts.next().expect("a dot has a left side");
        let result = self.fresh();
        let constraint = Constraint::Dot { left, row: parts.collect(), result: result.clone(), span };
        self.constraints.push(constraint);
        self.solve();
        result
    }

    /// Answers a dot. False if too little is known; with `guess`, a last variable is taken to be one field.
    pub(super) fn dot(&mut self, left: &Type, row: &[Type], result: &Type, span: Span, guess: bool) -> bool {
        match self.resolve(left) {
            Type::Var(_) => self.is_never_dotted(result, span),
            head @ Type::Dotable(..) => self.consume(head, self.flat(row), result, span, guess),
            Type::Dot(a, b) => {
                let inner = self.fresh();
                self.constraints.push(Constraint::Dot { left: *b, row: row.to_vec(), result: inner.clone(), span });
                self.unify(result, &Type::Dot(a, Box::new(inner)), span);
                true
            }
            other => {
                let rest = self.row_type(row, span);
                self.unify(result, &Type::Dot(Box::new(other), Box::new(rest)), span);
                true
            }
        }
    }

    /// Whether the result of a dot is something that no dot gives, which is an error.
    fn is_never_dotted(&mut self, result: &Type, span: Span) -> bool {
        let known = self.resolve(result);
        if let Type::Var(_) | Type::Rigid(..) | Type::Dot(..) | Type::Dotable(..) | Type::Event | Type::Data(_) = known
        {
            return false;
        }
        let shown = self.show(&known);
        self.error(span, format!("expected several values with dots, found {shown}")).hint =
            Some("there are fewer fields than the pattern has parts".into());
        true
    }

    /// The parts of a row, with rows inside it opened.
    fn flat(&self, row: &[Type]) -> Vec<Type> {
        let mut out = Vec::new();
        for part in row {
            match self.resolve(part) {
                Type::Dot(a, b) => out.extend(self.flat(&[*a, *b])),
                other => out.push(other),
            }
        }
        out
    }

    fn row_type(&mut self, row: &[Type], span: Span) -> Type {
        match row {
            [one] => one.clone(),
            _ => {
                let result = self.fresh();
                let (left, row) = (row[0].clone(), row[1..].to_vec());
                self.constraints.push(Constraint::Dot { left, row, result: result.clone(), span });
                result
            }
        }
    }

    /// Gives the parts of a row to what waits for fields, one after the other.
    fn consume(&mut self, mut head: Type, row: Vec<Type>, result: &Type, span: Span, guess: bool) -> bool {
        let mut at = 0;
        while at < row.len() {
            let Type::Dotable(arg, after) = self.resolve(&head) else {
                let rest = self.row_type(&row[at..], span);
                if let Type::Event | Type::Data(_) = self.resolve(&head)
                    && !matches!(self.resolve(result), Type::Var(_) | Type::Dot(..))
                {
                    let shown = self.show(&rest);
                    self.error(span, format!("too many fields: {shown} is left over")).hint =
                        Some("see the declaration of the channel or constructor".into());
                    return true;
                }
                head = Type::Dot(Box::new(head), Box::new(rest));
                break;
            };
            let part = self.resolve(&row[at]);
            match part {
                Type::Var(_) if at + 1 == row.len() => {
                    let Some(fields) = self.fields_left(&Type::Dotable(arg.clone(), after.clone()), result, guess)
                    else {
                        return false;
                    };
                    let (all, end) = self.take(Type::Dotable(arg, after), fields);
                    self.unify(&all, &part, span);
                    head = end;
                }
                Type::Dotable(..) => {
                    let whole = self.yielded(&part);
                    self.unify(&arg, &whole, span);
                    head = self.graft(&part, *after);
                }
                part => {
                    if let Type::Set(_) = part
                        && !matches!(self.resolve(&arg), Type::Set(_) | Type::Var(_))
                    {
                        self.error(span, "a set stands where one value is needed").hint =
                            Some("use ?x:S to take any value of the set S".into());
                        return true;
                    }
                    self.unify(&arg, &part, span);
                    head = *after;
                }
            }
            at += 1;
        }
        self.unify(result, &head, span);
        true
    }

    /// How many fields the last variable of a row takes: what is left, if the result is known.
    fn fields_left(&self, head: &Type, result: &Type, guess: bool) -> Option<usize> {
        match self.resolve(result) {
            Type::Var(_) if guess => Some(1),
            Type::Var(_) => None,
            known => Some(self.waiting(head).saturating_sub(self.waiting(&known)).max(1)),
        }
    }

    fn waiting(&self, ty: &Type) -> usize {
        match self.resolve(ty) {
            Type::Dotable(_, after) => 1 + self.waiting(&after),
            _ => 0,
        }
    }

    /// The first fields of what waits, as one row, and what it is after them.
    fn take(&self, mut head: Type, fields: usize) -> (Type, Type) {
        let mut row = Vec::new();
        for _ in 0..fields {
            if let Type::Dotable(arg, after) = self.resolve(&head) {
                row.push(*arg);
                head = *after;
            }
        }
        let all = row.into_iter().rev().reduce(|rest, t| Type::Dot(Box::new(t), Box::new(rest)));
        (all.expect("at least one field"), head)
    }

    /// A field that itself waits for fields: they come first.
    fn graft(&self, part: &Type, after: Type) -> Type {
        match self.resolve(part) {
            Type::Dotable(arg, rest) => Type::Dotable(arg, Box::new(self.graft(&rest, after))),
            _ => after,
        }
    }
}
