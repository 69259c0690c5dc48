//! Scopes: which names each declares.
use crate::core::VarId;
use crate::syntax::ast::TypeDef;
use crate::ty::Ty;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub type ScopeId = usize;
pub type DefId = usize;

#[derive(Clone, Debug)]
pub enum Entity {
    Def(DefId),
    Local(VarId, Ty),
    Input(u32, Ty),
    Module(ScopeId),
    /// The declaration is wrong, and the error has been reported.
    Failed,
}

#[derive(Clone)]
pub enum TypeEntity {
    Alias(Rc<TypeDef>, ScopeId),
    Param(Ty),
}

#[derive(Default)]
pub struct Scope {
    pub parent: Option<ScopeId>,
    /// The outermost scope of the texts this one belongs to.
    pub root: ScopeId,
    pub values: FxHashMap<Rc<str>, Entity>,
    pub types: FxHashMap<Rc<str>, TypeEntity>,
    /// The modules imported into it, with their names.
    pub imports: Vec<(ScopeId, Rc<str>)>,
}
