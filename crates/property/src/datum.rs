//! Events as properties see them: a thread, a name and values.

use std::fmt;

/// One value of an event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Datum {
    /// A number; also the number of a thread.
    Number(i64),
    /// A text.
    Text(Box<str>),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if number.unsigned_abs() >= 1 << 16 => write!(f, "{number:#x}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// A letter of the alphabet of a run: an event that some thread performs, with its values. Equal events are one letter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Letter {
    /// The thread that performs it.
    pub thread: u32,
    /// The name of the event.
    pub name: Box<str>,
    /// Its values.
    pub values: Vec<Datum>,
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(Datum::to_string).collect();
        write!(f, "{}({})", self.name, values.join(", "))
    }
}
