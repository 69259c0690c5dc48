//! Operators: on values where they are, and with a short way for integers that fit a word.
use super::compiler::Compiler;
use super::{Ctx, Eval, Place};
use crate::code::Code;
use crate::value::builtin::{apply, apply_shared, apply2, map_add, set_operation};
use crate::value::{Builtin, Failure, Value};
use std::rc::Rc;

type Truth = Result<bool, Rc<Failure>>;

impl Compiler {
    /// A function of two values that it only looks at: those that are somewhere already stay there.
    pub fn binary<R: 'static>(
        &mut self,
        args: &[Code; 2],
        apply: impl Fn(&Value, &Value) -> R + 'static,
    ) -> Box<dyn Fn(&mut Ctx<'_>) -> R> {
        match (self.place(&args[0]), self.place(&args[1])) {
            (Some(Place::Local(a)), Some(Place::Const(b))) => Box::new(move |ctx| apply(&ctx.cells[ctx.base + a], &b)),
            (Some(Place::Stream(a)), Some(Place::Const(b))) => Box::new(move |ctx| apply(&ctx.cells[a], &b)),
            (Some(a), Some(b)) => Box::new(move |ctx| apply(ctx.get(&a), ctx.get(&b))),
            (None, Some(b)) => {
                let a = self.eval(&args[0]);
                Box::new(move |ctx| apply(&a(ctx), ctx.get(&b)))
            }
            _ => {
                let (a, b) = (self.eval(&args[0]), self.eval(&args[1]));
                Box::new(move |ctx| {
                    let a = a(ctx);
                    apply(&a, &b(ctx))
                })
            }
        }
    }

    pub fn op2(&mut self, op: Builtin, args: &[Code; 2], code: &Code) -> Eval {
        match op {
            Builtin::Eq | Builtin::Neq | Builtin::SetContains | Builtin::MapContains => self.truth(code),
            Builtin::Add => self.arithmetic(op, args, i64::checked_add),
            Builtin::Sub => self.arithmetic(op, args, i64::checked_sub),
            Builtin::Mul => self.arithmetic(op, args, i64::checked_mul),
            Builtin::Lt => self.order(op, args, |a, b| a < b),
            Builtin::Gt => self.order(op, args, |a, b| a > b),
            Builtin::Leq => self.order(op, args, |a, b| a <= b),
            Builtin::Geq => self.order(op, args, |a, b| a >= b),
            op if op.only_looks() => self.binary(args, move |a, b| apply_shared(op, a, b)),
            Builtin::SetUnion | Builtin::SetIntersection | Builtin::SetMinus => self.on_sets(op, args),
            _ => {
                let (a, b) = (self.eval(&args[0]), self.eval(&args[1]));
                Box::new(move |ctx| {
                    let a = a(ctx);
                    apply2(op, a, b(ctx))
                })
            }
        }
    }

    fn arithmetic(
        &mut self,
        op: Builtin,
        args: &[Code; 2],
        on_words: impl Fn(i64, i64) -> Option<i64> + 'static,
    ) -> Eval {
        self.binary(args, move |a, b| {
            if let (Value::Int(a), Value::Int(b)) = (a, b)
                && let Some(result) = on_words(*a, *b)
            {
                return Value::Int(result);
            }
            apply_shared(op, a, b)
        })
    }

    fn order(&mut self, op: Builtin, args: &[Code; 2], on_words: impl Fn(i64, i64) -> bool + 'static) -> Eval {
        self.binary(args, move |a, b| match (a, b) {
            (Value::Int(a), Value::Int(b)) => Value::Bool(on_words(*a, *b)),
            _ => apply_shared(op, a, b),
        })
    }

    /// Two sets, of which the second is only looked at.
    fn on_sets(&mut self, op: Builtin, args: &[Code; 2]) -> Eval {
        let a = self.eval(&args[0]);
        match self.place(&args[1]) {
            Some(b) => Box::new(move |ctx| {
                let a = a(ctx);
                set_operation(op, a, ctx.get(&b))
            }),
            None => {
                let b = self.eval(&args[1]);
                Box::new(move |ctx| {
                    let a = a(ctx);
                    set_operation(op, a, &b(ctx))
                })
            }
        }
    }

    pub fn op(&mut self, op: Builtin, args: &[Code]) -> Eval {
        let parts: Box<[Eval]> = args.iter().map(|arg| self.eval(arg)).collect();
        match (op, <Box<[Eval; 3]>>::try_from(parts)) {
            (Builtin::MapAdd, Ok(parts)) => {
                let [map, key, value] = *parts;
                Box::new(move |ctx| {
                    let (map, key) = (map(ctx), key(ctx));
                    map_add(map, key, value(ctx))
                })
            }
            (_, Ok(parts)) => any(op, parts),
            (_, Err(parts)) => any(op, parts),
        }
    }
}

/// An operator on any number of values, which may call functions.
fn any(op: Builtin, parts: Box<[Eval]>) -> Eval {
    Box::new(move |ctx| {
        let args = parts.iter().map(|part| part(ctx)).collect();
        apply(op, args, ctx)
    })
}

/// A comparison, unless one side failed.
#[inline(always)]
pub fn compare(
    a: &Value,
    b: &Value,
    words: impl Fn(i64, i64) -> bool,
    values: impl Fn(&Value, &Value) -> bool,
) -> Truth {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(words(*a, *b)),
        (Value::Error(failure), _) | (_, Value::Error(failure)) => Err(failure.clone()),
        (a, b) => Ok(values(a, b)),
    }
}

/// Whether a set or a map has a member.
pub fn has_member(table: &Value, key: &Value) -> Truth {
    match (table, key) {
        (Value::Error(failure), _) | (_, Value::Error(failure)) => Err(failure.clone()),
        (Value::Set(set), key) => Ok(set.contains(key)),
        (Value::Map(map), key) => Ok(map.contains(key)),
        (other, _) => unreachable!("tables are checked by type, not {other:?}"),
    }
}

/// The value of a key in a map.
#[inline(always)]
pub fn found<'v>(map: &'v Value, key: &Value) -> Result<Option<&'v Value>, Rc<Failure>> {
    match (map, key) {
        (Value::Error(failure), _) | (_, Value::Error(failure)) => Err(failure.clone()),
        (Value::Map(map), key) => Ok(map.get(key)),
        (other, _) => unreachable!("maps are checked by type, not {other:?}"),
    }
}
