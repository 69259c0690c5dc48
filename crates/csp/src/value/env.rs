//! Where names get their values: scopes of `let`, of parameters and of generators, each inside the next.

use super::Thunk;
use crate::syntax::Symbol;
use std::cell::RefCell;
use std::rc::Rc;

pub type Env = Option<Rc<Scope>>;

/// Which instance of a `let` a scope is. Two evaluations of one `let` with equal free variables are one instance, so
/// local processes keep their identity from one unfolding to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct GroupId(pub u32);

#[derive(Debug)]
pub struct Scope {
    pub vars: RefCell<Vec<(Symbol, Thunk)>>,
    pub group: Option<GroupId>,
    pub parent: Env,
}

pub fn child(vars: Vec<(Symbol, Thunk)>, parent: &Env) -> Env {
    if vars.is_empty() {
        return parent.clone();
    }
    Some(Rc::new(Scope { vars: RefCell::new(vars), group: None, parent: parent.clone() }))
}

/// The value of a local name, and the `let` it belongs to.
pub fn lookup(env: &Env, name: Symbol) -> Option<(Thunk, Option<GroupId>)> {
    let mut scope = env.as_ref();
    while let Some(s) = scope {
        if let Some((_, thunk)) = s.vars.borrow().iter().rev().find(|(n, _)| *n == name) {
            return Some((thunk.clone(), s.group));
        }
        scope = s.parent.as_ref();
    }
    None
}
