//! The types of expressions.

use super::scheme::Scheme;
use super::{Checker, Class, Constraint, Scope, Type};
use crate::source::Span;
use crate::syntax::*;

impl Checker<'_> {
    pub(super) fn infer(&mut self, expr: &Expr) -> Type {
        use ExprKind::*;
        if self.is_expired() {
            return self.fresh();
        }
        match &*expr.kind {
            Int(_) => Type::Int,
            Char(_) => Type::Char,
            Bool(_) => Type::Bool,
            Str(_) => Type::Seq(Box::new(Type::Char)),
            Var(name) => self.lookup(*name, expr.span),
            Wildcard | Both(..) => {
                self.error(expr.span, "a pattern stands where a value is needed").hint =
                    Some("_ and @@ belong in patterns".into());
                self.fresh()
            }
            Tuple(items) => Type::Tuple(items.iter().map(|e| self.infer(e)).collect()),
            App(f, args) => self.application(f, args, expr.span),
            Lambda(params, body) => self.scoped(|c| {
                let mut seen = Vec::new();
                let params = params.iter().map(|p| c.pattern(p, &mut seen)).collect();
                let body = c.infer(body);
                Type::Function(params, Box::new(body))
            }),
            Let(decls, body) => {
                let depth = self.scopes.len();
                self.let_group(decls);
                let ty = self.infer(body);
                self.scopes.truncate(depth);
                ty
            }
            If(c, a, b) => {
                self.expect(c, &Type::Bool);
                let ty = self.infer(a);
                self.expect(b, &ty);
                ty
            }
            Bin(op, a, b) => self.binary(*op, a, b, expr.span),
            Not(e) => self.expect(e, &Type::Bool),
            Neg(e) => self.expect(e, &Type::Int),
            Length(e) => {
                let item = self.fresh();
                self.expect(e, &Type::Seq(Box::new(item)));
                Type::Int
            }
            Seq(items, stmts) => self.scoped(|c| {
                c.statements(stmts, false);
                Type::Seq(Box::new(c.items(items)))
            }),
            Set(items, stmts) => self.scoped(|c| {
                c.statements(stmts, true);
                let item = c.items(items);
                c.constrain(Class::Set, &item, expr.span);
                Type::Set(Box::new(item))
            }),
            SeqRange(lo, hi, stmts) => self.range(lo, hi.as_ref(), stmts, false),
            SetRange(lo, hi, stmts) => self.range(lo, hi.as_ref(), stmts, true),
            Productions(items, stmts) => self.scoped(|c| {
                c.statements(stmts, true);
                let result = c.fresh();
                for item in items {
                    let of = c.infer(item);
                    c.constraints.push(Constraint::Yields { of, to: result.clone(), span: item.span });
                }
                c.solve();
                Type::Set(Box::new(result))
            }),
            Map(pairs) => self.map(pairs, expr.span),
            Dot(..) => {
                let parts = self.dot_parts(expr);
                self.dotted(parts, expr.span)
            }
            _ => self.process(expr),
        }
    }

    /// The types of the parts of `a.b.c`, from left to right.
    fn dot_parts(&mut self, expr: &Expr) -> Vec<Type> {
        match &*expr.kind {
            ExprKind::Dot(a, b) => {
                let mut parts = vec![self.infer(a)];
                parts.extend(self.dot_parts(b));
                parts
            }
            _ => vec![self.infer(expr)],
        }
    }

    pub(super) fn expect(&mut self, expr: &Expr, wanted: &Type) -> Type {
        let found = self.infer(expr);
        self.solve();
        self.unify(wanted, &found, expr.span);
        wanted.clone()
    }

    pub(super) fn constrain(&mut self, class: Class, ty: &Type, span: Span) {
        self.constraints.push(Constraint::Class(class, ty.clone(), span));
    }

    pub(super) fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.scopes.len();
        self.scopes.push(Scope { names: Vec::new() });
        let result = body(self);
        self.scopes.truncate(depth);
        result
    }

    pub(super) fn declare(&mut self, name: Symbol, ty: Type) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push((name, Scheme::plain(ty)));
        }
    }

    fn application(&mut self, f: &Expr, args: &[Expr], span: Span) -> Type {
        let function = self.infer(f);
        if let Type::Function(params, result) = self.resolve(&function) {
            if params.len() != args.len() {
                self.error(span, format!("this takes {} argument(s) and is given {}", params.len(), args.len()));
                return *result;
            }
            for (param, arg) in params.iter().zip(args) {
                self.expect(arg, param);
            }
            return *result;
        }
        let args: Vec<Type> = args.iter().map(|a| self.infer(a)).collect();
        let result = self.fresh();
        if let Type::Var(_) | Type::Function(..) = self.resolve(&function) {
            self.unify(&Type::Function(args, Box::new(result.clone())), &function, f.span);
        } else {
            let shown = self.show(&function);
            self.error(f.span, format!("a value of type {shown} is not a function"));
        }
        result
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Type {
        match op {
            BinOp::And | BinOp::Or => {
                self.expect(a, &Type::Bool);
                self.expect(b, &Type::Bool)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => {
                self.expect(a, &Type::Int);
                self.expect(b, &Type::Int)
            }
            BinOp::Concat => {
                let item = self.fresh();
                let seq = Type::Seq(Box::new(item));
                self.expect(a, &seq);
                self.expect(b, &seq)
            }
            _ => {
                let ty = self.infer(a);
                self.expect(b, &ty);
                let class = if matches!(op, BinOp::Eq | BinOp::Ne) { Class::Eq } else { Class::Ord };
                self.constrain(class, &ty, span);
                Type::Bool
            }
        }
    }

    fn items(&mut self, items: &[Expr]) -> Type {
        let ty = self.fresh();
        for item in items {
            self.expect(item, &ty);
        }
        ty
    }

    fn range(&mut self, lo: &Expr, hi: Option<&Expr>, stmts: &[Stmt], set: bool) -> Type {
        self.scoped(|c| {
            c.statements(stmts, set);
            c.expect(lo, &Type::Int);
            if let Some(hi) = hi {
                c.expect(hi, &Type::Int);
            }
        });
        if set { Type::Set(Box::new(Type::Int)) } else { Type::Seq(Box::new(Type::Int)) }
    }

    fn map(&mut self, pairs: &[(Expr, Expr)], span: Span) -> Type {
        let (key, value) = (self.fresh(), self.fresh());
        for (k, v) in pairs {
            self.expect(k, &key);
            self.expect(v, &value);
        }
        self.constrain(Class::Set, &key, span);
        Type::Map(Box::new(key), Box::new(value))
    }

    /// Binds what generators bind, in the scope at hand. A generator ranges over sets, or over sequences.
    pub(super) fn statements(&mut self, stmts: &[Stmt], sets: bool) {
        for stmt in stmts {
            match stmt {
                Stmt::Guard(e) => drop(self.expect(e, &Type::Bool)),
                Stmt::Generator(pat, from) => {
                    let found = self.infer(from);
                    self.solve();
                    let item = self.fresh();
                    let wanted = match self.resolve(&found) {
                        Type::Seq(_) => Type::Seq(Box::new(item.clone())),
                        Type::Var(_) if !sets => Type::Seq(Box::new(item.clone())),
                        _ => Type::Set(Box::new(item.clone())),
                    };
                    self.unify(&wanted, &found, from.span);
                    let bound = self.bind_pattern(pat);
                    self.unify(&item, &bound, pat.span);
                }
            }
        }
    }
}
