//! The interpreter of functions on values.
use crate::code::{Code, Func};
use crate::value::builtin::{Host, apply, apply1, apply2};
use crate::value::{Builtin, Fields, Function, Value};
use std::rc::Rc;

/// Calls within each other before a recursion is taken to have no end.
const MAX_DEPTH: usize = 20_000;

/// The stack of running functions.
#[derive(Default)]
pub struct Machine {
    stack: Vec<Value>,
    depth: usize,
}

impl Machine {
    /// Runs a function on arguments; failures are values.
    #[inline]
    pub fn run(&mut self, funcs: &[Func], func: u32, args: impl Iterator<Item = Value>) -> Value {
        let base = self.stack.len();
        self.stack.extend(args);
        Frame { machine: self, funcs, base, captures: &[], own: func }.finish(func)
    }
}

/// One running function: where its locals are, and what it captured.
struct Frame<'m> {
    machine: &'m mut Machine,
    funcs: &'m [Func],
    base: usize,
    captures: &'m [Value],
    own: u32,
}

impl Frame<'_> {
    /// Runs the function whose arguments are on the stack, and clears them away.
    #[inline]
    fn finish(mut self, func: u32) -> Value {
        let funcs = self.funcs;
        let func = &funcs[func as usize];
        if func.locals > func.params {
            self.machine.stack.resize(self.base + func.locals as usize, Value::Absent);
        }
        let value = self.eval(&func.body);
        self.machine.stack.truncate(self.base);
        value
    }

    fn local(&mut self, slot: u32, take: bool) -> Value {
        let cell = &mut self.machine.stack[self.base + slot as usize];
        if take { std::mem::take(cell) } else { cell.clone() }
    }

    fn peek(&self, slot: u32) -> &Value {
        &self.machine.stack[self.base + slot as usize]
    }

    fn eval(&mut self, code: &Code) -> Value {
        match code {
            Code::Const(value) => value.clone(),
            Code::Local { slot, take } => self.local(*slot, *take),
            Code::Boxed { slot, take } => match self.local(*slot, *take) {
                Value::Absent => Value::None,
                value => Value::some(value),
            },
            Code::Unwrap { slot, take } => match self.local(*slot, *take) {
                Value::Absent => Value::error("getSome of None"),
                value => value,
            },
            Code::Present(slot) => Value::Bool(!self.peek(*slot).is_absent()),
            Code::Captured(index) => self.captures[*index as usize].clone(),
            Code::Op1(op, arg) => self.op1(*op, arg),
            Code::Op2(op, args) => {
                let first = self.eval(&args[0]);
                let second = self.eval(&args[1]);
                apply2(*op, first, second)
            }
            Code::And(args) => match self.eval(&args[0]) {
                Value::Bool(true) => self.eval(&args[1]),
                other => other,
            },
            Code::Or(args) => match self.eval(&args[0]) {
                Value::Bool(false) => self.eval(&args[1]),
                other => other,
            },
            Code::If(parts) => match self.eval(&parts[0]) {
                Value::Bool(true) => self.eval(&parts[1]),
                Value::Bool(false) => self.eval(&parts[2]),
                failed => failed,
            },
            Code::Choose(parts) => match self.eval(&parts[0]) {
                Value::Bool(true) => self.eval(&parts[1]),
                Value::Bool(false) => self.eval(&parts[2]),
                failed => failed.into_unknown(),
            },
            Code::Unbox(option) => match self.eval(option) {
                Value::None => Value::Absent,
                Value::Some(value) => Rc::unwrap_or_clone(value),
                failed => failed.into_unknown(),
            },
            Code::Let(slot, parts) => {
                let value = self.eval(&parts[0]);
                self.machine.stack[self.base + *slot as usize] = value;
                self.eval(&parts[1])
            }
            other => self.eval_more(other),
        }
    }

    /// Tests of numbers and sets look at their argument where it is, without copying it.
    #[inline]
    fn op1(&mut self, op: Builtin, arg: &Code) -> Value {
        let value = self.eval(arg);
        apply1(op, value)
    }

    fn eval_more(&mut self, code: &Code) -> Value {
        match code {
            Code::Strict(slots, body) => {
                let failed = slots.iter().find(|slot| matches!(self.peek(**slot), Value::Error(_)));
                match failed {
                    Some(slot) => self.local(*slot, false),
                    None => self.eval(body),
                }
            }
            Code::Fields(names, items) => {
                let items = items.iter().map(|item| self.eval(item)).collect();
                Value::Fields(Rc::new(Fields { names: names.clone(), items }))
            }
            Code::Field(base, index) => match self.eval(base) {
                Value::Fields(fields) => fields.items[*index as usize].clone(),
                failed => failed,
            },
            Code::Op(op, args) => {
                let args = args.iter().map(|arg| self.eval(arg)).collect();
                apply(*op, args, self)
            }
            Code::Closure(func, captures) => {
                let captures = captures.iter().map(|capture| self.eval(capture)).collect();
                Value::Fun(Rc::new(Function::Code(*func, captures)))
            }
            Code::Call(func, args) => self.call_code(*func, args, false),
            Code::CallSelf(args) => self.call_code(self.own, args, true),
            Code::CallValue(callee, args) => {
                let callee = self.eval(callee);
                let args: Vec<Value> = args.iter().map(|arg| self.eval(arg)).collect();
                self.call(&callee, args)
            }
            _ => unreachable!("handled by `eval`"),
        }
    }

    fn call_code(&mut self, func: u32, args: &[Code], keep_captures: bool) -> Value {
        let args: Vec<Value> = args.iter().map(|arg| self.eval(arg)).collect();
        let captures = if keep_captures { self.captures } else { &[] };
        self.enter(func, args, captures)
    }

    fn enter(&mut self, func: u32, args: Vec<Value>, captures: &[Value]) -> Value {
        if self.machine.depth >= MAX_DEPTH {
            return Value::error("the recursion is too deep");
        }
        self.machine.depth += 1;
        let base = self.machine.stack.len();
        self.machine.stack.extend(args);
        let frame = Frame { machine: self.machine, funcs: self.funcs, base, captures, own: func };
        let value = stacker::maybe_grow(64 * 1024, 1024 * 1024, || frame.finish(func));
        self.machine.depth -= 1;
        value
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
            Function::Builtin(op) => self.builtin(*op, args),
            Function::Macro(_) | Function::Lifted(_) => unreachable!("macros are unfolded before events are processed"),
        }
    }
}

impl Frame<'_> {
    /// A built-in that was passed as a value; the lazy ones have their arguments already.
    fn builtin(&mut self, op: Builtin, mut args: Vec<Value>) -> Value {
        match (op, &args[0]) {
            (Builtin::And, Value::Bool(true)) | (Builtin::Or, Value::Bool(false)) => args.swap_remove(1),
            (Builtin::And | Builtin::Or, _) => args.swap_remove(0),
            (Builtin::Ite | Builtin::StaticIte, Value::Bool(true)) => args.swap_remove(1),
            (Builtin::Ite | Builtin::StaticIte, Value::Bool(false)) => args.swap_remove(2),
            (Builtin::Ite | Builtin::StaticIte, _) => args.swap_remove(0),
            _ => apply(op, args, self),
        }
    }
}
