//! Calls: of functions that are known, of the running one, and of values that are functions.
use super::compiler::Compiler;
use super::stack::on_enough_stack;
use super::{Ctx, Eval};
use crate::code::Code;
use crate::value::builtin::{Host, apply, chosen};
use crate::value::{Function, Value};
use std::rc::Rc;

/// The most nested calls; deeper recursion is taken to have no end.
const MAX_DEPTH: usize = 20_000;

impl Compiler {
    pub fn call(&mut self, code: &Code) -> Eval {
        match code {
            Code::Call(func, args) => {
                let (func, args) = (*func, self.all(args));
                Box::new(move |ctx| {
                    let base = ctx.push(&args);
                    ctx.enter(func, base, &[])
                })
            }
            Code::CallSelf(args) => {
                let args = self.all(args);
                Box::new(move |ctx| {
                    let base = ctx.push(&args);
                    ctx.enter(ctx.own, base, ctx.captures)
                })
            }
            Code::CallValue(callee, args) => {
                let (callee, args) = (self.eval(callee), self.all(args));
                Box::new(move |ctx| {
                    let callee = callee(ctx);
                    let args = args.iter().map(|arg| arg(ctx)).collect();
                    ctx.call(&callee, args)
                })
            }
            _ => unreachable!("only calls are compiled here"),
        }
    }

    pub fn closure(&mut self, func: u32, captures: &[Code]) -> Eval {
        let captures = self.all(captures);
        Box::new(move |ctx| {
            let captures = captures.iter().map(|capture| capture(ctx)).collect();
            Value::Fun(Rc::new(Function::Code(func, captures)))
        })
    }

    fn all(&mut self, parts: &[Code]) -> Box<[Eval]> {
        parts.iter().map(|part| self.eval(part)).collect()
    }
}

impl<'a> Ctx<'a> {
    /// Computes arguments and puts them where the locals of the next function begin.
    fn push(&mut self, args: &[Eval]) -> usize {
        let base = self.top;
        for arg in args {
            let value = arg(self);
            self.put(value);
        }
        base
    }

    /// Puts a value on top of the locals.
    fn put(&mut self, value: Value) {
        let at = self.top;
        self.reach(at + 1);
        self.cells[at].put(value);
        self.top += 1;
    }

    fn reach(&mut self, len: usize) {
        if self.cells.len() < len {
            self.cells.resize(len, Value::Absent);
        }
    }

    /// Runs a function whose arguments are on top of the locals, from `base` on, and clears its locals away.
    fn enter(&mut self, func: u32, base: usize, captures: &[Value]) -> Value {
        let compiled = self.program.called(func);
        let top = base + compiled.locals;
        self.reach(top);
        let value = if self.depth < MAX_DEPTH {
            let cells = &mut *self.cells;
            let (fired, program, depth) = (self.fired, self.program, self.depth + 1);
            let mut inner = Ctx { cells, fired, captures, program, base, top, depth, own: func };
            on_enough_stack(|| (compiled.body)(&mut inner))
        } else {
            Value::error("the recursion is too deep")
        };
        self.cells[base..top].iter_mut().for_each(|local| local.put(Value::Absent));
        self.top = base;
        value
    }
}

impl Host for Ctx<'_> {
    fn call(&mut self, function: &Value, args: Vec<Value>) -> Value {
        let Value::Fun(fun) = function else { return function.clone() };
        match &**fun {
            Function::Code(func, captures) => {
                let base = self.top;
                args.into_iter().for_each(|arg| self.put(arg));
                self.enter(*func, base, captures)
            }
            Function::Project(index) => match &args[0] {
                Value::Fields(fields) => fields.items[*index].clone(),
                failed => failed.clone(),
            },
            Function::Builtin(op) => chosen(*op, args).unwrap_or_else(|args| apply(*op, args, self)),
            Function::Macro(_) | Function::Lifted(_) => unreachable!("macros are unfolded before events are processed"),
        }
    }
}
