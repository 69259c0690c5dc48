//! Events from outside: TeSSLa's trace text, CSV, the Common Trace Format, and a compact binary form.
pub mod binary;
mod csv;
pub mod ctf;
mod error;
mod quick;
mod text;
mod value;

pub use binary::{BinaryReader, BinaryWriter, Form};
pub use csv::CsvReader;
pub use error::{InputError, Problem};
pub use text::{TextReader, time_unit};
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
    names: Vec<Rc<str>>,
    /// Which input came after each one the last time: traces repeat themselves.
    after: Vec<usize>,
    last: usize,
}

impl Names {
    pub fn new(inputs: &[InputDecl]) -> Names {
        let names: Vec<Rc<str>> = inputs.iter().map(|input| input.name.clone()).collect();
        let by_name = names.iter().enumerate().map(|(index, name)| (name.clone(), index)).collect();
        Names { by_name, after: vec![0; names.len()], names, last: 0 }
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The input that is expected next.
    #[inline]
    pub fn guess(&self) -> Option<usize> {
        self.after.get(self.last).copied()
    }

    /// This input came.
    #[inline]
    pub fn came(&mut self, input: usize) {
        self.after[self.last] = input;
        self.last = input;
    }

    /// As `find`, faster in a trace.
    #[inline]
    pub fn find_next(&mut self, name: &str) -> Option<usize> {
        let guess = *self.after.get(self.last)?;
        if self.names[guess].as_bytes() == name.as_bytes() {
            self.last = guess;
            return Some(guess);
        }
        let found = self.find(name)?;
        self.after[self.last] = found;
        self.last = found;
        Some(found)
    }
}
