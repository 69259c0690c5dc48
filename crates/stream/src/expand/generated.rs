//! Functions that are being generated: their code so far, and the names in them.
use super::env::Env;
use crate::code::{Code, Func};
use crate::core::{CoreRef, Lambda, VarId};
use crate::graph::Graph;
use crate::source::Span;
use crate::value::Value;
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
    pub slots: RefCell<FxHashMap<VarId, GenSlot>>,
    pub parent: GenParent,
    /// Which of the functions under way the locals belong to.
    pub depth: usize,
    /// Bindings to be made around the code of this scope, in order.
    lets: RefCell<Vec<(u32, Code)>>,
}

pub enum GenParent {
    Gen(Rc<GenEnv>),
    Static(Rc<Env>),
}

/// What a name inside a function stands for.
#[derive(Clone)]
pub enum GenSlot {
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
