//! Types and how they read.
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Int,
    Float,
    Bool,
    Str,
    Unit,
    /// An event of a trace in the Common Trace Format.
    Ctf,
    Events(Rc<Ty>),
    Option(Rc<Ty>),
    List(Rc<Ty>),
    Set(Rc<Ty>),
    Map(Rc<(Ty, Ty)>),
    Tuple(Rc<Vec<Ty>>),
    /// Fields in the order of their names.
    Record(Rc<Vec<(Rc<str>, Ty)>>),
    Fun(Rc<FunTy>),
    /// Still to be found out.
    Var(u32),
    /// A type parameter inside its definition.
    Param(u32, Rc<str>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunTy {
    pub params: Vec<Ty>,
    pub result: Ty,
    /// May be applied to streams where values are expected.
    pub liftable: bool,
}

/// A type with parameters that each use replaces.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub params: Vec<(u32, Rc<str>)>,
    pub ty: Ty,
}

impl Ty {
    pub fn events(inner: Ty) -> Ty {
        Ty::Events(Rc::new(inner))
    }

    /// Rebuilds the type with every part replaced that `leaf` answers for.
    pub fn map(&self, leaf: &mut impl FnMut(&Ty) -> Option<Ty>) -> Ty {
        if let Some(replaced) = leaf(self) {
            return replaced;
        }
        match self {
            Ty::Events(t) => Ty::Events(Rc::new(t.map(leaf))),
            Ty::Option(t) => Ty::Option(Rc::new(t.map(leaf))),
            Ty::List(t) => Ty::List(Rc::new(t.map(leaf))),
            Ty::Set(t) => Ty::Set(Rc::new(t.map(leaf))),
            Ty::Map(kv) => Ty::Map(Rc::new((kv.0.map(leaf), kv.1.map(leaf)))),
            Ty::Tuple(items) => Ty::Tuple(Rc::new(items.iter().map(|t| t.map(leaf)).collect())),
            Ty::Record(fields) => Ty::Record(Rc::new(fields.iter().map(|(n, t)| (n.clone(), t.map(leaf))).collect())),
            Ty::Fun(fun) => Ty::Fun(Rc::new(FunTy {
                params: fun.params.iter().map(|t| t.map(leaf)).collect(),
                result: fun.result.map(leaf),
                liftable: fun.liftable,
            })),
            other => other.clone(),
        }
    }

    /// Whether any part of the type passes.
    pub fn any(&self, test: &mut impl FnMut(&Ty) -> bool) -> bool {
        let mut found = false;
        self.map(&mut |part| {
            found |= test(part);
            None
        });
        found
    }

    pub fn is_events(&self) -> bool {
        matches!(self, Ty::Events(_))
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("Int"),
            Ty::Float => f.write_str("Float"),
            Ty::Bool => f.write_str("Bool"),
            Ty::Str => f.write_str("String"),
            Ty::Unit => f.write_str("Unit"),
            Ty::Ctf => f.write_str("CTF"),
            Ty::Events(t) => write!(f, "Events[{t}]"),
            Ty::Option(t) => write!(f, "Option[{t}]"),
            Ty::List(t) => write!(f, "List[{t}]"),
            Ty::Set(t) => write!(f, "Set[{t}]"),
            Ty::Map(kv) => write!(f, "Map[{}, {}]", kv.0, kv.1),
            Ty::Tuple(items) => write!(f, "({})", join(items.iter())),
            Ty::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
            Ty::Fun(fun) => write!(f, "({}) => {}", join(fun.params.iter()), fun.result),
            Ty::Var(_) => f.write_str("?"),
            Ty::Param(_, name) => f.write_str(name),
        }
    }
}

fn join<'a>(items: impl Iterator<Item = &'a Ty>) -> String {
    items.map(Ty::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether the names of a record's fields are those of a tuple: `_1`, `_2`, and so on.
pub fn is_tuple<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut places: Vec<Option<usize>> = names.map(tuple_place).collect();
    places.sort_unstable();
    places.len() > 1 && places.iter().enumerate().all(|(at, place)| *place == Some(at + 1))
}

/// The position in a tuple that a field's name stands for: 1 for `_1`.
pub fn tuple_place(name: &str) -> Option<usize> {
    name.strip_prefix('_')?.parse().ok()
}
