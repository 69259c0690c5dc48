//! What a round of the search came to.

use foretrace_explore::Optimal;

/// What a round of the search was.
#[derive(Clone, Default)]
pub struct Round {
    /// Every order was run, or one that stands for it.
    pub is_complete: bool,
    /// How many classes of orders were run, if it ran one order of each.
    pub classes: Option<u64>,
    /// How many there are, about.
    pub estimate: Option<f64>,
    /// Executions may have been cut off because they are equivalent to others.
    pub may_repeat: bool,
    /// The bound within which all orders were run.
    pub within: Option<String>,
}

impl Round {
    /// Of a search for one order of each class.
    pub fn of(is_complete: bool, optimal: &Optimal) -> Self {
        let counts = optimal.counts();
        let may_repeat = optimal.may_repeat();
        let whole = counts.diverged + counts.cut == 0 && (may_repeat || counts.asleep == 0);
        let estimate = optimal.progress().estimate();
        Self { is_complete: is_complete && whole, classes: Some(counts.classes), estimate, may_repeat, within: None }
    }
}
