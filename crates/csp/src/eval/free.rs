//! Which names an expression takes from outside itself, found once for each expression.

use super::Evaluator;
use crate::syntax::names;
use crate::syntax::{Decl, Expr, ExprId, Symbol};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Evaluator {
    pub(super) fn free_names(&mut self, expr: &Expr) -> Rc<[Symbol]> {
        self.known_names(expr.id, || names::free_names(expr))
    }

    /// The names a whole `let` takes from outside.
    pub(super) fn free_names_of_let(&mut self, id: ExprId, decls: &[Decl], body: &Expr) -> Rc<[Symbol]> {
        self.known_names(id, || names::free_names_of_let(decls, body))
    }

    fn known_names(&mut self, id: ExprId, find: impl FnOnce() -> BTreeSet<Symbol>) -> Rc<[Symbol]> {
        self.free.entry(id).or_insert_with(|| find().into_iter().collect()).clone()
    }
}
