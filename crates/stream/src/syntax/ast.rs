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
