//! Integers: `%d`, `%o` and `%x`.
use super::parse::Spec;
use crate::value::{Value, int};
use num_bigint::Sign;

pub fn show(spec: &Spec, value: &Value) -> String {
    let big = int::to_big(value);
    let negative = big.sign() == Sign::Minus;
    let digits = match spec.kind {
        'o' => big.magnitude().to_str_radix(8),
        'x' => big.magnitude().to_str_radix(16),
        _ => spec.grouped(big.magnitude().to_string()),
    };
    let prefix = match spec.kind {
        'o' if spec.has('#') => "0",
        'x' if spec.has('#') => "0x",
        _ => "",
    };
    spec.signed(negative, &format!("{prefix}{digits}"), true)
}
