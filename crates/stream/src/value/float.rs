//! Floating-point values: an order that sets can use, and the text form.
use std::cmp::Ordering;

/// The order of the numbers; zeros are equal, and all not-a-numbers are equal and largest.
pub fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Always with a fraction or an exponent, so that it reads back as a float.
pub fn show(value: f64) -> String {
    format!("{value:?}")
}
