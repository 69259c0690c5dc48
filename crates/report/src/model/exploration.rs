//! How far an exploration came, in numbers.

use serde::{Deserialize, Serialize};

/// How far an exploration came.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Exploration {
    /// How often the program was run.
    pub executions: u64,
    /// In how many orders that it can tell apart, if they were counted.
    pub classes: Option<u64>,
    /// What limits the orders that were looked at: `with at most 2 preemptions`.
    pub within: Option<String>,
    /// How long it took.
    pub milliseconds: u64,
    /// Whether no order within these limits is left.
    pub complete: bool,
}
