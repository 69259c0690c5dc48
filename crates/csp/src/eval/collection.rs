//! Sequences, sets and comprehensions, endless ones included.

use super::env::child;
use super::value::Comprehension;
use super::*;
use crate::syntax::*;

impl Evaluator {
    /// All elements of a sequence; an endless one is an error.
    pub fn elements(&mut self, value: &Value, span: Span) -> Eval<Vec<Value>> {
        match value {
            Value::Seq(Seq::Known(items, from)) => Ok(items[*from..].to_vec()),
            Value::Seq(seq) => {
                let (mut out, mut rest) = (Vec::new(), seq.clone());
                while let Some((head, tail)) = self.uncons(&rest, span)? {
                    out.push(head);
                    rest = tail;
                    if out.len() > MAX_ELEMENTS {
                        return error_hint(span, "this sequence has no end", "take a finite part of it first");
                    }
                    self.enter(span)?;
                    self.depth -= 1;
                }
                Ok(out)
            }
            other => error(span, format!("expected a sequence, found {}", self.show(other))),
        }
    }

    /// The first element and the rest.
    pub fn uncons(&mut self, seq: &Seq, span: Span) -> Eval<Option<(Value, Seq)>> {
        match seq {
            Seq::Known(items, from) => {
                Ok(items.get(*from).map(|head| (head.clone(), Seq::Known(items.clone(), from + 1))))
            }
            Seq::From(n) => Ok(Some((Value::Int(*n), Seq::From(n + 1)))),
            Seq::Append(items, from, rest) => match items.get(*from) {
                Some(head) => Ok(Some((head.clone(), Seq::Append(items.clone(), from + 1, rest.clone())))),
                None => self.uncons(rest, span),
            },
            Seq::Mapped(comprehension, source) => self.uncons_mapped(comprehension, source, span),
        }
    }

    fn uncons_mapped(&mut self, comp: &Rc<Comprehension>, source: &Seq, span: Span) -> Eval<Option<(Value, Seq)>> {
        let mut source = source.clone();
        loop {
            let Some((head, tail)) = self.uncons(&source, span)? else { return Ok(None) };
            let Stmt::Generator(pat, _) = &comp.stmts[0] else { return Ok(None) };
            let mut bound = Vec::new();
            if self.matches_value(pat, &head, &mut bound)? {
                let scope = child(bound, &comp.env);
                let mut values = Vec::new();
                for inner in self.solutions(&comp.stmts[1..], &scope)? {
                    values.extend(self.eval_all(&comp.items, &inner)?);
                }
                let rest = Seq::Mapped(comp.clone(), Rc::new(tail.clone()));
                if !values.is_empty() {
                    return self.uncons(&Seq::Append(Rc::new(values), 0, Rc::new(rest)), span);
                }
            }
            source = tail;
            self.enter(span)?;
            self.depth -= 1;
        }
    }

    pub(super) fn append(&mut self, left: Value, right: Value, span: Span) -> Eval<Value> {
        match (left, right) {
            (Value::Seq(Seq::Known(a, i)), Value::Seq(Seq::Known(b, j))) => {
                Ok(Seq::of(a[i..].iter().chain(&b[j..]).cloned().collect()))
            }
            (Value::Seq(Seq::Known(a, i)), Value::Seq(b)) => Ok(Value::Seq(Seq::Append(a, i, Rc::new(b)))),
            (Value::Seq(a), Value::Seq(b)) => match a {
                // An endless sequence never comes to what follows it.
                Seq::From(_) | Seq::Mapped(..) => Ok(Value::Seq(a)),
                _ => {
                    let mut items = self.elements(&Value::Seq(a), span)?;
                    items.extend(self.elements(&Value::Seq(b), span)?);
                    Ok(Seq::of(items))
                }
            },
            (a, b) => error(span, format!("^ joins sequences, not {} and {}", self.show(&a), self.show(&b))),
        }
    }

    pub(super) fn sequence(&mut self, expr: &Expr, env: &Env) -> Eval<Value> {
        match &*expr.kind {
            ExprKind::Seq(items, stmts) if stmts.is_empty() => Ok(Seq::of(self.eval_all(items, env)?)),
            ExprKind::Seq(items, stmts) => {
                if let Some(lazy) = self.endless(items, stmts, env)? {
                    return Ok(lazy);
                }
                let mut out = Vec::new();
                for scope in self.solutions(stmts, env)? {
                    out.extend(self.eval_all(items, &scope)?);
                }
                Ok(Seq::of(out))
            }
            ExprKind::SeqRange(lo, hi, stmts) => {
                if stmts.is_empty() && hi.is_none() {
                    return Ok(Value::Seq(Seq::From(self.eval_int(lo, env)?)));
                }
                let mut out = Vec::new();
                for scope in self.solutions(stmts, env)? {
                    if hi.is_none() {
                        // What would come after an endless range is never reached.
                        return Ok(Value::Seq(Seq::From(self.eval_int(lo, &scope)?)));
                    }
                    out.extend(self.range(lo, hi.as_ref(), &scope)?);
                }
                Ok(Seq::of(out))
            }
            _ => error(expr.span, "expected a sequence"),
        }
    }

    /// A comprehension whose first generator is an endless sequence is computed as it is used.
    fn endless(&mut self, items: &[Expr], stmts: &[Stmt], env: &Env) -> Eval<Option<Value>> {
        let Some(Stmt::Generator(_, from)) = stmts.first() else { return Ok(None) };
        match self.eval(from, env)? {
            Value::Seq(Seq::Known(..)) | Value::Set(_) => Ok(None),
            Value::Seq(source) => {
                let comp = Comprehension { items: items.to_vec(), stmts: stmts.to_vec(), env: env.clone() };
                Ok(Some(Value::Seq(Seq::Mapped(Rc::new(comp), Rc::new(source)))))
            }
            _ => Ok(None),
        }
    }

    fn range(&mut self, lo: &Expr, hi: Option<&Expr>, env: &Env) -> Eval<Vec<Value>> {
        let low = self.eval_int(lo, env)?;
        let Some(hi) = hi else {
            return error_hint(lo.span, "this range has no end", "give its upper bound");
        };
        let high = self.eval_int(hi, env)?;
        if high.saturating_sub(low) > MAX_ELEMENTS as i64 {
            return error(lo.span.to(hi.span), "this range is too large to list");
        }
        Ok((low..=high).map(Value::Int).collect())
    }

    pub(super) fn set_value(&mut self, expr: &Expr, env: &Env) -> Eval<Value> {
        let mut out = Vec::new();
        match &*expr.kind {
            ExprKind::SetRange(lo, None, stmts) if stmts.is_empty() => {
                return Ok(Value::Set(Set::IntsFrom(self.eval_int(lo, env)?)));
            }
            ExprKind::Set(items, stmts) => {
                for scope in self.solutions(stmts, env)? {
                    out.extend(self.eval_all(items, &scope)?);
                }
            }
            ExprKind::SetRange(lo, None, stmts) => {
                let mut least: Option<i64> = None;
                for scope in self.solutions(stmts, env)? {
                    let low = self.eval_int(lo, &scope)?;
                    least = Some(least.map_or(low, |l| l.min(low)));
                }
                return Ok(Value::Set(least.map_or(Set::of(Vec::new()), Set::IntsFrom)));
            }
            ExprKind::SetRange(lo, hi, stmts) => {
                for scope in self.solutions(stmts, env)? {
                    out.extend(self.range(lo, hi.as_ref(), &scope)?);
                }
            }
            ExprKind::Productions(items, stmts) => {
                for scope in self.solutions(stmts, env)? {
                    for item in items {
                        let value = self.eval(item, &scope)?;
                        out.extend(self.completions(&value, item.span)?);
                    }
                }
            }
            _ => return error(expr.span, "expected a set"),
        }
        for value in &mut out {
            *value = self.finite(std::mem::replace(value, Value::Int(0)), expr.span)?;
        }
        Ok(Value::Set(Set::of(out)))
    }

    /// The scopes in which all statements hold, in the order of the generators.
    pub(super) fn solutions(&mut self, stmts: &[Stmt], env: &Env) -> Eval<Vec<Env>> {
        let mut scopes = vec![env.clone()];
        for stmt in stmts {
            let mut next = Vec::new();
            for scope in &scopes {
                match stmt {
                    Stmt::Guard(e) => {
                        if self.eval_bool(e, scope)? {
                            next.push(scope.clone());
                        }
                    }
                    Stmt::Generator(pat, from) => self.generate(pat, from, scope, &mut next)?,
                }
            }
            if next.len() > MAX_ELEMENTS {
                return error(Span::default(), "a comprehension has too many elements to list");
            }
            scopes = next;
        }
        Ok(scopes)
    }

    fn generate(&mut self, pat: &Pat, from: &Expr, scope: &Env, next: &mut Vec<Env>) -> Eval<()> {
        let values = match self.eval(from, scope)? {
            Value::Set(set) => self.list(&set, from.span)?.to_vec(),
            seq => self.elements(&seq, from.span)?,
        };
        for value in values {
            self.tick()?;
            let mut bound = Vec::new();
            if self.matches_value(pat, &value, &mut bound)? {
                next.push(child(bound, scope));
            }
        }
        Ok(())
    }

    /// The elements of a finite set.
    pub fn list(&mut self, set: &Set, span: Span) -> Eval<Rc<Vec<Value>>> {
        match set {
            Set::Finite(values) => Ok(values.clone()),
            _ if let Some(values) = super::sets::listed(set, MAX_LISTED) => Ok(Rc::new(values)),
            _ => {
                let shown = self.show(&Value::Set(set.clone()));
                error_hint(
                    span,
                    format!("the infinite set {shown} cannot be listed"),
                    "give the channel, input or generator a finite set, as in ?x:{0..7}",
                )
            }
        }
    }
}
