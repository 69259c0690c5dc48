//! The tree of a specification, as written.
use crate::source::Span;
use num_bigint::BigInt;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Rc<str>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// A sum nests as deeply as it has terms, so the expressions below one are dropped one after the other, and not each within
/// the one above it.
impl Drop for Expr {
    fn drop(&mut self) {
        let mut below = Vec::new();
        self.kind.move_below(&mut below);
        while let Some(mut next) = below.pop() {
            next.kind.move_below(&mut below);
        }
    }
}

impl Expr {
    /// Moves an expression out; what stays has nothing below it.
    pub fn take(&mut self) -> Expr {
        Expr { kind: std::mem::replace(&mut self.kind, ExprKind::Root), span: self.span }
    }

    /// The same, unless it is such an expression already.
    fn move_to(&mut self, below: &mut Vec<Expr>) {
        if !matches!(self.kind, ExprKind::Root) {
            below.push(self.take());
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(BigInt),
    /// A number with a unit of time, still to be converted to the base unit.
    Duration(BigInt, Ident),
    Float(f64),
    Str(Vec<StrPart>),
    Name(Ident),
    /// `__root__`, the outermost scope.
    Root,
    Member(Box<Expr>, Ident),
    Apply(Box<Expr>, Vec<TypeExpr>),
    Call(Box<Expr>, Vec<Arg>),
    Tuple(Vec<Expr>),
    Record(Vec<(Ident, Expr)>),
    Block(Rc<Vec<Item>>, Box<Expr>),
    Lambda(Vec<Param>, Box<Expr>),
    If {
        is_static: bool,
        cond: Box<Expr>,
        then: Box<Expr>,
        other: Option<Box<Expr>>,
    },
    Extern(Ident),
}

impl ExprKind {
    /// Moves the expressions directly below this one. Those of the items of a block stay: blocks nest no deeper than the
    /// parser lets them.
    fn move_below(&mut self, below: &mut Vec<Expr>) {
        match self {
            ExprKind::Member(base, _)
            | ExprKind::Apply(base, _)
            | ExprKind::Lambda(_, base)
            | ExprKind::Block(_, base) => base.move_to(below),
            ExprKind::Call(callee, args) => {
                callee.move_to(below);
                args.iter_mut().for_each(|arg| arg.value.move_to(below));
            }
            ExprKind::Tuple(items) => items.iter_mut().for_each(|item| item.move_to(below)),
            ExprKind::Record(fields) => fields.iter_mut().for_each(|(_, value)| value.move_to(below)),
            ExprKind::If { cond, then, other, .. } => {
                [Some(cond), Some(then), other.as_mut()].into_iter().flatten().for_each(|part| part.move_to(below));
            }
            ExprKind::Str(parts) => parts.iter_mut().for_each(|part| {
                if let StrPart::Expr(expr, _) = part {
                    expr.move_to(below);
                }
            }),
            ExprKind::Int(_) | ExprKind::Duration(..) | ExprKind::Float(_) => {}
            ExprKind::Name(_) | ExprKind::Root | ExprKind::Extern(_) => {}
        }
    }
}

#[derive(Clone, Debug)]
pub enum StrPart {
    Text(String),
    /// An interpolated expression and, in `f"…"` strings, its format.
    Expr(Expr, Option<String>),
}

#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Option<Ident>,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Ident,
    pub ty: Option<TypeExpr>,
    pub strict: bool,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Named(Vec<Ident>, Vec<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Record(Vec<(Ident, TypeExpr)>),
    Fun(Vec<TypeExpr>, Box<TypeExpr>),
}

#[derive(Clone, Debug)]
pub struct Annotation {
    pub name: Ident,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug)]
pub struct Def {
    pub annotations: Vec<Annotation>,
    pub liftable: bool,
    pub name: Ident,
    pub type_params: Vec<Ident>,
    pub params: Option<Vec<Param>>,
    pub result: Option<TypeExpr>,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub struct TypeDef {
    pub name: Ident,
    pub params: Vec<Ident>,
    /// `None` for `extern("…")`, a type that is built in.
    pub body: Option<TypeExpr>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Include(Ident),
    Def(Rc<Def>),
    Type(Rc<TypeDef>),
    Module(Ident, Rc<Vec<Item>>),
    Import(Vec<Ident>),
    In { annotations: Vec<Annotation>, name: Ident, ty: TypeExpr },
    Out { annotations: Vec<Annotation>, value: Expr, name: Option<Ident> },
    OutAll(Span),
    AnnotationDef(Ident, Vec<Param>),
    GlobalAnnotation(Annotation),
}

#[cfg(test)]
mod tests {
    use crate::syntax::{Dialect, parse};

    /// What is written one behind the other nests in the tree; dropped within each other, these would need several megabytes.
    #[test]
    fn long_chains_are_dropped_on_a_small_stack() {
        let chains = || {
            for (first, more) in [("x", " + x"), ("f", "(1)"), ("a", ".b"), ("f", "[Int]"), ("s", " && \"{s}\"")] {
                let text = format!("def y = {first}{}", more.repeat(100_000));
                assert_eq!(parse(&text, 0, Dialect::Tessla12).map(|items| items.len()).ok(), Some(1), "{first}{more}");
            }
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(chains).expect("a thread can be started");
        thread.join().expect("everything was parsed and dropped");
    }
}
