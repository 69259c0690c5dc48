//! Properties as they are written.

use crate::datum::Datum;
use crate::error::Place;

/// A value in an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Any,
    Var(String),
    Is(Datum),
}

/// Who performs an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum By {
    Any,
    Thread(String),
    Other(String),
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) args: Option<Vec<Arg>>,
    pub(crate) open: bool,
    pub(crate) by: By,
}

/// Any of these events.
pub(crate) type Events = Vec<Event>;

/// What must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Never { what: Events, after: Option<Events>, until: Option<Events> },
    Chain(Vec<Events>),
    OneHolder { takes: Events, gives: Events },
    Comes { after: Events, comes: Events, before: Before },
    Atomic { begin: Events, end: Events, against: Option<Events> },
    Serialisable { reads: Events, writes: Events, begin: Events, end: Events },
    States { names: Vec<String>, edges: Vec<(usize, Events, usize)> },
}

/// What must not come first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Before {
    Anything { but: Events },
    These(Events),
}

/// A property with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Property {
    pub(crate) name: Option<String>,
    pub(crate) says: String,
    pub(crate) rule: Rule,
}
