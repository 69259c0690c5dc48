//! Functions on values become code, specialised to what is known before any event.
use super::eval::{function, project};
use super::expander::Expander;
use super::generated::{FnCtx, GenEnv, GenParent, GenSlot, Part, statics};
use super::streams::LiftArg;
use crate::code::Code;
use crate::core::{Core, CoreRef, VarId};
use crate::graph::LiftKind;
use crate::source::{Diagnostic, Result, Span};
use crate::value::{Builtin, Fields, Function, Value};
use std::rc::Rc;

impl Expander {
    /// The function that a lift applies at every event; constants among the arguments are built in.
    pub fn generate(&mut self, kind: LiftKind, callee: &Value, args: Vec<LiftArg>, span: Span) -> Result<u32> {
        let depth = self.generated.stack.len();
        self.generated.stack.push(FnCtx::default());
        let saved = std::mem::take(&mut self.generated.inlining);
        let mut parts = Vec::new();
        for arg in args {
            parts.push(match arg {
                LiftArg::Value(value) => Part::Static(value),
                LiftArg::Stream(_) => {
                    let slot = self.generated.new_local(depth);
                    let boxed = kind == LiftKind::Events;
                    Part::Code(if boxed { Code::Boxed { slot, take: false } } else { Code::local(slot) })
                }
            });
        }
        let params = self.generated.stack[depth].locals;
        let part = self.call_part(Part::Static(callee.clone()), parts, depth, span)?;
        let code = self.code(part, depth)?;
        let code = if kind == LiftKind::Signal { code } else { code.unboxed() };
        self.generated.inlining = saved;
        let ctx = self.generated.stack.pop().expect("pushed above");
        let id = self.generated.reserve();
        self.generated.fill(id, params, ctx.locals, code);
        Ok(id)
    }

    pub fn gen_core(&mut self, core: &CoreRef, env: &Rc<GenEnv>) -> Result<Part> {
        self.take_step()?;
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.gen_inner(core, env))
    }

    fn gen_inner(&mut self, core: &CoreRef, env: &Rc<GenEnv>) -> Result<Part> {
        match &**core {
            Core::Const(value) => Ok(Part::Static(value.clone())),
            Core::Var(var) => self.gen_var(*var, env),
            Core::Builtin(op) => Ok(Part::Static(function(Function::Builtin(*op)))),
            Core::Project(index) => Ok(Part::Static(function(Function::Project(*index)))),
            Core::Lambda(lambda) => Ok(Part::Lambda(lambda.clone(), env.clone())),
            Core::Call(callee, args, span) => self.gen_call(callee, args, env, *span),
            Core::If(cond, then, other) => self.gen_if([cond, then, other], env),
            Core::Fields(names, items) => self.gen_fields(names.clone(), items, env),
            Core::Field(base, index) => Ok(match self.gen_core(base, env)? {
                Part::Static(value) => Part::Static(project(&value, *index)),
                part => Part::Code(Code::Field(Box::new(self.code(part, env.depth)?), *index as u32)),
            }),
            Core::Block(defs, value) => {
                let inner = GenEnv::new(GenParent::Gen(env.clone()), env.depth);
                for def in defs.iter() {
                    let slot = GenSlot::Def(def.value.clone(), def.name.clone(), def.span);
                    inner.slots.borrow_mut().insert(def.var, slot);
                }
                let part = self.gen_core(value, &inner)?;
                self.close(part, &inner)
            }
            Core::Lift(_, _, span) => Err(stream_inside(*span)),
            Core::ToStream(_) | Core::Input(_) | Core::LiftFun(..) => Err(stream_inside(Span::default())),
        }
    }

    /// Ends a scope: its bindings go around its code.
    pub fn close(&mut self, part: Part, scope: &Rc<GenEnv>) -> Result<Part> {
        // A function that leaves the scope takes its locals along, so it must be made inside.
        let part = match part {
            Part::Lambda(..) => Part::Code(self.code(part, scope.depth)?),
            part => part,
        };
        Ok(match part {
            Part::Code(code) if scope.has_lets() => Part::Code(scope.wrap(code)),
            part => part,
        })
    }

    fn gen_var(&mut self, var: VarId, env: &Rc<GenEnv>) -> Result<Part> {
        let mut at = env.clone();
        loop {
            let slot = at.slots.borrow().get(&var).cloned();
            match slot {
                Some(GenSlot::Part(part)) => return Ok(self.carry(part, at.depth, env.depth)),
                Some(GenSlot::Busy(name, span)) => {
                    return Err(Diagnostic::new(format!("`{name}` is defined by itself"), span));
                }
                Some(GenSlot::Def(core, name, span)) => {
                    at.slots.borrow_mut().insert(var, GenSlot::Busy(name, span));
                    let part = self.gen_core(&core, &at)?;
                    let part = self.named(part, &at);
                    at.bind(var, part.clone());
                    return Ok(self.carry(part, at.depth, env.depth));
                }
                None => {}
            }
            let outer = match &at.parent {
                GenParent::Gen(outer) => outer.clone(),
                GenParent::Static(outer) => {
                    let value = self.force(var, &outer.clone(), Span::default())?;
                    return Ok(Part::Static(value));
                }
            };
            at = outer;
        }
    }

    /// A part that may be used many times: computed once, into a local of the scope.
    pub fn named(&mut self, part: Part, scope: &Rc<GenEnv>) -> Part {
        match part {
            Part::Code(Code::Local { .. } | Code::Boxed { .. } | Code::Captured(_) | Code::Const(_)) => part,
            Part::Code(code) => {
                let slot = self.generated.new_local(scope.depth);
                scope.bind_let(slot, code);
                Part::Code(Code::local(slot))
            }
            part => part,
        }
    }

    /// Brings a local of one function into a function inside it, by capture.
    pub fn carry(&mut self, part: Part, from: usize, to: usize) -> Part {
        let Part::Code(mut code) = part else { return part };
        for depth in from + 1..=to {
            let captures = &mut self.generated.stack[depth].captures;
            let at = captures.iter().position(|known| same_source(known, &code)).unwrap_or_else(|| {
                captures.push(code.clone());
                captures.len() - 1
            });
            code = Code::Captured(at as u32);
        }
        Part::Code(code)
    }

    fn gen_call(&mut self, callee: &CoreRef, args: &[CoreRef], env: &Rc<GenEnv>, span: Span) -> Result<Part> {
        let callee = self.gen_core(callee, env)?;
        if let Part::Static(Value::Fun(fun)) = &callee
            && let Function::Builtin(op @ (Builtin::And | Builtin::Or | Builtin::Ite | Builtin::StaticIte)) = &**fun
        {
            return self.gen_lazy(*op, args, env);
        }
        let parts = args.iter().map(|arg| self.gen_core(arg, env)).collect::<Result<Vec<_>>>()?;
        self.call_part(callee, parts, env.depth, span)
    }

    fn gen_lazy(&mut self, op: Builtin, args: &[CoreRef], env: &Rc<GenEnv>) -> Result<Part> {
        if matches!(op, Builtin::Ite | Builtin::StaticIte) {
            return self.gen_if([&args[0], &args[1], &args[2]], env);
        }
        let first = self.gen_core(&args[0], env)?;
        match first {
            Part::Static(Value::Bool(value)) if value != (op == Builtin::Or) => self.gen_core(&args[1], env),
            Part::Static(value) => Ok(Part::Static(value)),
            first => {
                let second = self.gen_core(&args[1], env)?;
                let pair = Box::new([self.code(first, env.depth)?, self.code(second, env.depth)?]);
                Ok(Part::Code(if op == Builtin::And { Code::And(pair) } else { Code::Or(pair) }))
            }
        }
    }

    fn gen_if(&mut self, parts: [&CoreRef; 3], env: &Rc<GenEnv>) -> Result<Part> {
        let cond = self.gen_core(parts[0], env)?;
        match cond {
            Part::Static(Value::Bool(true)) => self.gen_core(parts[1], env),
            Part::Static(Value::Bool(false)) => self.gen_core(parts[2], env),
            Part::Static(failed) => Ok(Part::Static(failed)),
            cond => {
                let cond = self.code(cond, env.depth)?;
                let then = self.branch(parts[1], env)?;
                let other = self.branch(parts[2], env)?;
                Ok(Part::Code(Code::If(Box::new([cond, then, other]))))
            }
        }
    }

    fn branch(&mut self, core: &CoreRef, env: &Rc<GenEnv>) -> Result<Code> {
        let part = self.gen_core(core, env)?;
        self.code(part, env.depth)
    }

    fn gen_fields(&mut self, names: Option<Rc<[Rc<str>]>>, items: &[CoreRef], env: &Rc<GenEnv>) -> Result<Part> {
        let parts = items.iter().map(|item| self.gen_core(item, env)).collect::<Result<Vec<_>>>()?;
        if let Some(items) = statics(&parts) {
            return Ok(Part::Static(Value::Fields(Rc::new(Fields { names, items: items.into() }))));
        }
        let codes = self.codes(parts, env.depth)?;
        Ok(Part::Code(Code::Fields(names, codes)))
    }

    pub fn codes(&mut self, parts: Vec<Part>, depth: usize) -> Result<Box<[Code]>> {
        parts.into_iter().map(|part| self.code(part, depth)).collect()
    }

    /// The part as code of the function at `depth`.
    pub fn code(&mut self, part: Part, depth: usize) -> Result<Code> {
        match part {
            Part::Code(code) => Ok(code),
            Part::Static(value) => Ok(Code::Const(self.run_time_value(&value)?)),
            Part::Lambda(lambda, env) => match self.under_way(&lambda, &env, depth) {
                Some(own) => Ok(own),
                None => self.closure(&lambda, &env, depth),
            },
        }
    }
}

fn same_source(a: &Code, b: &Code) -> bool {
    match (a, b) {
        (Code::Local { slot: a, .. }, Code::Local { slot: b, .. }) => a == b,
        (Code::Boxed { slot: a, .. }, Code::Boxed { slot: b, .. }) => a == b,
        (Code::Captured(a), Code::Captured(b)) => a == b,
        (Code::Own, Code::Own) => true,
        _ => false,
    }
}

pub fn stream_inside(span: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("a stream is used inside a function that is applied to single events", span);
    if span == Span::default() {
        diagnostic.span = None;
    }
    diagnostic.hint("pass the stream as another argument of the lift")
}
