//! Evaluation of the core before any event is known.
use super::env::{Closure, Env};
use super::expander::Expander;
use crate::core::{Core, CoreRef};
use crate::graph::NodeId;
use crate::source::{Diagnostic, Result, Span};
use crate::value::builtin::{self, Host};
use crate::value::{Builtin, Fields, Function, Value};
use std::rc::Rc;

/// The most nested macro calls; deeper recursion is taken to have no end.
const MAX_DEPTH: usize = 3_000;

/// The most steps of an expansion; a longer one is taken to have no end, or to give a graph that is too large to run.
const MAX_STEPS: usize = 3_000_000;

impl Expander {
    pub fn eval(&mut self, core: &CoreRef, env: &Rc<Env>) -> Result<Value> {
        self.take_step()?;
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.eval_inner(core, env))
    }

    fn eval_inner(&mut self, core: &CoreRef, env: &Rc<Env>) -> Result<Value> {
        Ok(match &**core {
            Core::Const(value) => value.clone(),
            Core::Var(var) => self.force(*var, env, Span::default())?,
            Core::Builtin(op) => function(Function::Builtin(*op)),
            Core::Project(index) => function(Function::Project(*index)),
            Core::Lambda(lambda) => self.new_macro(lambda, env),
            Core::Call(callee, args, span) => {
                let callee = self.eval(callee, env)?;
                self.call_lazy(&callee, args, env, *span)?
            }
            Core::Lift(callee, args, span) => {
                let callee = self.eval(callee, env)?;
                self.signal_lift(&callee, args, env, *span)?
            }
            Core::LiftFun(callee, _) => {
                let callee = self.eval(callee, env)?;
                function(Function::Lifted(callee))
            }
            Core::ToStream(value) => {
                let value = self.eval(value, env)?;
                self.constant(value)
            }
            Core::If(cond, then, other) => match self.eval(cond, env)? {
                Value::Bool(true) => self.eval(then, env)?,
                Value::Bool(false) => self.eval(other, env)?,
                failed => failed,
            },
            Core::Fields(names, items) => {
                let items = items.iter().map(|item| self.eval(item, env)).collect::<Result<_>>()?;
                Value::Fields(Rc::new(Fields { names: names.clone(), items }))
            }
            Core::Field(base, index) => {
                if let Core::Var(var) = &**base
                    && let Some((part, owner)) = self.part_of(*var, env, *index)
                {
                    return self.force(part, &owner, Span::default());
                }
                project(&self.eval(base, env)?, *index)
            }
            Core::Block(defs, value) => {
                let inner = self.new_env(env);
                self.define(&inner, defs);
                self.eval(value, &inner)?
            }
            Core::Input(index) => Value::Stream(*index),
        })
    }

    /// Counts a step of the expansion.
    pub fn take_step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps <= MAX_STEPS {
            return Ok(());
        }
        let mut diagnostic = Diagnostic::new("the expansion of the macros is too large", Span::default());
        diagnostic.span = None;
        Err(diagnostic
            .hint("a macro that uses its argument twice doubles the work at every level; name the stream first"))
    }

    /// The node of an expression that is a stream.
    pub fn stream(&mut self, core: &CoreRef, env: &Rc<Env>, span: Span) -> Result<NodeId> {
        match self.eval(core, env)? {
            Value::Stream(node) => Ok(node),
            Value::Error(failure) => Err(Diagnostic::new(failure.message.clone(), span)),
            other => Err(Diagnostic::new(format!("{other} is used as a stream"), span)),
        }
    }

    fn call_lazy(&mut self, callee: &Value, args: &[CoreRef], env: &Rc<Env>, span: Span) -> Result<Value> {
        let Value::Fun(fun) = callee else { return Ok(callee.clone()) };
        match &**fun {
            Function::Builtin(op) if op.is_stream() => self.stream_op(*op, args, env, span),
            Function::Builtin(op) => self.value_op(*op, args, env),
            Function::Project(index) => Ok(project(&self.eval(&args[0], env)?, *index)),
            Function::Lifted(inner) => {
                let args: Vec<(bool, CoreRef)> = args.iter().map(|arg| (true, arg.clone())).collect();
                self.signal_lift(inner, &args, env, span)
            }
            Function::Macro(id) => {
                let closure = self.macro_of(*id);
                let inner = self.new_env(&closure.env);
                for (var, arg) in closure.lambda.params.iter().zip(args) {
                    self.bind_lazy(&inner, *var, arg, env);
                }
                self.enter(&closure, &inner, span)
            }
            Function::Code(..) => unreachable!("code runs on events only"),
        }
    }

    /// Evaluates the body of a macro, with the call on the trail of any error in it.
    fn enter(&mut self, closure: &Closure, inner: &Rc<Env>, span: Span) -> Result<Value> {
        let lambda = &closure.lambda;
        if self.depth >= MAX_DEPTH {
            let message = format!("the expansion of `{}` does not end", lambda.name);
            return Err(Diagnostic::new(message, span)
                .hint("a macro may only call itself under a `static if` that becomes false"));
        }
        self.depth += 1;
        let result = self.eval(&lambda.body, inner);
        self.depth -= 1;
        result.map_err(|mut error| {
            if error.trail.len() < 5 {
                error.trail.push(format!("the expansion of `{}`", lambda.name));
            }
            error
        })
    }

    fn value_op(&mut self, op: Builtin, args: &[CoreRef], env: &Rc<Env>) -> Result<Value> {
        match op {
            Builtin::And | Builtin::Or => {
                let first = self.eval(&args[0], env)?;
                match first {
                    Value::Bool(value) if value == (op == Builtin::Or) => Ok(first),
                    Value::Bool(_) => self.eval(&args[1], env),
                    failed => Ok(failed),
                }
            }
            Builtin::Ite | Builtin::StaticIte => match self.eval(&args[0], env)? {
                Value::Bool(true) => self.eval(&args[1], env),
                Value::Bool(false) => self.eval(&args[2], env),
                failed => Ok(failed),
            },
            op => {
                let args = args.iter().map(|arg| self.eval(arg, env)).collect::<Result<Vec<_>>>()?;
                self.apply_now(op, args)
            }
        }
    }

    /// Applies a built-in to values that are all known.
    pub fn apply_now(&mut self, op: Builtin, args: Vec<Value>) -> Result<Value> {
        let mut host = Calls { expander: self, error: None };
        let value = builtin::apply(op, args, &mut host);
        match host.error {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }

    pub fn call_macro_now(&mut self, closure: &Closure, args: Vec<Value>) -> Result<Value> {
        let inner = self.new_env(&closure.env);
        for (var, arg) in closure.lambda.params.iter().zip(args) {
            self.bind(&inner, *var, arg);
        }
        self.enter(closure, &inner, closure.lambda.span)
    }

    /// Calls a function with arguments that are all known.
    pub fn call_now(&mut self, callee: &Value, args: Vec<Value>) -> Result<Value> {
        let Value::Fun(fun) = callee else { return Ok(callee.clone()) };
        match &**fun {
            Function::Macro(id) => self.call_macro_now(&self.macro_of(*id), args),
            Function::Project(index) => Ok(project(&args[0], *index)),
            Function::Builtin(op) if !op.is_stream() && !is_lazy(*op) => self.apply_now(*op, args),
            _ => {
                let env = self.root.clone();
                let args: Vec<CoreRef> = args.into_iter().map(|value| Rc::new(Core::Const(value))).collect();
                self.call_lazy(callee, &args, &env, Span::default())
            }
        }
    }
}

/// Whether arguments are evaluated only when needed.
pub fn is_lazy(op: Builtin) -> bool {
    matches!(op, Builtin::And | Builtin::Or | Builtin::Ite | Builtin::StaticIte)
}

pub fn function(function: Function) -> Value {
    Value::Fun(Rc::new(function))
}

pub fn project(value: &Value, index: usize) -> Value {
    match value {
        Value::Fields(fields) => fields.items[index].clone(),
        failed => failed.clone(),
    }
}

/// Built-ins such as `List.fold` calling macros; the first error is kept for the caller.
struct Calls<'e> {
    expander: &'e mut Expander,
    error: Option<Diagnostic>,
}

impl Host for Calls<'_> {
    fn call(&mut self, function: &Value, args: Vec<Value>) -> Value {
        if self.error.is_some() {
            return Value::Unit;
        }
        self.expander.call_now(function, args).unwrap_or_else(|error| {
            self.error = Some(error);
            Value::Unit
        })
    }
}
