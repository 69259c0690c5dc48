//! The tree of a script.

use super::symbol::Symbol;
use super::token::Model;
use crate::source::Span;
use std::rc::Rc;

/// A number for each expression, by which delayed processes and memo tables name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);

#[derive(Clone, Debug)]
pub struct Expr {
    pub id: ExprId,
    pub span: Span,
    pub kind: Rc<ExprKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinOp {
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
}

/// Process operators with two processes and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcOp {
    External,
    Internal,
    Sequential,
    Interrupt,
    Sliding,
    Interleave,
}

/// Process operators with two processes and one set of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetOp {
    Parallel,
    Exception,
    SyncExternal,
    SyncInterrupt,
}

#[derive(Clone, Debug)]
pub enum ReplOp {
    External,
    Internal,
    Interleave,
    Sequential,
    Parallel(Expr),
    /// The alphabet of each process, which may use the generators' variables.
    Alphabetised(Expr),
    SyncExternal(Expr),
    Link(Vec<(Expr, Expr)>, Vec<Stmt>),
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Char(char),
    Str(String),
    Bool(bool),
    Var(Symbol),
    Wildcard,
    /// `p @@ q`, a pattern that matches both.
    Both(Expr, Expr),
    Tuple(Vec<Expr>),
    App(Expr, Vec<Expr>),
    Lambda(Vec<Pat>, Expr),
    Let(Rc<Vec<Decl>>, Expr),
    If(Expr, Expr, Expr),
    Bin(BinOp, Expr, Expr),
    Not(Expr),
    Neg(Expr),
    Length(Expr),
    Seq(Vec<Expr>, Vec<Stmt>),
    SeqRange(Expr, Option<Expr>, Vec<Stmt>),
    Set(Vec<Expr>, Vec<Stmt>),
    SetRange(Expr, Option<Expr>, Vec<Stmt>),
    Productions(Vec<Expr>, Vec<Stmt>),
    Map(Vec<(Expr, Expr)>),
    Dot(Expr, Expr),
    Prefix(Expr, Vec<Field>, Expr),
    Guard(Expr, Expr),
    Proc(ProcOp, Expr, Expr),
    OnSet(SetOp, Expr, Expr, Expr),
    Alphabetised(Expr, Expr, Expr, Expr),
    Hide(Expr, Expr),
    Project(Expr, Expr),
    Link(Expr, Vec<(Expr, Expr)>, Vec<Stmt>, Expr),
    Rename(Expr, Vec<(Expr, Expr)>, Vec<Stmt>),
    Replicated(ReplOp, Vec<Stmt>, Expr),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub span: Span,
    pub kind: FieldKind,
}

#[derive(Clone, Debug)]
pub enum FieldKind {
    Input(Pat, Option<Expr>),
    NondetInput(Pat, Option<Expr>),
    Output(Expr),
}

/// A part of a comprehension or of a replicated operator.
#[derive(Clone, Debug)]
pub enum Stmt {
    Generator(Pat, Expr),
    Guard(Expr),
}

#[derive(Clone, Debug)]
pub struct Pat {
    pub span: Span,
    pub kind: PatKind,
}

#[derive(Clone, Debug)]
pub enum PatKind {
    Wildcard,
    /// A variable, or a channel or constructor that matches itself.
    Name(Symbol),
    Int(i64),
    Char(char),
    Bool(bool),
    Tuple(Vec<Pat>),
    Seq(Vec<Pat>),
    Concat(Box<Pat>, Box<Pat>),
    EmptySet,
    Singleton(Box<Pat>),
    Dot(Box<Pat>, Box<Pat>),
    Both(Box<Pat>, Box<Pat>),
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub span: Span,
    /// One group of patterns a pair of brackets: `f(x)(y)` has two.
    pub params: Vec<Vec<Pat>>,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub struct Decl {
    pub span: Span,
    pub kind: DeclKind,
}

#[derive(Clone, Debug)]
pub enum DeclKind {
    Function(Symbol, Rc<Vec<Clause>>),
    Pattern(Pat, Expr),
    Channel(Vec<(Symbol, Span)>, Option<Expr>),
    Datatype(Symbol, Vec<Constructor>),
    Subtype(Symbol, Vec<Constructor>),
    Nametype(Symbol, Expr),
    Transparent(Vec<(Symbol, Span)>),
    External(Vec<(Symbol, Span)>),
    Annotation(Vec<(Symbol, Span)>, TypeScheme),
    Assert(Rc<Assertion>),
    Print(Expr),
    Module(Module),
    Instance(Symbol, Symbol, Vec<Expr>),
    Timed(Option<Expr>, Vec<Decl>),
}

#[derive(Clone, Debug)]
pub struct Constructor {
    pub name: Symbol,
    pub span: Span,
    pub of: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Symbol,
    pub params: Vec<Pat>,
    pub private: Vec<Decl>,
    pub exports: Vec<Decl>,
}

/// A type as written in an annotation.
#[derive(Clone, Debug)]
pub enum TypeExpr {
    Name(Symbol, Span),
    Set(Box<TypeExpr>),
    Seq(Box<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Map(Box<TypeExpr>, Box<TypeExpr>),
    Function(Vec<TypeExpr>, Box<TypeExpr>),
    Dot(Box<TypeExpr>, Box<TypeExpr>),
    Dotable(Box<TypeExpr>, Box<TypeExpr>),
    /// `a =>* b`: what becomes a `b` with any number of further fields.
    Extendable(Box<TypeExpr>, Box<TypeExpr>),
}

#[derive(Clone, Debug)]
pub struct TypeScheme {
    /// `Eq a`, `Ord b` and so on, before `=>`.
    pub constraints: Vec<(Symbol, Symbol, Span)>,
    pub body: TypeExpr,
}

#[derive(Clone, Debug)]
pub struct Assertion {
    pub span: Span,
    pub negated: bool,
    pub claim: Claim,
    pub options: AssertOptions,
}

#[derive(Clone, Debug)]
pub enum Claim {
    Refines { spec: Expr, model: Model, implementation: Expr },
    DeadlockFree(Expr, Model),
    DivergenceFree(Expr),
    Deterministic(Expr, Model),
    HasTrace { process: Expr, model: Model, trace: Expr },
}

#[derive(Clone, Debug, Default)]
pub struct AssertOptions {
    pub tau_priority: Option<Expr>,
    pub partial_order: Option<Reduction>,
}

/// How hard partial-order reduction tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    Precise,
    Hybrid,
    Fast,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub decls: Vec<Decl>,
}

/// The parts of a pattern that dots join.
pub fn flatten_dots<'a>(pat: &'a Pat, out: &mut Vec<&'a Pat>) {
    match &pat.kind {
        PatKind::Dot(a, b) => {
            flatten_dots(a, out);
            flatten_dots(b, out);
        }
        _ => out.push(pat),
    }
}
