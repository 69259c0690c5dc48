//! Floating-point numbers: `%f`, `%e`, `%g` and `%a`. They are rounded as Java does it: half up, from the shortest decimal
//! number that stands for the value.
use super::parse::Spec;

pub fn show(spec: &Spec, value: f64) -> String {
    if value.is_nan() {
        return spec.pad("NaN".to_owned());
    }
    let negative = value.is_sign_negative();
    if value.is_infinite() {
        return spec.signed(negative, "Infinity", false);
    }
    let precision = spec.precision.unwrap_or(6);
    let digits = match spec.kind {
        'f' => spec.grouped(fixed(&Decimal::of(value), precision, spec.has('#'))),
        'e' => scientific(&Decimal::of(value), precision, spec.has('#')),
        'g' => general(spec, value, precision.max(1)),
        _ => hexadecimal(value.abs(), spec.precision),
    };
    spec.signed(negative, &digits, true)
}

/// Digits, of which the first `point` stand before the point.
#[derive(Clone)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    fn of(value: f64) -> Decimal {
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        Decimal { digits, point: exponent.parse::<i32>().unwrap_or(0) + 1 }
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|digit| *digit == 0)
    }

    /// The same with at most so many digits.
    fn rounded(&self, keep: i32) -> Decimal {
        let Ok(keep) = usize::try_from(keep) else { return Decimal { digits: vec![0], point: 1 } };
        if keep >= self.digits.len() {
            return self.clone();
        }
        let up = self.digits[keep] >= 5;
        let mut out = Decimal { digits: self.digits[..keep].to_vec(), point: self.point };
        let mut carry = up;
        for digit in out.digits.iter_mut().rev().take_while(|_| up) {
            if !carry {
                break;
            }
            carry = *digit == 9;
            *digit = if carry { 0 } else { *digit + 1 };
        }
        if carry {
            out.digits.insert(0, 1);
            out.point += 1;
        }
        if out.digits.is_empty() {
            out = Decimal { digits: vec![0], point: 1 };
        }
        out
    }

    /// The digit so many places before the point, or behind it if negative.
    fn at(&self, place: i32) -> char {
        let index = self.point - 1 - place;
        let digit = usize::try_from(index).ok().and_then(|index| self.digits.get(index));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
}

fn fixed(decimal: &Decimal, precision: usize, always_point: bool) -> String {
    let decimal = decimal.rounded(decimal.point.saturating_add(precision as i32));
    let mut out: String = (0..decimal.point.max(1)).rev().map(|place| decimal.at(place)).collect();
    if precision > 0 || always_point {
        out.push('.');
    }
    out.extend((1..=precision as i32).map(|place| decimal.at(-place)));
    out
}

fn scientific(decimal: &Decimal, precision: usize, always_point: bool) -> String {
    let decimal = decimal.rounded(precision as i32 + 1);
    let exponent = if decimal.is_zero() { 0 } else { decimal.point - 1 };
    let moved = Decimal { digits: decimal.digits, point: 1 };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", fixed(&moved, precision, always_point), exponent.abs())
}

fn general(spec: &Spec, value: f64, precision: usize) -> String {
    let decimal = Decimal::of(value);
    let rounded = decimal.rounded(precision as i32);
    let point = if rounded.is_zero() { 1 } else { rounded.point };
    // From 0.0001 on, and below ten to the precision.
    if point >= -3 && point <= precision as i32 {
        return spec.grouped(fixed(&decimal, (precision as i32 - point).max(0) as usize, false));
    }
    scientific(&decimal, precision - 1, false)
}

/// As Java's `Double.toHexString`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52 & 0x7ff) as i64 - 1023, bits & ((1 << 52) - 1));
    let mut whole = u64::from(exponent != -1023);
    if exponent == -1023 {
        exponent = if fraction == 0 { 0 } else { -1022 };
    }
    if let Some(digits) = precision.map(|digits| digits.max(1)).filter(|digits| *digits < 13) {
        let shift = 52 - 4 * digits as u64;
        fraction = (fraction + (1 << (shift - 1))) >> shift << shift;
        whole += fraction >> 52;
        fraction &= (1 << 52) - 1;
    }
    let digits = format!("{fraction:013x}");
    let kept = precision.unwrap_or(0).clamp(1, 13);
    let digits = match digits.trim_end_matches('0') {
        short if short.len() < kept => &digits[..kept],
        short => short,
    };
    format!("0x{whole}.{digits}p{exponent}")
}
