//! A copy of a tree with other names, and with time in it.

pub(super) mod timed;

use super::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use timed::Time;

pub struct Rewrite<'a> {
    pub symbols: &'a mut Symbols,
    names: FxHashMap<Symbol, Symbol>,
    /// Renamed names that patterns match rather than bind.
    constructors: FxHashSet<Symbol>,
    bound: Vec<Symbol>,
    pub(super) time: Option<Time>,
    pub errors: Vec<Diagnostic>,
}

impl<'a> Rewrite<'a> {
    pub fn renaming(symbols: &'a mut Symbols) -> Self {
        let (names, constructors) = (FxHashMap::default(), FxHashSet::default());
        Rewrite { symbols, names, constructors, bound: Vec::new(), time: None, errors: Vec::new() }
    }

    pub fn rename(&mut self, name: Symbol, shape: &str, constructor: bool) {
        let long = shape.replace("{}", self.symbols.name(name));
        let long = self.symbols.intern(&long);
        self.names.insert(name, long);
        if constructor {
            self.constructors.insert(name);
        }
    }

    pub(super) fn node(&mut self, span: Span, kind: ExprKind) -> Expr {
        Expr { id: ExprId(self.symbols.next_expression()), span, kind: Rc::new(kind) }
    }

    fn name(&self, name: Symbol) -> Symbol {
        if self.bound.contains(&name) { name } else { self.names.get(&name).copied().unwrap_or(name) }
    }

    fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.bound.len();
        let result = body(self);
        self.bound.truncate(depth);
        result
    }

    /// A pattern: its constructors are renamed, its variables hide what they are called.
    fn pattern(&mut self, pat: &Pat) -> Pat {
        let copy = self.map_pattern(pat, &|s: &Self, n| match s.constructors.contains(&n) {
            true => s.name(n),
            false => n,
        });
        let mut names = Vec::new();
        crate::syntax::names::pattern_names(pat, &mut names);
        names.retain(|n| !self.constructors.contains(n));
        self.bound.extend(names);
        copy
    }

    /// A pattern whose variables are the renamed ones.
    pub fn bound_pattern(&mut self, pat: &Pat) -> Pat {
        self.map_pattern(pat, &|s: &Self, n| s.name(n))
    }

    fn map_pattern(&self, pat: &Pat, name: &dyn Fn(&Self, Symbol) -> Symbol) -> Pat {
        let one = |p: &Pat| Box::new(self.map_pattern(p, name));
        let all = |items: &[Pat]| items.iter().map(|p| self.map_pattern(p, name)).collect();
        let kind = match &pat.kind {
            PatKind::Name(n) => PatKind::Name(name(self, *n)),
            PatKind::Tuple(items) => PatKind::Tuple(all(items)),
            PatKind::Seq(items) => PatKind::Seq(all(items)),
            PatKind::Singleton(p) => PatKind::Singleton(one(p)),
            PatKind::Concat(a, b) => PatKind::Concat(one(a), one(b)),
            PatKind::Dot(a, b) => PatKind::Dot(one(a), one(b)),
            PatKind::Both(a, b) => PatKind::Both(one(a), one(b)),
            other => other.clone(),
        };
        Pat { span: pat.span, kind }
    }

    /// Declarations, with those of timed sections in place of the sections where time is understood.
    pub fn decls(&mut self, decls: &[Decl]) -> Vec<Decl> {
        let mut out = Vec::new();
        for decl in decls {
            match &decl.kind {
                DeclKind::Timed(cost, inner) if self.time.is_some() => {
                    let cost = cost.as_ref().map(|e| self.expr(e));
                    let outer = self.enter_section(cost, decl.span);
                    out.extend(self.decls(inner));
                    self.time = outer;
                }
                _ => out.push(self.decl(decl)),
            }
        }
        out
    }

    pub fn decl(&mut self, decl: &Decl) -> Decl {
        let spanned = |s: &Self, names: &[(Symbol, Span)]| names.iter().map(|(n, at)| (s.name(*n), *at)).collect();
        let kind = match &decl.kind {
            DeclKind::Function(name, clauses) => {
                let clauses = clauses.iter().map(|c| self.clause(c)).collect();
                DeclKind::Function(self.name(*name), Rc::new(clauses))
            }
            DeclKind::Pattern(pat, e) => DeclKind::Pattern(self.bound_pattern(pat), self.expr(e)),
            DeclKind::Channel(names, of) => DeclKind::Channel(spanned(self, names), of.as_ref().map(|e| self.expr(e))),
            DeclKind::Datatype(name, ctors) => DeclKind::Datatype(self.name(*name), self.ctors(ctors)),
            DeclKind::Subtype(name, ctors) => DeclKind::Subtype(self.name(*name), self.ctors(ctors)),
            DeclKind::Nametype(name, e) => DeclKind::Nametype(self.name(*name), self.expr(e)),
            DeclKind::Annotation(names, scheme) => DeclKind::Annotation(spanned(self, names), scheme.clone()),
            DeclKind::Assert(a) => DeclKind::Assert(Rc::new(self.assertion(a))),
            DeclKind::Print(e) => DeclKind::Print(self.expr(e)),
            DeclKind::Timed(cost, inner) => {
                let cost = cost.as_ref().map(|e| self.expr(e));
                DeclKind::Timed(cost, inner.iter().map(|d| self.decl(d)).collect())
            }
            other => other.clone(),
        };
        Decl { span: decl.span, kind }
    }

    fn ctors(&mut self, ctors: &[Constructor]) -> Vec<Constructor> {
        let one = |c: &Constructor| Constructor {
            name: self.name(c.name),
            span: c.span,
            of: c.of.as_ref().map(|e| self.expr(e)),
        };
        ctors.iter().map(one).collect()
    }

    fn clause(&mut self, clause: &Clause) -> Clause {
        self.scoped(|s| {
            let params = clause.params.iter().map(|g| g.iter().map(|p| s.pattern(p)).collect()).collect();
            Clause { span: clause.span, params, body: s.expr(&clause.body) }
        })
    }

    fn assertion(&mut self, a: &Assertion) -> Assertion {
        let claim = match &a.claim {
            Claim::Refines { spec, model, implementation } => {
                Claim::Refines { spec: self.expr(spec), model: *model, implementation: self.expr(implementation) }
            }
            Claim::DeadlockFree(p, m) => Claim::DeadlockFree(self.expr(p), *m),
            Claim::DivergenceFree(p) => Claim::DivergenceFree(self.expr(p)),
            Claim::Deterministic(p, m) => Claim::Deterministic(self.expr(p), *m),
            Claim::HasTrace { process, model, trace } => {
                Claim::HasTrace { process: self.expr(process), model: *model, trace: self.expr(trace) }
            }
        };
        let tau_priority = a.options.tau_priority.as_ref().map(|e| self.expr(e));
        let options = AssertOptions { tau_priority, ..a.options.clone() };
        Assertion { claim, options, ..a.clone() }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn pairs(&mut self, pairs: &[(Expr, Expr)]) -> Vec<(Expr, Expr)> {
        pairs.iter().map(|(a, b)| (self.expr(a), self.expr(b))).collect()
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            out.push(match stmt {
                Stmt::Generator(pat, from) => {
                    let from = self.expr(from);
                    Stmt::Generator(self.pattern(pat), from)
                }
                Stmt::Guard(e) => Stmt::Guard(self.expr(e)),
            });
        }
        out
    }

    fn let_in(&mut self, decls: &[Decl], body: &Expr) -> ExprKind {
        self.scoped(|s| {
            let names: Vec<Symbol> = decls.iter().flat_map(declared_names).map(|(n, _)| n).collect();
            s.bound.extend(names);
            let decls = s.decls(decls);
            ExprKind::Let(Rc::new(decls), s.expr(body))
        })
    }

    fn fields(&mut self, fields: &[Field]) -> Vec<Field> {
        let mut out = Vec::new();
        for field in fields {
            let kind = match &field.kind {
                FieldKind::Output(e) => FieldKind::Output(self.expr(e)),
                FieldKind::Input(p, from) => {
                    let from = from.as_ref().map(|e| self.expr(e));
                    FieldKind::Input(self.pattern(p), from)
                }
                FieldKind::NondetInput(p, from) => {
                    let from = from.as_ref().map(|e| self.expr(e));
                    FieldKind::NondetInput(self.pattern(p), from)
                }
            };
            out.push(Field { span: field.span, kind });
        }
        out
    }

    fn replicated(&mut self, op: &ReplOp, stmts: &[Stmt], body: &Expr) -> ExprKind {
        let outer = match op {
            ReplOp::Parallel(set) => Some(ReplOp::Parallel(self.expr(set))),
            ReplOp::SyncExternal(set) => Some(ReplOp::SyncExternal(self.expr(set))),
            _ => None,
        };
        self.scoped(|s| {
            let stmts = s.stmts(stmts);
            let op = outer.unwrap_or_else(|| match op {
                ReplOp::Alphabetised(set) => ReplOp::Alphabetised(s.expr(set)),
                ReplOp::Link(pairs, inner) => s.scoped(|s| {
                    let inner = s.stmts(inner);
                    ReplOp::Link(s.pairs(pairs), inner)
                }),
                other => other.clone(),
            });
            let body = s.expr(body);
            s.timed_replicated(op, stmts, body)
        })
    }

    pub fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = self.kind(expr);
        let kind = self.with_time(kind, expr.span);
        self.node(expr.span, kind)
    }

    fn kind(&mut self, expr: &Expr) -> ExprKind {
        use ExprKind::*;
        match &*expr.kind {
            Var(name) => Var(self.name(*name)),
            Both(a, b) => Both(self.expr(a), self.expr(b)),
            Tuple(items) => Tuple(self.exprs(items)),
            App(f, args) => App(self.expr(f), self.exprs(args)),
            Lambda(params, body) => self.scoped(|s| {
                let params = params.iter().map(|p| s.pattern(p)).collect();
                Lambda(params, s.expr(body))
            }),
            Let(decls, body) => self.let_in(decls, body),
            If(a, b, c) => If(self.expr(a), self.expr(b), self.expr(c)),
            Bin(op, a, b) => Bin(*op, self.expr(a), self.expr(b)),
            Not(e) => Not(self.expr(e)),
            Neg(e) => Neg(self.expr(e)),
            Length(e) => Length(self.expr(e)),
            Seq(items, stmts) => self.listed(items, stmts, Seq),
            Set(items, stmts) => self.listed(items, stmts, Set),
            Productions(items, stmts) => self.listed(items, stmts, Productions),
            SeqRange(lo, hi, stmts) => self.ranged(lo, hi.as_ref(), stmts, SeqRange),
            SetRange(lo, hi, stmts) => self.ranged(lo, hi.as_ref(), stmts, SetRange),
            Map(pairs) => Map(self.pairs(pairs)),
            Dot(a, b) => Dot(self.expr(a), self.expr(b)),
            Prefix(head, fields, body) => self.scoped(|s| {
                let head = s.expr(head);
                let fields = s.fields(fields);
                Prefix(head, fields, s.expr(body))
            }),
            Guard(b, p) => Guard(self.expr(b), self.expr(p)),
            Proc(op, p, q) => Proc(*op, self.expr(p), self.expr(q)),
            OnSet(op, p, set, q) => OnSet(*op, self.expr(p), self.expr(set), self.expr(q)),
            Alphabetised(p, a, b, q) => Alphabetised(self.expr(p), self.expr(a), self.expr(b), self.expr(q)),
            Hide(p, set) => Hide(self.expr(p), self.expr(set)),
            Project(p, set) => Project(self.expr(p), self.expr(set)),
            Link(p, pairs, stmts, q) => {
                let (p, q) = (self.expr(p), self.expr(q));
                self.scoped(|s| {
                    let stmts = s.stmts(stmts);
                    Link(p, s.pairs(pairs), stmts, q)
                })
            }
            Rename(p, pairs, stmts) => {
                let p = self.expr(p);
                self.scoped(|s| {
                    let stmts = s.stmts(stmts);
                    Rename(p, s.pairs(pairs), stmts)
                })
            }
            Replicated(op, stmts, body) => self.replicated(op, stmts, body),
            other => other.clone(),
        }
    }

    fn listed(&mut self, items: &[Expr], stmts: &[Stmt], make: fn(Vec<Expr>, Vec<Stmt>) -> ExprKind) -> ExprKind {
        self.scoped(|s| {
            let stmts = s.stmts(stmts);
            make(s.exprs(items), stmts)
        })
    }

    fn ranged(
        &mut self,
        lo: &Expr,
        hi: Option<&Expr>,
        stmts: &[Stmt],
        make: fn(Expr, Option<Expr>, Vec<Stmt>) -> ExprKind,
    ) -> ExprKind {
        self.scoped(|s| {
            let stmts = s.stmts(stmts);
            make(s.expr(lo), hi.map(|e| s.expr(e)), stmts)
        })
    }
}
