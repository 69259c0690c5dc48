//! Questions and what follows from their answers.
use super::compiler::Compiler;
use super::operator::{compare, found, has_member};
use super::{Eval, Place, Test};
use crate::code::Code;
use crate::value::{Builtin, Value};

impl Compiler {
    /// A condition.
    pub fn test(&mut self, code: &Code) -> Test {
        match code {
            Code::Const(Value::Bool(value)) => constant(*value),
            Code::Present(slot) if self.is_present(*slot) => constant(true),
            Code::Present(slot) => {
                let place = self.place_of(*slot);
                Box::new(move |ctx| Ok(!ctx.get(&place).is_absent()))
            }
            Code::Op1(Builtin::Not, inner) => {
                let inner = self.test(inner);
                Box::new(move |ctx| inner(ctx).map(|value| !value))
            }
            Code::And(parts) => {
                let first = self.test(&parts[0]);
                let second = self.assuming(&self.given(&parts[0], true), |inner| inner.test(&parts[1]));
                Box::new(move |ctx| Ok(first(ctx)? && second(ctx)?))
            }
            Code::Or(parts) => {
                let first = self.test(&parts[0]);
                let second = self.assuming(&self.given(&parts[0], false), |inner| inner.test(&parts[1]));
                Box::new(move |ctx| Ok(first(ctx)? || second(ctx)?))
            }
            Code::Op2(op, args) => self.question(*op, args, code),
            Code::Let(slot, parts) => match self.test_under_other_name(*slot, parts) {
                Some(test) => test,
                None => self.any_test(code),
            },
            other => self.any_test(other),
        }
    }

    /// A question that an operator answers.
    fn question(&mut self, op: Builtin, args: &[Code; 2], code: &Code) -> Test {
        match op {
            Builtin::Eq => self.binary(args, |a, b| compare(a, b, |a, b| a == b, |a, b| a == b)),
            Builtin::Neq => self.binary(args, |a, b| compare(a, b, |a, b| a != b, |a, b| a != b)),
            Builtin::SetContains | Builtin::MapContains => self.binary(args, has_member),
            _ => self.any_test(code),
        }
    }

    /// A condition whose value has to be computed first.
    fn any_test(&mut self, code: &Code) -> Test {
        if let Some(place) = self.place(code) {
            return Box::new(move |ctx| answer(ctx.get(&place)));
        }
        let eval = self.eval(code);
        Box::new(move |ctx| answer(&eval(ctx)))
    }

    /// The locals that surely have a value if a condition has this answer.
    fn given(&self, cond: &Code, answer: bool) -> Vec<u32> {
        match (cond, answer) {
            (Code::Present(slot), true) => vec![*slot],
            (Code::Op1(Builtin::Not, inner), _) => self.given(inner, !answer),
            (Code::And(parts), true) | (Code::Or(parts), false) => {
                parts.iter().flat_map(|part| self.given(part, answer)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a condition is, if it is known before anything runs.
    fn decided(&self, cond: &Code) -> Option<bool> {
        match cond {
            Code::Const(Value::Bool(value)) => Some(*value),
            Code::Present(slot) if self.is_present(*slot) => Some(true),
            Code::Op1(Builtin::Not, inner) => self.decided(inner).map(|value| !value),
            Code::And(parts) => match (self.decided(&parts[0]), self.decided(&parts[1])) {
                (Some(false), _) => Some(false),
                (Some(true), second) => second,
                _ => None,
            },
            Code::Or(parts) => match (self.decided(&parts[0]), self.decided(&parts[1])) {
                (Some(true), _) => Some(true),
                (Some(false), second) => second,
                _ => None,
            },
            _ => None,
        }
    }

    /// One of two parts; a condition that fails is passed on as `failed` says.
    pub fn branch(&mut self, parts: &[Code; 3], failed: fn(Value) -> Value) -> Eval {
        let [cond, then, other] = parts;
        match self.decided(cond) {
            Some(true) => return self.eval(then),
            Some(false) => return self.eval(other),
            None => {}
        }
        let (cond, then, other) = match cond {
            Code::Op1(Builtin::Not, inner) => (&**inner, other, then),
            cond => (cond, then, other),
        };
        if let Some(lookup) = self.lookup(cond, then, other, failed) {
            return lookup;
        }
        let test = self.test(cond);
        let then = self.assuming(&self.given(cond, true), |inner| inner.eval(then));
        let other = self.assuming(&self.given(cond, false), |inner| inner.eval(other));
        Box::new(move |ctx| match test(ctx) {
            Ok(true) => then(ctx),
            Ok(false) => other(ctx),
            Err(failure) => failed(Value::Error(failure)),
        })
    }

    /// `if Map.contains(m, k) then … Map.get(m, k) … else …` looks the key up once.
    fn lookup(&mut self, cond: &Code, then: &Code, other: &Code, failed: fn(Value) -> Value) -> Option<Eval> {
        let Code::Op2(Builtin::MapContains, args) = cond else { return None };
        let (map, key) = (self.place(&args[0])?, self.place(&args[1])?);
        let slot = match then {
            Code::Let(slot, parts) if self.gets(&parts[0], &map, &key) => Some((*slot, &parts[1])),
            then if self.gets(then, &map, &key) => None,
            _ => return None,
        };
        let bound = slot.map(|(slot, body)| self.with_local(slot, body));
        let other = self.eval(other);
        Some(Box::new(move |ctx| {
            let value = match found(ctx.get(&map), ctx.get(&key)) {
                Ok(Some(value)) => value.clone(),
                Ok(None) => return other(ctx),
                Err(failure) => return failed(Value::Error(failure)),
            };
            match &bound {
                Some((slot, body)) => ctx.with(*slot, value, body),
                None => value,
            }
        }))
    }

    /// Whether code is the value of this key in this map.
    fn gets(&self, code: &Code, map: &Place, key: &Place) -> bool {
        let Code::Op2(Builtin::MapGet, args) = code else { return false };
        self.place(&args[0]).as_ref() == Some(map) && self.place(&args[1]).as_ref() == Some(key)
    }
}

fn constant(value: bool) -> Test {
    Box::new(move |_| Ok(value))
}

#[inline(always)]
fn answer(value: &Value) -> Result<bool, std::rc::Rc<crate::value::Failure>> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::Error(failure) => Err(failure.clone()),
        other => unreachable!("conditions are checked by type, not {other:?}"),
    }
}
