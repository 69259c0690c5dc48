//! A composition of components, as the compiler leaves it.

use super::event::{Event, TAU, TICK};
use super::lts::Lts;
use super::rules::Node;
use super::term::Priorities;
use crate::native::Native;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone)]
pub enum Component {
    Explicit(Arc<Lts>),
    Native(Arc<dyn Native>, Vec<Event>),
}

impl Component {
    /// Its own events. A native one has τ and ✓ first, then its alphabet.
    pub fn events(&self) -> Vec<Event> {
        match self {
            Component::Explicit(lts) => lts.alphabet(),
            Component::Native(_, events) => [TAU, TICK].iter().chain(events).copied().collect(),
        }
    }
}

/// A composition: the components, and the operator tree with its rules.
#[derive(Clone)]
pub struct Product {
    pub comps: Vec<Component>,
    pub nodes: Vec<Node>,
    pub root: usize,
    /// The restriction of the whole composition.
    pub filter: Option<Filter>,
    /// The restrictions of parts; a part comes after those inside it.
    pub inner: Vec<Filter>,
    /// The compositions that compressed parts were made from, by node.
    pub origins: Vec<(usize, Rc<Product>)>,
}

impl Product {
    pub fn root(&self) -> &Node {
        &self.nodes[self.root]
    }

    pub fn has_native(&self) -> bool {
        self.comps.iter().any(|c| matches!(c, Component::Native(..)))
    }
}

/// Which of its steps a state may take.
#[derive(Clone)]
pub enum Kind {
    /// Those that no more urgent step holds back.
    Priority(Rc<Priorities>),
    /// One silent step, if there are any.
    Chase,
    /// One silent step if there are any, and otherwise one step an event.
    Determined,
}

/// A restriction of a product, and the node whose events it looks at: what is around that node only hides and renames.
#[derive(Clone)]
pub struct Filter {
    pub kind: Kind,
    pub node: usize,
}
