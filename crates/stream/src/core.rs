//! The typed core: what a checked specification means, with every lift and conversion spelled out.
use crate::source::Span;
use crate::value::{Builtin, Value};
use std::rc::Rc;

/// A definition or parameter; unique in a compilation.
pub type VarId = u32;
pub type CoreRef = Rc<Core>;

#[derive(Debug)]
pub enum Core {
    Const(Value),
    Var(VarId),
    Builtin(Builtin),
    /// The function that selects a field.
    Project(usize),
    Lambda(Rc<Lambda>),
    Call(CoreRef, Vec<CoreRef>, Span),
    /// A function on values, applied to streams and values; `true` marks the streams.
    Lift(CoreRef, Vec<(bool, CoreRef)>, Span),
    /// A function on values as a function on streams.
    LiftFun(CoreRef, usize),
    /// A value as a stream with one event at time zero.
    ToStream(CoreRef),
    If(CoreRef, CoreRef, CoreRef),
    Fields(Option<Rc<[Rc<str>]>>, Vec<CoreRef>),
    Field(CoreRef, usize),
    Block(Rc<Vec<CoreDef>>, CoreRef),
    Input(u32),
}

/// Terms nest as deeply as a specification is long, so those below a term are dropped one after the other, and not each within
/// the one above it.
impl Drop for Core {
    fn drop(&mut self) {
        let mut below = Vec::new();
        self.move_below(&mut below);
        while let Some(next) = below.pop() {
            if let Some(mut core) = Rc::into_inner(next) {
                core.move_below(&mut below);
            }
        }
    }
}

impl Core {
    /// Moves the terms directly below this one, unless they are used elsewhere.
    fn move_below(&mut self, below: &mut Vec<CoreRef>) {
        let mut take = |term: &mut CoreRef| {
            if Rc::strong_count(term) == 1 {
                below.push(std::mem::replace(term, Rc::new(Core::Input(0))));
            }
        };
        match self {
            Core::Const(_) | Core::Var(_) | Core::Builtin(_) | Core::Project(_) | Core::Lambda(_) | Core::Input(_) => {}
            Core::LiftFun(term, _) | Core::ToStream(term) | Core::Field(term, _) | Core::Block(_, term) => take(term),
            Core::If(condition, one, other) => [condition, one, other].into_iter().for_each(take),
            Core::Call(function, terms, _) => {
                take(function);
                below.append(terms);
            }
            Core::Lift(function, terms, _) => {
                take(function);
                below.extend(terms.drain(..).map(|(_, term)| term));
            }
            Core::Fields(_, terms) => below.append(terms),
        }
    }
}

#[derive(Debug)]
pub struct Lambda {
    pub name: Rc<str>,
    pub params: Vec<VarId>,
    /// Parameters whose failure is the failure of the call.
    pub strict: Vec<bool>,
    pub body: CoreRef,
    pub span: Span,
}

/// What a definition is made of, as far as a recursion needs to know: a stream may be defined by its own past, also as a
/// part of a tuple or record.
#[derive(Clone, Debug)]
pub enum Shape {
    Value,
    Stream,
    Fields(Option<Rc<[Rc<str>]>>, Vec<Shape>),
}

impl Shape {
    pub fn is_stream(&self) -> bool {
        matches!(self, Shape::Stream)
    }
}

#[derive(Clone, Debug)]
pub struct CoreDef {
    pub var: VarId,
    pub name: Rc<str>,
    pub value: CoreRef,
    pub span: Span,
    pub shape: Shape,
}
