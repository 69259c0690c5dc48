//! The interpreter of functions on values: the code as it is written, part by part. The engine's compiled functions are
//! tested against it.
use crate::code::{Code, Func};
use crate::value::builtin::{Host, apply, apply1, apply2, chosen};
use crate::value::{Fields, Function, Items, Value};
use std::rc::Rc;

/// The most nested calls; deeper recursion is taken to have no end.
const MAX_DEPTH: usize = 20_000;

/// Runs a function on arguments; failures are values.
pub fn run(funcs: &[Func], func: u32, args: impl Iterator<Item = Value>) -> Value {
    Frame { funcs, locals: Vec::new(), captures: &[], own: func, depth: 0 }.start(args)
}

/// One running function.
struct Frame<'f> {
    funcs: &'f [Func],
    locals: Vec<Value>,
    captures: &'f [Value],
    own: u32,
    depth: usize,
}

impl Frame<'_> {
    fn start(mut self, args: impl Iterator<Item = Value>) -> Value {
        let func = &self.funcs[self.own as usize];
        self.locals = args.collect();
        self.locals.resize(func.locals as usize, Value::Absent);
        self.eval(&func.body)
    }

    fn local(&self, slot: u32) -> Value {
        self.locals[slot as usize].clone()
    }

    fn all(&mut self, parts: &[Code]) -> Vec<Value> {
        parts.iter().map(|part| self.eval(part)).collect()
    }

    fn eval(&mut self, code: &Code) -> Value {
        match code {
            Code::Const(value) => value.clone(),
            Code::Local { slot, .. } => self.local(*slot),
            Code::Boxed { slot, .. } => match self.local(*slot) {
                Value::Absent => Value::None,
                value => Value::some(value),
            },
            Code::Unwrap { slot, .. } => match self.local(*slot) {
                Value::Absent => Value::error("getSome of None"),
                value => value,
            },
            Code::Present(slot) => Value::Bool(!self.local(*slot).is_absent()),
            Code::Captured(index) => self.captures[*index as usize].clone(),
            Code::Own => Value::Fun(Rc::new(Function::Code(self.own, self.captures.into()))),
            Code::If(parts) => match self.eval(&parts[0]) {
                Value::Bool(truth) => self.eval(&parts[if truth { 1 } else { 2 }]),
                failed => failed,
            },
            Code::Choose(parts) => match self.eval(&parts[0]) {
                Value::Bool(truth) => self.eval(&parts[if truth { 1 } else { 2 }]),
                failed => failed.into_unknown(),
            },
            Code::And(parts) => match self.eval(&parts[0]) {
                Value::Bool(true) => self.eval(&parts[1]),
                other => other,
            },
            Code::Or(parts) => match self.eval(&parts[0]) {
                Value::Bool(false) => self.eval(&parts[1]),
                other => other,
            },
            Code::Let(slot, parts) => {
                self.locals[*slot as usize] = self.eval(&parts[0]);
                self.eval(&parts[1])
            }
            Code::Strict(slots, body) => {
                let failed = slots.iter().find(|slot| matches!(self.locals[**slot as usize], Value::Error(_)));
                failed.map(|slot| self.local(*slot)).unwrap_or_else(|| self.eval(body))
            }
            other => self.compute(other),
        }
    }

    /// Operations that make a value from others.
    fn compute(&mut self, code: &Code) -> Value {
        match code {
            Code::Op1(op, arg) => apply1(*op, self.eval(arg)),
            Code::Op2(op, args) => {
                let first = self.eval(&args[0]);
                apply2(*op, first, self.eval(&args[1]))
            }
            Code::Op(op, args) => apply(*op, self.all(args), self),
            Code::Unbox(option) => match self.eval(option) {
                Value::None => Value::Absent,
                Value::Some(value) => Rc::unwrap_or_clone(value),
                failed => failed.into_unknown(),
            },
            Code::Fields(names, items) => {
                let items = Items::make(items.len(), |at| self.eval(&items[at]));
                Value::Fields(Rc::new(Fields { names: names.clone(), items }))
            }
            Code::Field(base, index) => match self.eval(base) {
                Value::Fields(fields) => fields.items[*index as usize].clone(),
                failed => failed,
            },
            Code::Closure(func, captures) => {
                let captures = self.all(captures).into();
                Value::Fun(Rc::new(Function::Code(*func, captures)))
            }
            Code::Call(func, args) => {
                let args = self.all(args);
                self.enter(*func, args, &[])
            }
            Code::CallSelf(args) => {
                let args = self.all(args);
                self.enter(self.own, args, self.captures)
            }
            Code::CallValue(callee, args) => {
                let callee = self.eval(callee);
                let args = self.all(args);
                self.call(&callee, args)
            }
            _ => unreachable!("handled by `eval`"),
        }
    }

    fn enter(&mut self, func: u32, args: Vec<Value>, captures: &[Value]) -> Value {
        if self.depth >= MAX_DEPTH {
            return Value::error("the recursion is too deep");
        }
        let depth = self.depth + 1;
        let frame = Frame { funcs: self.funcs, locals: Vec::new(), captures, own: func, depth };
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || frame.start(args.into_iter()))
    }
}

impl Host for Frame<'_> {
    fn call(&mut self, function: &Value, args: Vec<Value>) -> Value {
        let Value::Fun(fun) = function else { return function.clone() };
        match &**fun {
            Function::Code(func, captures) => self.enter(*func, args, captures),
            Function::Project(index) => match &args[0] {
                Value::Fields(fields) => fields.items[*index].clone(),
                failed => failed.clone(),
            },
            Function::Builtin(op) => chosen(*op, args).unwrap_or_else(|args| apply(*op, args, self)),
            Function::Macro(_) | Function::Lifted(_) => unreachable!("macros are unfolded before events are processed"),
        }
    }
}
