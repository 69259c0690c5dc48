//! `String.format`: one `printf`-like conversion of one value.
use super::{Value, int};

struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    group: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

/// Replaces the first conversion of `format` by the value, or says why it cannot.
pub fn format(format: &str, value: &Value) -> Value {
    let Some(start) = format.find('%') else { return Value::str(format) };
    let Some((spec, len)) = parse(&format[start + 1..]) else {
        return Value::error(format!("`{format}` is not a format"));
    };
    let Some(body) = convert(&spec, value) else {
        return Value::error(format!("`%{}` does not fit the value {value}", spec.kind));
    };
    let padded = pad(&spec, body);
    Value::str(&format!("{}{}{}", &format[..start], padded, &format[start + 1 + len..]))
}

fn parse(text: &str) -> Option<(Spec, usize)> {
    let flags = text.find(|c| !"-0+,".contains(c))?;
    let has = |flag| text[..flags].contains(flag);
    let digits = |from: usize| text[from..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| from + n);
    let width_end = digits(flags);
    let mut end = width_end;
    let mut precision = None;
    if text[end..].starts_with('.') {
        end = digits(width_end + 1);
        precision = Some(text[width_end + 1..end].parse().ok()?);
    }
    let kind = text[end..].chars().next().filter(|c| "dxXosfeg".contains(*c))?;
    let width = if width_end > flags { text[flags..width_end].parse().ok()? } else { 0 };
    // A width or precision no terminal has is a mistake, and formatting it would only cost memory.
    if width > 10_000 || precision.is_some_and(|p| p > 1_000) {
        return None;
    }
    let spec = Spec { left: has('-'), zero: has('0'), plus: has('+'), group: has(','), width, precision, kind };
    Some((spec, end + 1))
}

fn convert(spec: &Spec, value: &Value) -> Option<String> {
    let body = match (spec.kind, value) {
        ('d', Value::Int(_) | Value::Big(_)) => grouped(spec, value.to_string()),
        ('x', Value::Int(_) | Value::Big(_)) => int::to_big(value).to_str_radix(16),
        ('X', Value::Int(_) | Value::Big(_)) => int::to_big(value).to_str_radix(16).to_uppercase(),
        ('o', Value::Int(_) | Value::Big(_)) => int::to_big(value).to_str_radix(8),
        ('f', Value::Float(v)) => grouped(spec, std::format!("{:.*}", spec.precision.unwrap_or(6), v)),
        ('e', Value::Float(v)) => exponent(spec.precision.unwrap_or(6), *v),
        ('g', Value::Float(v)) => v.to_string(),
        ('s', Value::Str(text)) => truncated(spec, text.to_string()),
        ('s', other) => truncated(spec, other.to_string()),
        _ => return None,
    };
    let positive = spec.plus && spec.kind != 's' && !body.starts_with('-');
    Some(if positive { std::format!("+{body}") } else { body })
}

fn truncated(spec: &Spec, text: String) -> String {
    text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect()
}

fn exponent(precision: usize, value: f64) -> String {
    let text = std::format!("{value:.precision$e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
    std::format!("{digits}e{sign}{power:0>2}")
}

fn grouped(spec: &Spec, text: String) -> String {
    if !spec.group {
        return text;
    }
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |r| ("-", r));
    let (whole, fraction) = rest.find('.').map_or((rest, ""), |dot| rest.split_at(dot));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    std::format!("{sign}{out}{fraction}")
}

fn pad(spec: &Spec, body: String) -> String {
    let missing = spec.width.saturating_sub(body.chars().count());
    if spec.left {
        return body + &" ".repeat(missing);
    }
    if spec.zero && spec.kind != 's' {
        let sign = usize::from(body.starts_with(['-', '+']));
        return std::format!("{}{}{}", &body[..sign], "0".repeat(missing), &body[sign..]);
    }
    " ".repeat(missing) + &body
}
