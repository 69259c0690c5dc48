//! Whether everything was checked. "Nothing found" is only reported for what was checked.

/// How much of what happened the specification has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    Whole,
    /// Something is missing, which has been said.
    Part,
}

impl Coverage {
    /// Says what is missing.
    pub fn misses(&mut self, what: &str) {
        crate::output::say!("not everything was checked: {what}");
        *self = Coverage::Part;
    }
}
