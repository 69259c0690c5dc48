//! Names of values. A name holds in its thread from its line on; where branches come together, a name that was bound
//! anew in one of them stands for the value of the branch that was taken (the paper's φ-functions).

use crate::expr::{ExprError, Exprs};
use crate::ids::ExprId;
use rustc_hash::FxHashMap;

type Names = FxHashMap<String, ExprId>;

/// The names of one thread.
#[derive(Default)]
pub struct Scope {
    names: Names,
    branches: Vec<Branch>,
}

struct Branch {
    condition: ExprId,
    before: Names,
    /// The names at the end of the first branch, once that is over.
    then: Option<Names>,
}

impl Scope {
    pub fn get(&self, name: &str) -> Option<ExprId> {
        self.names.get(name).copied()
    }

    pub fn bind(&mut self, name: &str, value: ExprId) {
        self.names.insert(name.to_owned(), value);
    }

    pub fn begin(&mut self, condition: ExprId) {
        self.branches.push(Branch { condition, before: self.names.clone(), then: None });
    }

    /// Whether there was a branch that had no `else` yet.
    pub fn turn(&mut self) -> bool {
        let Some(branch) = self.branches.last_mut().filter(|branch| branch.then.is_none()) else { return false };
        branch.then = Some(std::mem::replace(&mut self.names, branch.before.clone()));
        true
    }

    /// Whether there was a branch.
    pub fn end(&mut self, exprs: &mut Exprs) -> Result<bool, ExprError> {
        let Some(branch) = self.branches.pop() else { return Ok(false) };
        let now = std::mem::take(&mut self.names);
        let (then, other) = match branch.then {
            Some(then) => (then, now),
            None => (now, branch.before),
        };
        // The order matters: it is the order in which expressions are made.
        let mut both: Vec<(&String, ExprId, ExprId)> = Vec::new();
        self.names = other.clone();
        for (name, a) in &then {
            match other.get(name) {
                Some(b) if a != b => both.push((name, *a, *b)),
                Some(_) => {}
                None => drop(self.names.insert(name.clone(), *a)),
            }
        }
        both.sort();
        for (name, a, b) in both {
            if exprs.width(a) == exprs.width(b) {
                let value = exprs.select(branch.condition, a, b)?;
                self.names.insert(name.clone(), value);
            } else {
                self.names.remove(name);
            }
        }
        Ok(true)
    }
}
