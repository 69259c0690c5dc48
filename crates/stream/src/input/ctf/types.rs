//! What the metadata of a trace says about its binary part.
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

#[derive(Clone, Debug)]
pub struct IntType {
    /// In bits, 1 to 64.
    pub size: u32,
    pub align: u64,
    pub signed: bool,
    /// That of the trace, if none is given.
    pub order: Option<Order>,
    /// Whether arrays of it are text.
    pub text: bool,
    /// Whether it is the value of the clock.
    pub clock: bool,
}

#[derive(Clone, Debug)]
pub struct FloatType {
    /// In bits, 32 or 64.
    pub size: u32,
    pub align: u64,
    pub order: Option<Order>,
}

/// A label of an enumeration and the values it stands for.
pub type Label = (Rc<str>, i128, i128);

/// A field that is named by others: the length of a sequence, the tag of a variant.
pub type Path = Rc<[Rc<str>]>;

#[derive(Debug)]
pub struct StructType {
    pub names: Rc<[Rc<str>]>,
    pub types: Vec<Type>,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub enum Type {
    Int(Rc<IntType>),
    Float(Rc<FloatType>),
    Text,
    Enum(Rc<IntType>, Rc<[Label]>),
    Struct(Rc<StructType>),
    /// One of several types; the label of an earlier field says which.
    Variant(Path, Rc<[(Rc<str>, Type)]>),
    Array(Rc<Type>, u64),
    Sequence(Rc<Type>, Path),
}

impl Type {
    /// Where a field of it may begin, in bits.
    pub fn align(&self) -> u64 {
        match self {
            Type::Int(int) | Type::Enum(int, _) => int.align,
            Type::Float(float) => float.align,
            Type::Text => 8,
            Type::Struct(fields) => fields.align,
            Type::Variant(..) => 1,
            Type::Array(element, _) | Type::Sequence(element, _) => element.align(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Clock {
    /// Ticks a second.
    pub frequency: u64,
    /// When it began, in seconds and in ticks.
    pub offset_seconds: i64,
    pub offset: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub id: u64,
    pub packet_context: Option<Type>,
    pub event_header: Option<Type>,
    pub event_context: Option<Type>,
}

#[derive(Clone, Debug)]
pub struct EventType {
    pub name: Rc<str>,
    pub id: u64,
    pub stream: u64,
    pub context: Option<Type>,
    pub fields: Option<Type>,
}

/// A trace, as its metadata describe it.
#[derive(Debug)]
pub struct Layout {
    pub order: Order,
    pub packet_header: Option<Type>,
    pub clock: Clock,
    pub streams: Vec<Stream>,
    pub events: Vec<EventType>,
}
