//! Functions on values become code, specialised to what is known before any event.
use super::env::{Env, Expander};
use super::eval::{function, project};
use super::streams::LiftArg;
use crate::code::{Code, Func};
use crate::core::{Core, CoreRef, Lambda, VarId};
use crate::graph::{Graph, LiftKind};
use crate::source::{Diagnostic, Result, Span};
use crate::value::{Builtin, Fields, Function, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// An expression inside a function, as far as it is known.
#[derive(Clone)]
pub enum Part {
    Static(Value),
    Code(Code),
    /// A function that sees locals of the one being generated.
    Lambda(Rc<Lambda>, Rc<GenEnv>),
}

/// Names inside a function that is being generated.
pub struct GenEnv {
    slots: RefCell<FxHashMap<VarId, GenSlot>>,
    parent: GenParent,
    /// Which of the functions under way the locals belong to.
    pub depth: usize,
    /// Bindings to be made around the code of this scope, in order.
    lets: RefCell<Vec<(u32, Code)>>,
}

pub enum GenParent {
    Gen(Rc<GenEnv>),
    Static(Rc<Env>),
}

#[derive(Clone)]
enum GenSlot {
    Part(Part),
    Def(CoreRef, Rc<str>, Span),
    Busy(Rc<str>, Span),
}

/// A function under way.
#[derive(Default)]
pub struct FnCtx {
    pub locals: u32,
    /// What a closure takes along, as code of the function around it.
    pub captures: Vec<Code>,
    /// The lambda it is, if it may call itself.
    pub own: Option<(usize, usize)>,
}

/// Code generated so far.
#[derive(Default)]
pub struct GenState {
    pub funcs: Vec<Option<Func>>,
    pub memo: FxHashMap<(usize, usize), u32>,
    pub stack: Vec<FnCtx>,
    pub inlining: Vec<(usize, usize)>,
}

impl GenState {
    /// Hands the functions over to the graph.
    pub fn finish(&mut self, graph: &mut Graph) {
        graph.funcs = self.funcs.drain(..).map(|func| func.expect("every function is finished")).collect();
    }

    pub fn reserve(&mut self) -> u32 {
        self.funcs.push(None);
        self.funcs.len() as u32 - 1
    }

    pub fn fill(&mut self, id: u32, params: u32, mut locals: u32, mut body: Code) {
        body.settle(&mut locals);
        body.mark_last_uses();
        self.funcs[id as usize] = Some(Func { params, locals, body });
    }

    pub fn new_local(&mut self, depth: usize) -> u32 {
        let ctx = &mut self.stack[depth];
        ctx.locals += 1;
        ctx.locals - 1
    }
}

impl GenEnv {
    pub fn new(parent: GenParent, depth: usize) -> Rc<GenEnv> {
        Rc::new(GenEnv { slots: RefCell::default(), parent, depth, lets: RefCell::default() })
    }

    pub fn bind(&self, var: VarId, part: Part) {
        self.slots.borrow_mut().insert(var, GenSlot::Part(part));
    }

    pub fn bind_let(&self, slot: u32, code: Code) {
        self.lets.borrow_mut().push((slot, code));
    }

    /// Puts the bindings of this scope around its code.
    pub fn wrap(&self, code: Code) -> Code {
        let lets = std::mem::take(&mut *self.lets.borrow_mut());
        lets.into_iter().rev().fold(code, |body, (slot, value)| Code::Let(slot, Box::new([value, body])))
    }

    pub fn has_lets(&self) -> bool {
        !self.lets.borrow().is_empty()
    }
}

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

/// The values, if all parts are known.
pub fn statics(parts: &[Part]) -> Option<Vec<Value>> {
    parts
        .iter()
        .map(|part| match part {
            Part::Static(value) => Some(value.clone()),
            _ => None,
        })
        .collect()
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
