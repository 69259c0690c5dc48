//! Values. Sets are kept sorted, so that equal sets are equal vectors; sequences may be endless.

pub mod env;

use crate::syntax::{Clause, Expr, ExprId, Pat, Symbol};
pub use env::Env;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A process, by the number of its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

#[derive(Clone, Debug)]
pub enum Value {
    Int(i64),
    Bool(bool),
    Char(char),
    Tuple(Rc<[Value]>),
    Seq(Seq),
    Set(Set),
    Map(Rc<BTreeMap<Value, Value>>),
    /// A channel or constructor with the fields it has so far.
    Data(Symbol, Rc<[Value]>),
    /// Two or more values joined by dots without a constructor to hold them.
    Dot(Rc<[Value]>),
    Fun(Rc<Closure>),
    Builtin(Symbol),
    Proc(TermId),
}

/// A function, with the arguments of the bracket groups it has been given so far.
#[derive(Debug)]
pub struct Closure {
    pub name: Option<Symbol>,
    /// Stands for the function in comparisons, with the environment's key.
    pub id: ExprId,
    pub clauses: Rc<Vec<Clause>>,
    pub env: Env,
    pub given: Vec<Vec<Thunk>>,
}

/// An argument that is evaluated when it is first needed, and once.
#[derive(Clone, Debug)]
pub struct Thunk(pub Rc<RefCell<ThunkState>>);

#[derive(Clone, Debug)]
pub enum ThunkState {
    Ready(Value),
    Waiting(Expr, Env),
    /// A name bound by a pattern that the value of another thunk must match.
    Project(Rc<Pat>, Box<Thunk>, Symbol),
    /// All values of a datatype or subtype.
    Datatype(Symbol),
    /// A nametype, whose dots mean products.
    Nametype(Expr),
    Running,
}

impl Thunk {
    pub fn new(state: ThunkState) -> Thunk {
        Thunk(Rc::new(RefCell::new(state)))
    }

    pub fn ready(value: Value) -> Thunk {
        Thunk(Rc::new(RefCell::new(ThunkState::Ready(value))))
    }

    pub fn waiting(expr: &Expr, env: &Env) -> Thunk {
        Thunk(Rc::new(RefCell::new(ThunkState::Waiting(expr.clone(), env.clone()))))
    }
}

/// A sequence: what is known of it, then what is still to be computed.
#[derive(Clone, Debug)]
pub enum Seq {
    Known(Rc<Vec<Value>>, usize),
    /// The integers from here on.
    From(i64),
    /// The elements of the first, then those of the second.
    Append(Rc<Vec<Value>>, usize, Rc<Seq>),
    /// The images of an endless sequence under a comprehension, computed as they are asked for.
    Mapped(Rc<Comprehension>, Rc<Seq>),
}

/// `<items | pattern <- source, rest>` over an endless source.
#[derive(Debug)]
pub struct Comprehension {
    pub items: Vec<Expr>,
    pub stmts: Vec<crate::syntax::Stmt>,
    pub env: Env,
}

#[derive(Clone, Debug)]
pub enum Set {
    Finite(Rc<Vec<Value>>),
    Ints,
    IntsFrom(i64),
    /// All finite sequences over a set.
    Seqs(Rc<Set>),
    /// All subsets of a set too large to list.
    Subsets(Rc<Set>),
    /// All maps from one set to another.
    Maps(Rc<Set>, Rc<Set>),
    /// All tuples over sets, one of which cannot be listed.
    Tuples(Rc<Vec<Set>>),
    /// The elements of either.
    Either(Rc<Set>, Rc<Set>),
    /// The elements of the first that are not in the second.
    Without(Rc<Set>, Rc<Set>),
    Chars,
    Procs,
    /// All values of a datatype that contains itself, by its constructors.
    Recursive(Rc<Vec<Symbol>>),
}

impl Seq {
    pub fn of(values: Vec<Value>) -> Value {
        Value::Seq(Seq::Known(Rc::new(values), 0))
    }
}

impl Set {
    pub fn of(mut values: Vec<Value>) -> Set {
        values.sort();
        values.dedup();
        Set::Finite(Rc::new(values))
    }

    pub fn bools() -> Set {
        Set::of(vec![Value::Bool(false), Value::Bool(true)])
    }

    /// What tells this set from others that cannot be listed: its kind, a number, the sets it is made of.
    fn key(&self) -> (u8, i64, Vec<Value>) {
        let of = |sets: &[&Set]| sets.iter().map(|s| Value::Set((*s).clone())).collect::<Vec<_>>();
        match self {
            Set::Finite(values) => (0, 0, values.to_vec()),
            Set::Ints => (1, 0, Vec::new()),
            Set::IntsFrom(n) => (2, *n, Vec::new()),
            Set::Seqs(a) => (3, 0, of(&[a])),
            Set::Subsets(a) => (4, 0, of(&[a])),
            Set::Maps(a, b) => (5, 0, of(&[a, b])),
            Set::Tuples(sets) => (6, 0, of(&sets.iter().collect::<Vec<_>>())),
            Set::Either(a, b) => (7, 0, of(&[a, b])),
            Set::Without(a, b) => (8, 0, of(&[a, b])),
            Set::Chars => (9, 0, Vec::new()),
            Set::Procs => (10, 0, Vec::new()),
            Set::Recursive(names) => (11, 0, names.iter().map(|n| Value::atom(*n)).collect()),
        }
    }

    /// Whether a value belongs to the set; endless sets know without listing.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Set::Finite(values), v) => values.binary_search(v).is_ok(),
            (Set::Ints, Value::Int(_)) | (Set::Chars, Value::Char(_)) | (Set::Procs, Value::Proc(_)) => true,
            (Set::IntsFrom(low), Value::Int(n)) => n >= low,
            (Set::Recursive(constructors), Value::Data(name, _)) => constructors.contains(name),
            (Set::Seqs(of), Value::Seq(Seq::Known(items, from))) => items[*from..].iter().all(|v| of.contains(v)),
            (Set::Subsets(of), Value::Set(Set::Finite(items))) => items.iter().all(|v| of.contains(v)),
            (Set::Tuples(sets), Value::Tuple(items)) => {
                sets.len() == items.len() && sets.iter().zip(items.iter()).all(|(s, v)| s.contains(v))
            }
            (Set::Either(a, b), v) => a.contains(v) || b.contains(v),
            (Set::Without(a, b), v) => a.contains(v) && !b.contains(v),
            (Set::Maps(keys, to), Value::Map(map)) => map.iter().all(|(k, v)| keys.contains(k) && to.contains(v)),
            _ => false,
        }
    }
}

impl Value {
    pub fn atom(name: Symbol) -> Value {
        Value::Data(name, Rc::new([]))
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Int(_) => 0,
            Value::Bool(_) => 1,
            Value::Char(_) => 2,
            Value::Tuple(_) => 3,
            Value::Seq(_) => 4,
            Value::Set(_) => 5,
            Value::Map(_) => 6,
            Value::Data(..) => 7,
            Value::Dot(_) => 8,
            Value::Fun(_) => 9,
            Value::Builtin(_) => 10,
            Value::Proc(_) => 11,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Char(a), Value::Char(b)) => a.cmp(b),
            (Value::Tuple(a), Value::Tuple(b)) | (Value::Dot(a), Value::Dot(b)) => a.cmp(b),
            (Value::Seq(Seq::Known(a, i)), Value::Seq(Seq::Known(b, j))) => a[*i..].cmp(&b[*j..]),
            (Value::Seq(a), Value::Seq(b)) => format!("{a:?}").cmp(&format!("{b:?}")),
            (Value::Set(Set::Finite(a)), Value::Set(Set::Finite(b))) => a.cmp(b),
            (Value::Set(a), Value::Set(b)) => a.key().cmp(&b.key()),
            (Value::Map(a), Value::Map(b)) => a.cmp(b),
            (Value::Data(a, x), Value::Data(b, y)) => a.cmp(b).then_with(|| x.cmp(y)),
            (Value::Fun(a), Value::Fun(b)) => (a.id, Rc::as_ptr(a)).cmp(&(b.id, Rc::as_ptr(b))),
            (Value::Builtin(a), Value::Builtin(b)) => a.cmp(b),
            (Value::Proc(a), Value::Proc(b)) => a.cmp(b),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Value::Int(n) => n.hash(state),
            Value::Bool(b) => b.hash(state),
            Value::Char(c) => c.hash(state),
            Value::Tuple(items) | Value::Dot(items) => items.hash(state),
            Value::Seq(Seq::Known(items, from)) => items[*from..].hash(state),
            Value::Set(Set::Finite(items)) => items.hash(state),
            Value::Map(map) => map.hash(state),
            Value::Data(name, fields) => (name, fields).hash(state),
            Value::Fun(f) => f.id.hash(state),
            Value::Builtin(name) => name.hash(state),
            Value::Proc(term) => term.hash(state),
            Value::Seq(_) | Value::Set(_) => {}
        }
    }
}
