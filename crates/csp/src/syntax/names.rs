//! Names: those that patterns and declarations bind, and those that expressions take from outside.

use super::ast::*;
use super::symbol::Symbol;
use crate::source::Span;
use std::collections::BTreeSet;

/// The names an expression takes from outside itself.
pub fn free_names(expr: &Expr) -> BTreeSet<Symbol> {
    let mut out = BTreeSet::new();
    Free { bound: Vec::new(), out: &mut out }.expr(expr);
    out
}

/// The names a whole `let` takes from outside.
pub fn free_names_of_let(decls: &[Decl], body: &Expr) -> BTreeSet<Symbol> {
    let mut out = BTreeSet::new();
    Free { bound: Vec::new(), out: &mut out }.let_in(decls, body);
    out
}

/// The names a pattern binds, in order. Constructor names are among them; the caller knows which those are.
pub fn pattern_names(pat: &Pat, out: &mut Vec<Symbol>) {
    match &pat.kind {
        PatKind::Name(name) => out.push(*name),
        PatKind::Tuple(items) | PatKind::Seq(items) => items.iter().for_each(|p| pattern_names(p, out)),
        PatKind::Singleton(p) => pattern_names(p, out),
        PatKind::Concat(a, b) | PatKind::Dot(a, b) | PatKind::Both(a, b) => {
            pattern_names(a, out);
            pattern_names(b, out);
        }
        _ => {}
    }
}

/// The names a declaration brings into scope, with where.
pub fn declared_names(decl: &Decl) -> Vec<(Symbol, Span)> {
    match &decl.kind {
        DeclKind::Function(name, _) | DeclKind::Nametype(name, _) | DeclKind::Subtype(name, _) => {
            vec![(*name, decl.span)]
        }
        DeclKind::Pattern(pat, _) => {
            let mut names = Vec::new();
            pattern_names(pat, &mut names);
            names.into_iter().map(|n| (n, pat.span)).collect()
        }
        DeclKind::Channel(names, _) => names.clone(),
        DeclKind::Datatype(name, constructors) => {
            let own = constructors.iter().map(|c| (c.name, c.span));
            std::iter::once((*name, decl.span)).chain(own).collect()
        }
        DeclKind::Timed(_, inner) => inner.iter().flat_map(declared_names).collect(),
        _ => Vec::new(),
    }
}

/// The names a declaration takes from elsewhere, in the order of the symbols.
pub fn names_used(decl: &Decl) -> BTreeSet<Symbol> {
    let mut out = BTreeSet::new();
    let mut free = Free { bound: Vec::new(), out: &mut out };
    match &decl.kind {
        DeclKind::Function(..) => free.decl(decl),
        DeclKind::Pattern(pat, e) => {
            let mut names = Vec::new();
            pattern_names(pat, &mut names);
            free.expr(e);
            free.out.extend(names);
        }
        DeclKind::Nametype(_, e) | DeclKind::Channel(_, Some(e)) => free.expr(e),
        DeclKind::Datatype(_, constructors) | DeclKind::Subtype(_, constructors) => {
            for c in constructors {
                free.out.insert(c.name);
                c.of.iter().for_each(|e| free.expr(e));
            }
        }
        _ => {}
    }
    out.extend(pattern_constructors(decl));
    out
}

/// The names in the patterns of a function's clauses: some may be constructors, which it then depends on.
fn pattern_constructors(decl: &Decl) -> Vec<Symbol> {
    let mut names = Vec::new();
    if let DeclKind::Function(_, clauses) = &decl.kind {
        clauses.iter().flat_map(|c| c.params.iter().flatten()).for_each(|p| pattern_names(p, &mut names));
    }
    names
}

struct Free<'a> {
    bound: Vec<Symbol>,
    out: &'a mut BTreeSet<Symbol>,
}

impl Free<'_> {
    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let depth = self.bound.len();
        inner(self);
        self.bound.truncate(depth);
    }

    fn bind(&mut self, pat: &Pat) {
        pattern_names(pat, &mut self.bound);
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|e| self.expr(e));
    }

    fn pairs(&mut self, pairs: &[(Expr, Expr)]) {
        for (a, b) in pairs {
            self.expr(a);
            self.expr(b);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Generator(pat, from) => {
                    self.expr(from);
                    self.bind(pat);
                }
                Stmt::Guard(e) => self.expr(e),
            }
        }
    }

    fn let_in(&mut self, decls: &[Decl], body: &Expr) {
        self.scoped(|s| {
            for decl in decls {
                match &decl.kind {
                    DeclKind::Function(name, _) => s.bound.push(*name),
                    DeclKind::Pattern(pat, _) => s.bind(pat),
                    _ => {}
                }
            }
            decls.iter().for_each(|d| s.decl(d));
            s.expr(body);
        });
    }

    fn decl(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Function(_, clauses) => clauses.iter().for_each(|c| {
                self.scoped(|s| {
                    c.params.iter().flatten().for_each(|p| s.bind(p));
                    s.expr(&c.body);
                });
            }),
            DeclKind::Pattern(_, e) => self.expr(e),
            _ => {}
        }
    }

    fn prefix(&mut self, head: &Expr, fields: &[Field], body: &Expr) {
        self.expr(head);
        self.scoped(|s| {
            for field in fields {
                match &field.kind {
                    FieldKind::Output(e) => s.expr(e),
                    FieldKind::Input(p, from) | FieldKind::NondetInput(p, from) => {
                        from.iter().for_each(|e| s.expr(e));
                        s.bind(p);
                    }
                }
            }
            s.expr(body);
        });
    }

    fn replicated(&mut self, op: &ReplOp, stmts: &[Stmt], body: &Expr) {
        if let ReplOp::Parallel(set) | ReplOp::SyncExternal(set) = op {
            self.expr(set);
        }
        self.scoped(|s| {
            s.stmts(stmts);
            match op {
                ReplOp::Alphabetised(set) => s.expr(set),
                ReplOp::Link(pairs, inner) => s.scoped(|s| {
                    s.stmts(inner);
                    s.pairs(pairs);
                }),
                _ => {}
            }
            s.expr(body);
        });
    }

    fn expr(&mut self, expr: &Expr) {
        use ExprKind::*;
        match &*expr.kind {
            Int(_) | Char(_) | Str(_) | Bool(_) | Wildcard => {}
            Var(name) => {
                if !self.bound.contains(name) {
                    self.out.insert(*name);
                }
            }
            Tuple(items) => self.exprs(items),
            App(f, args) => {
                self.expr(f);
                self.exprs(args);
            }
            Lambda(params, body) => self.scoped(|s| {
                params.iter().for_each(|p| s.bind(p));
                s.expr(body);
            }),
            Let(decls, body) => self.let_in(decls, body),
            Not(e) | Neg(e) | Length(e) => self.expr(e),
            Both(a, b) | Bin(_, a, b) | Dot(a, b) | Guard(a, b) | Proc(_, a, b) | Hide(a, b) | Project(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            If(a, b, c) | OnSet(_, a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Alphabetised(p, a, b, q) => [p, a, b, q].into_iter().for_each(|e| self.expr(e)),
            Seq(items, stmts) | Set(items, stmts) | Productions(items, stmts) => self.scoped(|s| {
                s.stmts(stmts);
                s.exprs(items);
            }),
            SeqRange(lo, hi, stmts) | SetRange(lo, hi, stmts) => self.scoped(|s| {
                s.stmts(stmts);
                s.expr(lo);
                hi.iter().for_each(|e| s.expr(e));
            }),
            Map(pairs) => self.pairs(pairs),
            Prefix(head, fields, body) => self.prefix(head, fields, body),
            Link(p, pairs, stmts, q) => {
                self.expr(p);
                self.expr(q);
                self.scoped(|s| {
                    s.stmts(stmts);
                    s.pairs(pairs);
                });
            }
            Rename(p, pairs, stmts) => {
                self.expr(p);
                self.scoped(|s| {
                    s.stmts(stmts);
                    s.pairs(pairs);
                });
            }
            Replicated(op, stmts, body) => self.replicated(op, stmts, body),
        }
    }
}
