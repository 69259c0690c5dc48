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
