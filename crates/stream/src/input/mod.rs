//! Events from outside: TeSSLa's trace text, CSV, and a compact binary form.
pub mod binary;
mod csv;
mod error;
mod text;
mod value;

pub use binary::{BinaryReader, BinaryWriter};
pub use csv::CsvReader;
pub use error::{InputError, Problem};
pub use text::TextReader;
pub use value::parse_value;

use crate::types::InputDecl;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What to do with events of streams that the specification does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undeclared {
    /// As TeSSLa 1.2 does.
    Ignore,
    /// As TeSSLa 0.5 does.
    Reject,
}

/// The declared inputs by name.
pub(crate) struct Names {
    by_name: FxHashMap<Rc<str>, usize>,
}

impl Names {
    pub fn new(inputs: &[InputDecl]) -> Names {
        Names { by_name: inputs.iter().enumerate().map(|(index, input)| (input.name.clone(), index)).collect() }
    }

    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}
