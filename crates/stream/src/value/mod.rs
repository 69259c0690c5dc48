//! Values of events: sixteen bytes each, shared by reference count, updated in place when unshared.
pub mod builtin;
pub mod ctf;
mod float;
pub mod format;
pub mod int;
mod items;
mod list;
pub mod share;
mod show;
pub mod table;
mod text;

pub use builtin::Builtin;
pub use items::Items;
use num_bigint::BigInt;
pub use show::Shown;
use std::cmp::Ordering;
use std::rc::Rc;
use table::Table;

pub type SetValue = Table<()>;
pub type MapValue = Table<Value>;

/// A value of the language, or a placeholder for a missing one. The tag takes a whole word, so that a value is copied as two
/// words and not as a byte and fifteen more.
#[derive(Debug, Default)]
#[repr(u64)]
pub enum Value {
    /// No value: a stream that never had an event, a parameter without one.
    #[default]
    Absent,
    Unit,
    Bool(bool),
    Int(i64),
    /// An integer outside the range of [`Value::Int`], never one inside it.
    Big(Rc<BigInt>),
    Float(f64),
    Str(Rc<Box<str>>),
    /// Tuples and records.
    Fields(Rc<Fields>),
    None,
    Some(Rc<Value>),
    List(Rc<Vec<Value>>),
    Set(Rc<SetValue>),
    Map(Rc<MapValue>),
    Fun(Rc<Function>),
    /// A stream, while a specification is being expanded.
    Stream(u32),
    Error(Rc<Failure>),
}

const _: () = assert!(size_of::<Value>() == 16);

/// A tuple, or a record with its field names in order.
#[derive(Clone, Debug)]
pub struct Fields {
    pub names: Option<Rc<[Rc<str>]>>,
    pub items: Items,
}

/// Why a value could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// It is also unknown whether there is an event.
    pub unknown: bool,
}

/// The number of a macro with its surroundings, among those of the expansion that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroId(pub u32);

/// A function as a value.
#[derive(Debug)]
pub enum Function {
    Builtin(Builtin),
    /// Selects a field.
    Project(usize),
    /// A function on values, as a function on streams.
    Lifted(Value),
    /// A macro, while a specification is being expanded.
    Macro(MacroId),
    /// Generated code with the values it captured.
    Code(u32, Box<[Value]>),
}

impl Value {
    pub fn error(message: impl Into<String>) -> Value {
        Value::Error(Rc::new(Failure { message: message.into(), unknown: false }))
    }

    pub fn str(text: &str) -> Value {
        Value::Str(Rc::new(text.into()))
    }

    pub fn tuple(items: Vec<Value>) -> Value {
        if items.is_empty() { Value::Unit } else { Value::Fields(Rc::new(Fields { names: None, items: items.into() })) }
    }

    pub fn some(value: Value) -> Value {
        Value::Some(Rc::new(value))
    }

    pub fn is_absent(&self) -> bool {
        matches!(self, Value::Absent)
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Error(failure) if failure.unknown)
    }

    /// The same failure, with it unknown whether there is an event.
    pub fn into_unknown(self) -> Value {
        match self {
            Value::Error(f) if !f.unknown => Value::Error(Rc::new(Failure { unknown: true, ..(*f).clone() })),
            other => other,
        }
    }

    /// The same failure, as the value of an event that is certain.
    pub fn into_certain(self) -> Value {
        match self {
            Value::Error(f) if f.unknown => Value::Error(Rc::new(Failure { unknown: false, ..(*f).clone() })),
            other => other,
        }
    }

    /// Rank of the variant, for the order of values of different kinds.
    fn rank(&self) -> u8 {
        match self {
            Value::Absent => 0,
            Value::Unit => 1,
            Value::Bool(_) => 2,
            Value::Int(_) | Value::Big(_) => 3,
            Value::Float(_) => 4,
            Value::Str(_) => 5,
            Value::Fields(_) => 6,
            Value::None => 7,
            Value::Some(_) => 8,
            Value::List(_) => 9,
            Value::Set(_) => 10,
            Value::Map(_) => 11,
            Value::Fun(_) => 12,
            Value::Stream(_) => 13,
            Value::Error(_) => 14,
        }
    }
}

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Value {
        match self {
            Value::Absent => Value::Absent,
            Value::Unit => Value::Unit,
            Value::Bool(value) => Value::Bool(*value),
            Value::Int(word) => Value::Int(*word),
            shared => shared.clone_shared(),
        }
    }
}

impl Value {
    /// A copy of a value that is reference-counted, or rare.
    fn clone_shared(&self) -> Value {
        match self {
            Value::Absent | Value::Unit | Value::Bool(_) | Value::Int(_) => unreachable!("copied by `clone`"),
            Value::Big(big) => Value::Big(big.clone()),
            Value::Float(float) => Value::Float(*float),
            Value::Str(text) => Value::Str(text.clone()),
            Value::Fields(fields) => Value::Fields(fields.clone()),
            Value::None => Value::None,
            Value::Some(value) => Value::Some(value.clone()),
            Value::List(list) => Value::List(list.clone()),
            Value::Set(set) => Value::Set(set.clone()),
            Value::Map(map) => Value::Map(map.clone()),
            Value::Fun(function) => Value::Fun(function.clone()),
            Value::Stream(stream) => Value::Stream(*stream),
            Value::Error(failure) => Value::Error(failure.clone()),
        }
    }

    /// Puts another value in the place of this one. Most values own nothing, and that is checked inline.
    #[inline(always)]
    pub fn put(&mut self, value: Value) {
        let old = std::mem::replace(self, value);
        match old {
            Value::Absent | Value::Unit | Value::Bool(_) | Value::Int(_) => std::mem::forget(old),
            owning => drop(owning),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => Rc::ptr_eq(a, b) || a == b,
            (Value::Set(a), Value::Set(b)) if a.len() != b.len() => false,
            (Value::Map(a), Value::Map(b)) if a.len() != b.len() => false,
            _ => self.cmp(other).is_eq(),
        }
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    /// Most keys are words, and that case is inlined.
    #[inline(always)]
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            _ => self.order(other),
        }
    }
}

impl Value {
    fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => float::order(*a, *b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Fields(a), Value::Fields(b)) => a.items.iter().cmp(b.items.iter()),
            (Value::Some(a), Value::Some(b)) => a.cmp(b),
            (Value::List(a), Value::List(b)) => a.cmp(b),
            (Value::Set(a), Value::Set(b)) => a.iter().cmp(b.iter()),
            (Value::Map(a), Value::Map(b)) => a.iter().cmp(b.iter()),
            (Value::Stream(a), Value::Stream(b)) => a.cmp(b),
            (Value::Fun(a), Value::Fun(b)) => Rc::as_ptr(a).cmp(&Rc::as_ptr(b)),
            (Value::Error(a), Value::Error(b)) => a.message.cmp(&b.message),
            (Value::Int(_) | Value::Big(_), Value::Int(_) | Value::Big(_)) => int::compare(self, other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}
