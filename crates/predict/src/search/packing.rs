//! States in a few machine words.

use crate::model::{Program, State};

/// A packed state; words compare in order, so packed states can be sorted.
pub(crate) type Key<const N: usize> = [u64; N];

/// The position of a number in a key.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

/// The layout of a key.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    cuts: Vec<Field>,
    limits: Vec<Field>,
    /// The state of the watched property, if there is one.
    at: Option<Field>,
    /// The number that stands for "no limit", by thread.
    ends: Vec<u32>,
    words: usize,
}

impl Packing {
    /// A layout for states whose positions are at most these.
    pub(crate) fn new(program: &Program, caps: &[u32]) -> Self {
        let mut layout = Layout { word: 0, used: 0 };
        let cuts: Vec<_> = caps.iter().map(|&cap| layout.field(cap)).collect();
        let ends: Vec<_> = (0..program.threads()).map(|thread| program.len(thread)).collect();
        let limits = if program.losable() { ends.iter().map(|&end| layout.field(end)).collect() } else { Vec::new() };
        let at = program.watched.as_ref().map(|watched| layout.field(watched.violated()));
        Self { cuts, limits, at, ends, words: layout.word + 1 }
    }

    /// Words needed.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn pack<const N: usize>(&self, state: &State) -> Key<N> {
        let mut key = [0; N];
        for (field, &value) in self.cuts.iter().zip(&state.cut) {
            key[field.word] |= u64::from(value) << field.shift;
        }
        for (field, (&limit, &end)) in self.limits.iter().zip(state.limits.iter().zip(&self.ends)) {
            key[field.word] |= u64::from(end - limit) << field.shift;
        }
        if let Some(field) = self.at {
            key[field.word] |= u64::from(state.at) << field.shift;
        }
        key
    }

    #[inline]
    pub(crate) fn unpack<const N: usize>(&self, key: &Key<N>, state: &mut State) {
        for (field, value) in self.cuts.iter().zip(&mut state.cut) {
            *value = (key[field.word] >> field.shift & field.mask) as u32;
        }
        for (field, (limit, &end)) in self.limits.iter().zip(state.limits.iter_mut().zip(&self.ends)) {
            *limit = end - (key[field.word] >> field.shift & field.mask) as u32;
        }
        if let Some(field) = self.at {
            state.at = (key[field.word] >> field.shift & field.mask) as u32;
        }
    }

    /// The key after a step of a thread that changes no limit.
    #[inline]
    pub(crate) fn advance<const N: usize>(&self, mut key: Key<N>, thread: usize) -> Key<N> {
        let field = self.cuts[thread];
        key[field.word] += 1 << field.shift;
        key
    }
}

struct Layout {
    word: usize,
    used: u32,
}

impl Layout {
    /// Room for numbers up to `max`, within one word.
    fn field(&mut self, max: u32) -> Field {
        let bits = (32 - max.leading_zeros()).max(1);
        if self.used + bits > 64 {
            self.word += 1;
            self.used = 0;
        }
        let shift = self.used;
        self.used += bits;
        Field { word: self.word, shift, mask: (1 << bits) - 1 }
    }
}
