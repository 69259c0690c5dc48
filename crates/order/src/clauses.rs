//! Where clauses of three and more literals are kept: one after the other, each with its length and its grade.

use crate::lit::Lit;

/// A clause, by where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClauseId(u32);

/// The grade of a clause that is never forgotten.
pub const KEEP: u32 = 0;
/// The grade of a forgotten clause.
pub const GONE: u32 = u32::MAX;

#[derive(Default, Debug)]
pub struct Clauses {
    store: Vec<u32>,
}

impl Clauses {
    pub fn add(&mut self, lits: &[Lit], grade: u32) -> ClauseId {
        let id = ClauseId(self.store.len() as u32);
        self.store.push(lits.len() as u32);
        self.store.push(grade);
        self.store.extend(lits.iter().map(|lit| lit.0));
        id
    }

    /// All clauses, forgotten ones too.
    pub fn ids(&self) -> impl Iterator<Item = ClauseId> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let id = ClauseId(next);
            next += 2 + self.store.get(id.0 as usize)?;
            Some(id)
        })
    }

    pub fn len(&self, id: ClauseId) -> usize {
        self.store[id.0 as usize] as usize
    }

    pub fn grade(&self, id: ClauseId) -> u32 {
        self.store[id.0 as usize + 1]
    }

    pub fn forget(&mut self, id: ClauseId) {
        self.store[id.0 as usize + 1] = GONE;
    }

    pub fn lit(&self, id: ClauseId, place: usize) -> Lit {
        Lit(self.store[id.0 as usize + 2 + place])
    }

    pub fn swap(&mut self, id: ClauseId, a: usize, b: usize) {
        let first = id.0 as usize + 2;
        self.store.swap(first + a, first + b);
    }

    pub fn lits(&self, id: ClauseId) -> impl Iterator<Item = Lit> + '_ {
        (0..self.len(id)).map(move |place| self.lit(id, place))
    }
}
