//! Expressions that are not processes.

use super::env::{self, Env, GroupId, Scope};
use super::value::{Closure, Thunk, ThunkState};
use super::*;
use crate::syntax::*;
use std::cell::RefCell;

impl Evaluator {
    pub fn eval(&mut self, expr: &Expr, env: &Env) -> Eval<Value> {
        self.enter(expr.span)?;
        let result = self.eval_kind(expr, env);
        self.depth -= 1;
        result
    }

    fn eval_kind(&mut self, expr: &Expr, env: &Env) -> Eval<Value> {
        use ExprKind::*;
        match &*expr.kind {
            Int(n) => Ok(Value::Int(*n)),
            Char(c) => Ok(Value::Char(*c)),
            Bool(b) => Ok(Value::Bool(*b)),
            Str(s) => Ok(value::Seq::of(s.chars().map(Value::Char).collect())),
            Var(name) => self.variable(*name, expr.span, env),
            Wildcard | Both(..) => error(expr.span, "a pattern stands where a value is needed"),
            Tuple(items) => Ok(Value::Tuple(self.eval_all(items, env)?.into())),
            App(f, args) => self.application(f, args, env, expr.span),
            Lambda(params, body) => Ok(self.lambda(expr, params, body, env)),
            Let(decls, body) => {
                let env = self.let_scope(expr.id, decls, body, env)?;
                self.eval(body, &env)
            }
            If(c, a, b) => match self.eval_bool(c, env)? {
                true => self.eval(a, env),
                false => self.eval(b, env),
            },
            Bin(op, a, b) => self.binary(*op, a, b, env, expr.span),
            Not(e) => Ok(Value::Bool(!self.eval_bool(e, env)?)),
            Neg(e) => match self.eval_int(e, env)?.checked_neg() {
                Some(n) => Ok(Value::Int(n)),
                None => error(expr.span, "this number does not fit 64 bits"),
            },
            Length(e) => {
                let seq = self.eval(e, env)?;
                Ok(Value::Int(self.elements(&seq, e.span)?.len() as i64))
            }
            Seq(..) | SeqRange(..) => self.sequence(expr, env),
            Set(..) | SetRange(..) | Productions(..) => self.set_value(expr, env),
            Map(pairs) => self.map(pairs, env),
            Dot(a, b) => {
                let left = self.eval(a, env)?;
                let right = self.eval(b, env)?;
                self.combine(left, right, expr.span)
            }
            _ => self.process(expr, env).map(Value::Proc),
        }
    }

    pub fn eval_all(&mut self, exprs: &[Expr], env: &Env) -> Eval<Vec<Value>> {
        exprs.iter().map(|e| self.eval(e, env)).collect()
    }

    pub fn eval_bool(&mut self, expr: &Expr, env: &Env) -> Eval<bool> {
        match self.eval(expr, env)? {
            Value::Bool(b) => Ok(b),
            other => error(expr.span, format!("expected a boolean, found {}", self.show(&other))),
        }
    }

    pub fn eval_int(&mut self, expr: &Expr, env: &Env) -> Eval<i64> {
        match self.eval(expr, env)? {
            Value::Int(n) => Ok(n),
            other => error(expr.span, format!("expected a number, found {}", self.show(&other))),
        }
    }

    fn variable(&mut self, name: Symbol, span: Span, env: &Env) -> Eval<Value> {
        if let Some((thunk, _)) = env::lookup(env, name) {
            return self.force(&thunk, span);
        }
        match self.globals.get(&name).cloned() {
            Some(_) if !self.in_progress.is_empty() && self.unfinished_type(name).is_some() => {
                Ok(Value::Set(self.unfinished_type(name).expect("it was just there")))
            }
            Some(thunk) => {
                let value = self.force(&thunk, span)?;
                self.name_term(&value, |s| s.symbols.name(name).to_owned());
                Ok(value)
            }
            None => self.builtin_value(name, span),
        }
    }

    fn map(&mut self, pairs: &[(Expr, Expr)], env: &Env) -> Eval<Value> {
        let mut map = std::collections::BTreeMap::new();
        for (key, value) in pairs {
            map.insert(self.eval(key, env)?, self.eval(value, env)?);
        }
        Ok(Value::Map(Rc::new(map)))
    }

    fn lambda(&mut self, expr: &Expr, params: &[Pat], body: &Expr, env: &Env) -> Value {
        let clause = Clause { span: expr.span, params: vec![params.to_vec()], body: body.clone() };
        let clauses = Rc::new(vec![clause]);
        Value::Fun(Rc::new(Closure { name: None, id: expr.id, clauses, env: env.clone(), given: Vec::new() }))
    }

    /// The scope of a `let`, shared between evaluations that give its free names equal values.
    fn let_scope(&mut self, id: ExprId, decls: &Rc<Vec<Decl>>, body: &Expr, env: &Env) -> Eval<Env> {
        let mut key = Vec::new();
        for &name in self.free_names_of_let(id, decls, body).iter() {
            if let Some((thunk, group)) = env::lookup(env, name) {
                let part = match group {
                    Some(GroupId(g)) => Value::Dot(Rc::new([Value::Int(g.into()), Value::Int(name.0.into())])),
                    None => self.force(&thunk, body.span)?,
                };
                key.push(self.comparable(part)?);
            }
        }
        if let Some(scope) = self.groups.get(&(id, key.clone())) {
            return Ok(scope.clone());
        }
        let group = Some(GroupId(self.groups.len() as u32));
        let scope: Env = Some(Rc::new(Scope { vars: RefCell::new(Vec::new()), group, parent: env.clone() }));
        for decl in decls.iter() {
            self.declare(decl, &scope);
        }
        self.groups.insert((id, key), scope.clone());
        Ok(scope)
    }

    /// Adds what a local declaration binds to its scope.
    fn declare(&mut self, decl: &Decl, scope: &Env) {
        let bound = match &decl.kind {
            DeclKind::Function(name, clauses) => vec![(*name, self.function(*name, clauses, scope))],
            DeclKind::Pattern(pat, e) => self.pattern_thunks(pat, Thunk::waiting(e, scope)),
            _ => Vec::new(),
        };
        if let Some(scope) = scope {
            scope.vars.borrow_mut().extend(bound);
        }
    }

    pub(super) fn function(&mut self, name: Symbol, clauses: &Rc<Vec<Clause>>, env: &Env) -> Thunk {
        if clauses[0].params.is_empty() {
            return Thunk::waiting(&clauses[0].body, env);
        }
        let id = clauses[0].body.id;
        let closure = Closure { name: Some(name), id, clauses: clauses.clone(), env: env.clone(), given: Vec::new() };
        Thunk::ready(Value::Fun(Rc::new(closure)))
    }

    pub(super) fn pattern_thunks(&mut self, pat: &Pat, source: Thunk) -> Vec<(Symbol, Thunk)> {
        let mut names = Vec::new();
        crate::syntax::names::pattern_names(pat, &mut names);
        names.retain(|n| !self.constructors.contains_key(n));
        let pat = Rc::new(pat.clone());
        let thunk = |n| Thunk::new(ThunkState::Project(pat.clone(), Box::new(source.clone()), n));
        names.into_iter().map(|n| (n, thunk(n))).collect()
    }

    /// An argument: literals and names cost nothing to pass on, everything else waits.
    fn argument(&mut self, expr: &Expr, env: &Env) -> Thunk {
        match &*expr.kind {
            ExprKind::Int(n) => Thunk::ready(Value::Int(*n)),
            ExprKind::Bool(b) => Thunk::ready(Value::Bool(*b)),
            ExprKind::Var(name) => match env::lookup(env, *name) {
                Some((thunk, _)) => thunk,
                None => self.globals.get(name).cloned().unwrap_or_else(|| Thunk::waiting(expr, env)),
            },
            _ => Thunk::waiting(expr, env),
        }
    }

    fn application(&mut self, f: &Expr, args: &[Expr], env: &Env, span: Span) -> Eval<Value> {
        match self.eval(f, env)? {
            Value::Fun(closure) => {
                let args = args.iter().map(|a| self.argument(a, env)).collect();
                self.apply(&closure, args, span)
            }
            Value::Builtin(name) => {
                let args = self.eval_all(args, env)?;
                self.call_builtin(name, args, span)
            }
            other => error(f.span, format!("{} is not a function", self.show(&other))),
        }
    }

    /// Applies a function to one more group of arguments.
    pub fn apply(&mut self, closure: &Rc<Closure>, args: Vec<Thunk>, span: Span) -> Eval<Value> {
        let mut given = closure.given.clone();
        given.push(args);
        if given.len() < closure.clauses[0].params.len() {
            let (name, id, env) = (closure.name, closure.id, closure.env.clone());
            let clauses = closure.clauses.clone();
            return Ok(Value::Fun(Rc::new(Closure { name, id, clauses, env, given })));
        }
        for clause in closure.clauses.iter() {
            let mut bound = Vec::new();
            if self.matches_clause(clause, &given, &mut bound)? {
                let scope = env::child(bound, &closure.env);
                let value = self.eval(&clause.body, &scope)?;
                self.name_call(&value, closure, &given);
                return Ok(value);
            }
        }
        let name = closure.name.map_or("this function", |n| self.symbols.name(n)).to_owned();
        let mut shown = Vec::new();
        for thunk in given.iter().flatten() {
            let value = self.force(thunk, span)?;
            shown.push(self.show(&value));
        }
        error_hint(
            span,
            format!("no clause of {name} matches ({})", shown.join(", ")),
            "add a clause for this case, or a last clause with variables",
        )
    }

    /// Names a process after the call that gave it, as far as the arguments are known.
    fn name_call(&mut self, value: &Value, closure: &Closure, given: &[Vec<Thunk>]) {
        let Some(name) = closure.name else { return };
        self.watch_growth(value, name, given);
        self.name_term(value, |s| {
            let shown = |t: &Thunk| match &*t.0.borrow() {
                ThunkState::Ready(v) => s.show(v),
                _ => "_".into(),
            };
            let groups = given.iter().map(|g| format!("({})", g.iter().map(shown).collect::<Vec<_>>().join(", ")));
            format!("{}{}", s.symbols.name(name), groups.collect::<String>())
        });
    }

    /// Notes a process that is met for the first time, with the greatest number it was called with.
    fn watch_growth(&mut self, value: &Value, name: Symbol, given: &[Vec<Thunk>]) {
        let Value::Proc(term) = value else { return };
        if self.names.contains_key(term) {
            return;
        }
        let size = |t: &Thunk| match &*t.0.borrow() {
            ThunkState::Ready(Value::Int(n)) => Some(*n),
            ThunkState::Ready(Value::Seq(value::Seq::Known(items, from))) => Some((items.len() - from) as i64),
            _ => None,
        };
        let Some(size) = given.iter().flatten().filter_map(size).max() else { return };
        let growth = self.calls.entry(name).or_default();
        if size > growth.greatest {
            *growth = Growth { greatest: size, rising: growth.rising + 1 };
        }
    }

    fn matches_clause(
        &mut self,
        clause: &Clause,
        given: &[Vec<Thunk>],
        bound: &mut Vec<(Symbol, Thunk)>,
    ) -> Eval<bool> {
        for (pats, thunks) in clause.params.iter().zip(given) {
            if pats.len() != thunks.len() {
                return error(
                    clause.span,
                    format!("this function takes {} arguments and was given {}", pats.len(), thunks.len()),
                );
            }
            for (pat, thunk) in pats.iter().zip(thunks) {
                if !self.matches(pat, thunk, bound)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
