//! Environments: what every name stands for while a specification is expanded.
use crate::core::{CoreRef, Lambda, Shape, VarId};
use crate::source::Span;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A macro and the names it can see.
#[derive(Clone)]
pub struct Closure {
    pub lambda: Rc<Lambda>,
    pub env: Rc<Env>,
}

/// A scope of names while a specification is expanded.
pub struct Env {
    pub slots: RefCell<FxHashMap<VarId, Slot>>,
    pub parent: Option<Rc<Env>>,
}

#[derive(Clone)]
pub enum Slot {
    /// Not evaluated yet; with the definition it comes from, if it comes from one.
    Thunk(CoreRef, Rc<Env>, Option<Origin>),
    /// Being evaluated; with the value that stands in for it, if it was used meanwhile.
    Busy(CoreRef, Option<Origin>, Option<Value>),
    Done(Value),
}

/// The definition that a value comes from.
#[derive(Clone)]
pub struct Origin {
    pub name: Rc<str>,
    pub span: Span,
    pub shape: Shape,
}

impl Env {
    /// A scope inside another, or the outermost one.
    pub fn new(parent: Option<Rc<Env>>) -> Rc<Env> {
        Rc::new(Env { slots: RefCell::default(), parent })
    }

    /// The scope that binds a name: this one, or one further out.
    pub fn owner(self: &Rc<Self>, var: VarId) -> Rc<Env> {
        let mut at = self.clone();
        while !at.slots.borrow().contains_key(&var) {
            at = at.parent.clone().expect("every name is bound");
        }
        at
    }
}
