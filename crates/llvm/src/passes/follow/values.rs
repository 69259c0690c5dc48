//! Which values of a function may depend on a read: the others cost nothing.

use super::call::Meaning;
use super::parse::{Form, parse, width};
use crate::function::Function;
use crate::signature::Signature;
use std::collections::HashMap;

/// The values that may have an expression, with their types.
pub struct Values(HashMap<String, String>);

impl Values {
    /// Of a function.
    pub fn of(function: &Function, signature: &Signature<'_>) -> Self {
        let mut values = Self(HashMap::new());
        for parameter in signature.parameters.iter().filter(|parameter| width(parameter.kind).is_some()) {
            values.add(parameter.name, parameter.kind);
        }
        let lines: Vec<_> = function.blocks.iter().flat_map(|block| &block.lines).map(|line| parse(line)).collect();
        loop {
            let before = values.0.len();
            for (result, form) in &lines {
                if let Some((result, kind)) = result.zip(values.kind_of(form)) {
                    values.add(result, kind);
                }
            }
            if values.0.len() == before {
                return values;
            }
        }
    }

    fn add(&mut self, name: &str, kind: &str) {
        if width(kind).is_some() && !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), kind.to_owned());
        }
    }

    /// May the value have an expression?
    pub fn has(&self, value: &str) -> bool {
        self.0.contains_key(value)
    }

    /// Its type.
    pub fn kind(&self, value: &str) -> Option<&str> {
        self.0.get(value).map(String::as_str)
    }

    /// The type of the result, if it may have an expression.
    fn kind_of<'a>(&self, form: &Form<'a>) -> Option<&'a str> {
        let followed = |any: bool, kind| any.then_some(kind);
        match form {
            Form::Load { kind, .. } => Some(kind),
            Form::Binary { op, a, b } => {
                let kind = if is_comparison(*op) { "i1" } else { a.kind };
                followed(self.has(a.value) || self.has(b), kind).filter(|_| width(a.kind).is_some())
            }
            Form::Cast { from, to, .. } => followed(self.has(from.value), to),
            Form::Select { condition, a, b } => {
                let any = [condition, a, b].iter().any(|typed| self.has(typed.value));
                followed(any && condition.kind == "i1", a.kind)
            }
            Form::Phi { kind, incoming } => followed(incoming.iter().any(|(value, _)| self.has(value)), kind),
            Form::Offset { base, .. } => followed(self.has(base), "ptr"),
            Form::Call(call) => match call.meaning() {
                Meaning::Function => Some(call.result),
                Meaning::Atomic(..) => Some(call.result),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Is the result one bit, whatever the width of the operands?
pub fn is_comparison(op: foretrace_event::symbolic::NodeOp) -> bool {
    use foretrace_event::symbolic::NodeOp;
    (NodeOp::Equal..=NodeOp::SignedLessEqual).contains(&op)
}
