//! The values that custom events carry: each list and each text once.

use foretrace_event::{ArgsId, TextId, Value};
use rustc_hash::FxHashMap;

/// The lists of values and the texts of a trace.
#[derive(Clone, Default, Debug)]
pub(crate) struct Arguments {
    /// All lists, one after the other.
    values: Vec<Value>,
    /// Where each list ends.
    ends: Vec<usize>,
    texts: Vec<Box<str>>,
    lists: FxHashMap<Box<[Value]>, ArgsId>,
    by_text: FxHashMap<Box<str>, TextId>,
}

impl Arguments {
    pub(crate) fn values(&mut self, values: &[Value]) -> ArgsId {
        if let Some(id) = self.lists.get(values) {
            return *id;
        }
        let id = ArgsId::from_index(self.ends.len());
        self.values.extend_from_slice(values);
        self.ends.push(self.values.len());
        self.lists.insert(values.into(), id);
        id
    }

    pub(crate) fn text(&mut self, text: &str) -> TextId {
        if let Some(id) = self.by_text.get(text) {
            return *id;
        }
        let id = TextId::from_index(self.texts.len());
        self.texts.push(text.into());
        self.by_text.insert(text.into(), id);
        id
    }

    pub(crate) fn of(&self, id: ArgsId) -> &[Value] {
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.values[start..self.ends[id.index()]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (TextId, &str)> {
        self.texts.iter().enumerate().map(|(index, text)| (TextId::from_index(index), &**text))
    }

    pub(crate) fn text_of(&self, id: TextId) -> &str {
        &self.texts[id.index()]
    }

    /// Frees what only building needs.
    pub(crate) fn seal(&mut self) {
        (self.lists, self.by_text) = Default::default();
        self.values.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
