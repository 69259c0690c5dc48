//! Patterns, which are parsed as expressions first because only what follows tells which one was meant.

use super::*;

impl Parser<'_> {
    pub(super) fn parameter_group(&mut self) -> Parsed<Vec<Pat>> {
        self.expect("(")?;
        let params = self.bracketed(|p| {
            p.comma_separated(|p| {
                let value = p.expression()?;
                p.pattern(&value)
            })
        })?;
        self.expect(")")?;
        Ok(params)
    }

    pub(super) fn pattern(&self, expr: &Expr) -> Parsed<Pat> {
        let all = |items: &[Expr]| items.iter().map(|e| self.pattern(e)).collect::<Parsed<Vec<_>>>();
        let two =
            |a: &Expr, b: &Expr| Ok::<_, Box<Diagnostic>>((Box::new(self.pattern(a)?), Box::new(self.pattern(b)?)));
        let kind = match &*expr.kind {
            ExprKind::Wildcard => PatKind::Wildcard,
            ExprKind::Var(name) => PatKind::Name(*name),
            ExprKind::Int(n) => PatKind::Int(*n),
            ExprKind::Char(c) => PatKind::Char(*c),
            ExprKind::Bool(b) => PatKind::Bool(*b),
            ExprKind::Str(s) => {
                let chars = s.chars().map(|c| Pat { span: expr.span, kind: PatKind::Char(c) });
                PatKind::Seq(chars.collect())
            }
            ExprKind::Neg(e) if matches!(*e.kind, ExprKind::Int(_)) => match *e.kind {
                ExprKind::Int(n) => PatKind::Int(-n),
                _ => PatKind::Wildcard,
            },
            ExprKind::Tuple(items) => PatKind::Tuple(all(items)?),
            ExprKind::Seq(items, stmts) if stmts.is_empty() => PatKind::Seq(all(items)?),
            ExprKind::Set(items, stmts) if stmts.is_empty() && items.is_empty() => PatKind::EmptySet,
            ExprKind::Set(items, stmts) if stmts.is_empty() && items.len() == 1 => {
                PatKind::Singleton(Box::new(self.pattern(&items[0])?))
            }
            ExprKind::Set(..) => {
                return self.fail_hint(
                    expr.span,
                    "a set pattern has at most one element",
                    "only {} and {p} match in one way; compare with == instead",
                );
            }
            ExprKind::Bin(BinOp::Concat, a, b) => {
                let (a, b) = two(a, b)?;
                self.one_variable_part(expr.span, &a, &b)?;
                PatKind::Concat(a, b)
            }
            ExprKind::Dot(a, b) => {
                let (a, b) = two(a, b)?;
                PatKind::Dot(a, b)
            }
            ExprKind::Both(a, b) => {
                let (a, b) = two(a, b)?;
                PatKind::Both(a, b)
            }
            _ => {
                return self.fail_hint(
                    expr.span,
                    "this is not a pattern",
                    "patterns are made of names, literals, _, tuples, sequences, ^, {}, {p}, . and @@",
                );
            }
        };
        Ok(Pat { span: expr.span, kind })
    }

    fn one_variable_part(&self, span: Span, a: &Pat, b: &Pat) -> Parsed<()> {
        if variable_parts(a) + variable_parts(b) > 1 {
            return self.fail_hint(
                span,
                "this pattern has more than one part of unknown length",
                "keep one name in a ^ pattern and write the rest as <...>",
            );
        }
        Ok(())
    }
}

/// How many parts of a sequence pattern can have any length.
fn variable_parts(pat: &Pat) -> usize {
    match &pat.kind {
        PatKind::Concat(a, b) => variable_parts(a) + variable_parts(b),
        PatKind::Both(a, b) => variable_parts(a).min(variable_parts(b)),
        PatKind::Seq(_) => 0,
        _ => 1,
    }
}
