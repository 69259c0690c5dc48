//! The widths of packed states that the search is compiled for.

/// Calls a function with the number of words a state has, rounded up to one that exists.
#[macro_export]
macro_rules! with_words {
    ($words:expr, $w:ident, $call:expr) => {
        match $words {
            0 | 1 => {
                const $w: usize = 1;
                $call
            }
            2 => {
                const $w: usize = 2;
                $call
            }
            3 | 4 => {
                const $w: usize = 4;
                $call
            }
            5..=16 => {
                const $w: usize = 16;
                $call
            }
            17..=64 => {
                const $w: usize = 64;
                $call
            }
            words => Err($crate::budget::Limit::Width(words)),
        }
    };
}
