//! What a specification says.

use crate::target::Target;
use crate::what::What;
use std::fmt;

/// A specification.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Instrumentation {
    /// Its orders, as they were written.
    pub orders: Vec<Order>,
}

/// Which event is emitted where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The event's name.
    pub event: String,
    /// Its fields after the thread.
    pub fields: Vec<Field>,
    /// Before or after the join-point?
    pub moment: Moment,
    /// The kind of the join-points.
    pub what: What,
    /// Which of them.
    pub target: Target,
    /// The event is emitted if all of these hold.
    pub conditions: Vec<Comparison>,
    /// The line of the specification, from 1.
    pub line: u32,
}

/// When an event is emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Before the join-point.
    Before,
    /// After it: after a call or a body that returned, after an access.
    After,
}

/// A field of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Field {
    /// A constant string.
    Text(String),
    /// A constant number.
    Number(i64),
    /// What is captured when the event is emitted.
    Value(Value),
}

/// A value that is captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// How often it is dereferenced, after its members have been read.
    pub dereferences: u32,
    /// Where it comes from.
    pub base: Base,
    /// The members that lead from there to the value.
    pub members: Vec<Member>,
    /// Its type, if the specification says one.
    pub kind: Option<Type>,
    /// Where it was written: line, column, length.
    pub place: (u32, u32, u32),
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// An argument, from 0; of a method, the object is argument 0.
    Argument(u32),
    /// The result.
    Return,
    /// The size of an access in bytes.
    Size,
    /// The address of an access.
    Address,
    /// The value that is read or written.
    Value,
}

/// A member of a structure: `->name` or `.name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Is it reached through a pointer?
    pub through_pointer: bool,
}

/// The type of a value, where the debug information does not say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// An integer of so many bytes.
    Integer { bytes: u32, signed: bool },
    /// A floating-point number: the event carries the bits of a `double`.
    Double,
    /// A C string: the event carries its text.
    String,
}

impl Type {
    /// The types and their names.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("bool", Self::Integer { bytes: 1, signed: false }),
        ("char", Self::Integer { bytes: 1, signed: true }),
        ("short", Self::Integer { bytes: 2, signed: true }),
        ("int", Self::Integer { bytes: 4, signed: true }),
        ("long", Self::Integer { bytes: 8, signed: true }),
        ("pointer", Self::Integer { bytes: 8, signed: false }),
        ("double", Self::Double),
        ("string", Self::String),
        ("i8", Self::Integer { bytes: 1, signed: true }),
        ("i16", Self::Integer { bytes: 2, signed: true }),
        ("i32", Self::Integer { bytes: 4, signed: true }),
        ("i64", Self::Integer { bytes: 8, signed: true }),
        ("u8", Self::Integer { bytes: 1, signed: false }),
        ("u16", Self::Integer { bytes: 2, signed: false }),
        ("u32", Self::Integer { bytes: 4, signed: false }),
    ];
}

/// A condition: a value compared with a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The value.
    pub value: Value,
    /// The relation.
    pub relation: Relation,
    /// The constant.
    pub constant: i64,
}

/// A relation between numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Relation {
    /// The relations and their spellings.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];
}

impl Moment {
    /// Its name in specifications.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// The join-points of an order: `before call open_file`. This is also what a program that was built with the order
/// contains, next to the name of the event.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.moment.name(), self.what.name(), self.target.text())
    }
}
