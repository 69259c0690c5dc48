//! The user's own properties: patterns over the events of a run, compiled to automata.
//!
//! **What it decides.** Whether a run, as a sequence of events, satisfies a property; and which automata over the run's
//! events say so, for engines that look for other orders of the same events.
//!
//! **Definitions.** An event has a name, a thread and values; equal events are one [`Letter`]. A *property* is a rule with
//! variables, such as `never use(x) after free(x)`. A [`Template`] is its automaton, whose edges are labelled with
//! patterns of events. For each choice of values that the run's letters offer there is an [`Instance`]: a deterministic
//! [`Automaton`] over the letters that fit. A run satisfies the property if it leads no instance to its violated state.
//! Only safety can be expressed: that something bad does not happen, not that something good will.
//!
//! **Papers.** The thesis, chapter 6 (what users say, and the two patterns of checks); parametric trace slicing (Chen and
//! Rosu, TACAS 2009) for the instances; Ang and Mathur (POPL 2024) for the rules whose violation in another order is
//! decided in one pass ([`Linear`]).
//!
//! **Deviations.** The thesis states properties in CSP only. Rules here say what people say most, and `states { … }` is a
//! process that accepts or refuses events; both are automata from the start.
//!
//! **What it misses.** Liveness; properties that count without a bound.
//!
//! ```
//! use foretrace_property::{Datum, Letter, Properties, violations};
//! let properties: Properties = "never use(x) after free(x)".parse().unwrap();
//! let letter = |name: &str| Letter { thread: 0, name: name.into(), values: vec![Datum::Number(7)] };
//! let letters = [letter("use"), letter("free")];
//! let found = violations(&properties.templates()[0], &letters, &[0, 1, 0], 10).unwrap();
//! assert_eq!((found.len(), found[0].step), (1, 2));
//! ```
#![forbid(unsafe_code)]

mod ast;
mod automaton;
mod compile;
mod datum;
mod error;
mod instance;
mod lexer;
pub mod library;
mod monitor;
mod parser;
mod template;
mod words;

use std::str::FromStr;

pub use automaton::Automaton;
pub use datum::{Datum, Letter};
pub use error::{Place, PropertyError};
pub use instance::{Instance, TooMany, instances};
pub use monitor::{Violation, binding, violations};
pub use template::{Arg, By, Edge, EventPattern, Linear, StateId, Target, Template, Var};

/// The properties of a file.
#[derive(Clone, Debug, Default)]
pub struct Properties(Vec<Template>);

impl Properties {
    /// Their templates, in the order of the file.
    pub fn templates(&self) -> &[Template] {
        &self.0
    }

    /// With the properties of another file after these.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }
}

impl FromStr for Properties {
    type Err = PropertyError;

    fn from_str(text: &str) -> Result<Self, PropertyError> {
        let properties = parser::parse(text)?;
        Ok(Self(properties.iter().enumerate().map(|(number, property)| compile::compile(property, number)).collect()))
    }
}
