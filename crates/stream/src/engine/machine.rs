//! The interpreter of functions on values.
use super::params::{OnStack, Params};
use crate::code::{Code, Func};
use crate::value::builtin::{Host, apply, apply_shared, apply1, apply2, map_add, size_of_table};
use crate::value::{Builtin, Fields, Function, Items, Value};
use std::rc::Rc;

/// Calls within each other before a recursion is taken to have no end.
const MAX_DEPTH: usize = 20_000;

/// The stack of running functions.
#[derive(Default)]
pub struct Machine {
    /// The locals of the running functions, and room above them in which nothing is.
    stack: Vec<Value>,
    top: usize,
    depth: usize,
}

impl Machine {
    /// Runs a function on arguments; failures are values.
    pub fn run(&mut self, funcs: &[Func], func: u32, args: impl Iterator<Item = Value>) -> Value {
        let base = self.top;
        for (slot, arg) in args.enumerate() {
            self.reach(base + slot + 1);
            self.stack[base + slot] = arg;
        }
        Frame { machine: self, funcs, params: OnStack, base, captures: &[], own: func }.finish()
    }

    /// Runs a function on parameters where they are.
    #[inline]
    pub fn run_on(&mut self, funcs: &[Func], func: u32, params: impl Params) -> Value {
        let base = self.top;
        Frame { machine: self, funcs, params, base, captures: &[], own: func }.finish()
    }

    /// Makes room for locals.
    #[inline(always)]
    fn reach(&mut self, len: usize) {
        if self.stack.len() < len {
            self.stack.resize(len, Value::Absent);
        }
    }
}

/// One running function: where its parameters and locals are, and what it captured.
struct Frame<'m, P> {
    machine: &'m mut Machine,
    funcs: &'m [Func],
    params: P,
    /// The first local on the stack.
    base: usize,
    captures: &'m [Value],
    own: u32,
}

impl<P: Params> Frame<'_, P> {
    /// Runs the function, and clears its locals away.
    #[inline]
    fn finish(mut self) -> Value {
        let funcs = self.funcs;
        let func = &funcs[self.own as usize];
        let locals = func.locals as usize - self.params.count();
        self.machine.reach(self.base + locals);
        self.machine.top = self.base + locals;
        let value = self.eval(&func.body);
        self.machine.top = self.base;
        self.machine.stack[self.base..self.base + locals].iter_mut().for_each(|local| local.put(Value::Absent));
        value
    }

    #[inline(always)]
    fn local(&mut self, slot: u32, take: bool) -> Value {
        let (slot, count) = (slot as usize, self.params.count());
        if slot < count {
            if take && self.params.owned(slot) {
                return std::mem::take(self.params.cell(slot));
            }
            return self.params.peek(slot).clone();
        }
        let cell = &mut self.machine.stack[self.base + slot - count];
        if take { std::mem::take(cell) } else { cell.clone() }
    }

    #[inline(always)]
    fn peek(&self, slot: u32) -> &Value {
        let (slot, count) = (slot as usize, self.params.count());
        if slot < count { self.params.peek(slot) } else { &self.machine.stack[self.base + slot - count] }
    }

    /// The value of code that is only a name or a field, where it is; `None` if it is more.
    #[inline(always)]
    fn named<'c>(&'c self, code: &'c Code) -> Option<&'c Value> {
        match code {
            Code::Const(value) => Some(value),
            Code::Local { slot, .. } | Code::Unwrap { slot, .. } => {
                Some(self.peek(*slot)).filter(|value| !value.is_absent())
            }
            Code::Field(base, index) => self.field(base, *index),
            _ => None,
        }
    }

    /// A field of a value that has a name.
    #[inline]
    fn field<'c>(&'c self, base: &'c Code, index: u32) -> Option<&'c Value> {
        match base {
            Code::Local { slot, .. } | Code::Unwrap { slot, .. } => match self.peek(*slot) {
                Value::Fields(fields) => Some(&fields.items[index as usize]),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of code, mostly a name, which is told here rather than in a call.
    #[inline(always)]
    fn value(&mut self, code: &Code) -> Value {
        match code {
            Code::Local { slot, take } => self.local(*slot, *take),
            Code::Const(value) => value.clone(),
            other => self.eval(other),
        }
    }

    /// Branches and bodies are gone on with, not called.
    fn eval(&mut self, mut code: &Code) -> Value {
        loop {
            code = match code {
                Code::If(parts) => match self.test(&parts[0]) {
                    Ok(true) => &parts[1],
                    Ok(false) => &parts[2],
                    Err(failed) => return failed,
                },
                Code::Choose(parts) => match self.test(&parts[0]) {
                    Ok(true) => &parts[1],
                    Ok(false) => &parts[2],
                    Err(failed) => return failed.into_unknown(),
                },
                Code::Let(slot, parts) => {
                    let value = self.value(&parts[0]);
                    let at = self.base + *slot as usize - self.params.count();
                    self.machine.stack[at].put(value);
                    &parts[1]
                }
                Code::Strict(slots, body) => {
                    match slots.iter().find(|slot| matches!(self.peek(**slot), Value::Error(_))) {
                        Some(slot) => return self.local(*slot, false),
                        None => body,
                    }
                }
                simple => return self.eval_simple(simple),
            }
        }
    }

    #[inline(always)]
    fn eval_simple(&mut self, code: &Code) -> Value {
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
            Code::Captured(index) => self.captures[*index as usize].clone(),
            Code::Op1(op, arg) => {
                if let (Builtin::SetSize | Builtin::MapSize, Some(table)) = (*op, self.named(arg)) {
                    return size_of_table(table);
                }
                let value = self.eval(arg);
                apply1(*op, value)
            }
            Code::Op2(op, args) => self.op2(*op, args),
            Code::Present(_) | Code::And(_) | Code::Or(_) => self.test(code).map_or_else(|failed| failed, Value::Bool),
            Code::Unbox(option) => match self.eval(option) {
                Value::None => Value::Absent,
                Value::Some(value) => Rc::unwrap_or_clone(value),
                failed => failed.into_unknown(),
            },
            other => self.eval_more(other),
        }
    }

    /// A condition: what it is, or why that cannot be said.
    #[inline]
    fn test(&mut self, code: &Code) -> Result<bool, Value> {
        match code {
            Code::Present(slot) => Ok(!self.peek(*slot).is_absent()),
            Code::Op2(op, args) => match (self.named(&args[0]), self.named(&args[1])) {
                (Some(Value::Int(a)), Some(Value::Int(b))) if matches!(op, Builtin::Eq | Builtin::Neq) => {
                    Ok((a == b) == (*op == Builtin::Eq))
                }
                _ => self.test_any(code),
            },
            other => self.test_any(other),
        }
    }

    fn test_any(&mut self, code: &Code) -> Result<bool, Value> {
        match code {
            Code::Present(slot) => Ok(!self.peek(*slot).is_absent()),
            Code::Op1(Builtin::Not, inner) => self.test(inner).map(|value| !value),
            Code::And(args) => Ok(self.test(&args[0])? && self.test(&args[1])?),
            Code::Or(args) => Ok(self.test(&args[0])? || self.test(&args[1])?),
            other => {
                if let Some(Value::Bool(value)) = self.named(other) {
                    return Ok(*value);
                }
                match self.eval(other) {
                    Value::Bool(value) => Ok(value),
                    failed => Err(failed),
                }
            }
        }
    }

    /// Functions that only look at their arguments do so where these are.
    fn op2(&mut self, op: Builtin, args: &[Code; 2]) -> Value {
        if op.only_looks() {
            match (self.named(&args[0]), self.named(&args[1])) {
                (Some(first), Some(second)) => return apply_shared(op, first, second),
                (None, Some(_)) => {
                    let first = self.eval(&args[0]);
                    let second = self.named(&args[1]).expect("evaluating one argument leaves the other");
                    return apply_shared(op, &first, second);
                }
                _ => {}
            }
        }
        let first = self.value(&args[0]);
        let second = self.value(&args[1]);
        apply2(op, first, second)
    }

    fn eval_more(&mut self, code: &Code) -> Value {
        match code {
            Code::Fields(names, items) => {
                let items = Items::make(items.len(), |at| self.value(&items[at]));
                Value::Fields(Rc::new(Fields { names: names.clone(), items }))
            }
            Code::Field(base, index) => {
                if let Some(value) = self.field(base, *index) {
                    return value.clone();
                }
                match self.eval(base) {
                    Value::Fields(fields) => fields.items[*index as usize].clone(),
                    failed => failed,
                }
            }
            Code::Op(Builtin::MapAdd, args) if args.len() == 3 => {
                let (map, key) = (self.value(&args[0]), self.value(&args[1]));
                let value = self.value(&args[2]);
                map_add(map, key, value)
            }
            Code::Op(op, args) => {
                let args = args.iter().map(|arg| self.eval(arg)).collect();
                apply(*op, args, self)
            }
            Code::Closure(func, captures) => {
                let captures = captures.iter().map(|capture| self.eval(capture)).collect();
                Value::Fun(Rc::new(Function::Code(*func, captures)))
            }
            Code::Own => Value::Fun(Rc::new(Function::Code(self.own, self.captures.into()))),
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
        let base = self.machine.top;
        self.machine.reach(base + args.len());
        for (slot, arg) in args.into_iter().enumerate() {
            self.machine.stack[base + slot] = arg;
        }
        let frame = Frame { machine: self.machine, funcs: self.funcs, params: OnStack, base, captures, own: func };
        let value = stacker::maybe_grow(64 * 1024, 1024 * 1024, || frame.finish());
        self.machine.depth -= 1;
        value
    }
}

impl<P: Params> Host for Frame<'_, P> {
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

impl<P: Params> Frame<'_, P> {
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
