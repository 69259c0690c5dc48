//! `String.format`: the conversions of Java's formatter, which TeSSLa uses, for one value.
//!
//! A format that no value of its type fits is refused before anything runs, if it is written as a literal.
mod float;
mod number;
mod parse;

use super::{Shown, Value};
use crate::ty::Ty;
use parse::{Piece, Spec, pieces};

/// What a conversion needs to know of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    Other,
}

/// Replaces the conversion in `format` by the value, or says why it cannot.
pub fn format(format: &str, value: &Value) -> Value {
    let kind = match value {
        Value::Int(_) | Value::Big(_) => Kind::Int,
        Value::Float(_) => Kind::Float,
        _ => Kind::Other,
    };
    let pieces = match checked(format, kind) {
        Ok(pieces) => pieces,
        Err(why) => return Value::error(why),
    };
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out += &text,
            Piece::Conversion(spec) => out += &convert(&spec, value),
        }
    }
    Value::str(&out)
}

/// Why no value of a type fits a format; nothing if the type is not known.
pub fn misfit(format: &str, ty: &Ty) -> Option<String> {
    let kind = match ty {
        Ty::Int => Kind::Int,
        Ty::Float => Kind::Float,
        Ty::Var(_) | Ty::Param(..) => return None,
        _ => Kind::Other,
    };
    checked(format, kind).err()
}

fn checked(format: &str, kind: Kind) -> Result<Vec<Piece>, String> {
    let pieces = pieces(format)?;
    let mut ordinary = 0;
    for piece in &pieces {
        if let Piece::Conversion(spec) = piece {
            spec.check(kind)?;
            ordinary += usize::from(!spec.indexed);
        }
    }
    if ordinary > 1 {
        return Err(format!("`{format}` has more conversions than the one value it is given"));
    }
    Ok(pieces)
}

fn convert(spec: &Spec, value: &Value) -> String {
    let text = match (spec.kind, value) {
        ('d' | 'o' | 'x', value) => number::show(spec, value),
        ('c', Value::Int(code)) => {
            let code = u32::try_from(*code).ok().and_then(char::from_u32);
            spec.pad(code.unwrap_or(char::REPLACEMENT_CHARACTER).to_string())
        }
        ('e' | 'f' | 'g' | 'a', Value::Float(number)) => float::show(spec, *number),
        ('b', Value::Bool(value)) => spec.pad(spec.cut(value.to_string())),
        ('b', _) => spec.pad(spec.cut("true".to_owned())),
        ('h', value) => spec.pad(spec.cut(format!("{:x}", hash(value)))),
        (_, value) => spec.pad(spec.cut(Shown { value, quotes: false }.to_string())),
    };
    if spec.upper { text.to_uppercase() } else { text }
}

/// The hash code of a string as Java computes it, and of other values that of their text.
fn hash(value: &Value) -> u32 {
    let text = Shown { value, quotes: false }.to_string();
    match value {
        Value::Int(word) if u32::try_from(*word).is_ok() => *word as u32,
        _ => text.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit))),
    }
}
