//! The code that captures the values of fields.

use super::code::Code;
use super::{Operand, Subject};
use crate::types::{Shape, SourceType};
use foretrace_instrumentation::{Base, Field, Order, Type, Value};

/// Do the fields or the conditions of an order use arguments?
pub fn uses_arguments(order: &Order) -> bool {
    let is_argument = |value: &Value| matches!(value.base, Base::Argument(_));
    let in_fields = order.fields.iter().any(|field| matches!(field, Field::Value(value) if is_argument(value)));
    in_fields || order.conditions.iter().any(|condition| is_argument(&condition.value))
}

/// A value on its way to a field.
enum State {
    /// It is known.
    Scalar(Operand),
    /// It is in memory.
    Memory { address: String, source: Option<SourceType> },
}

/// The value as a number of 64 bits: the name of an `i64`, or a constant.
pub fn capture(code: &mut Code<'_, '_>, value: &Value, subject: &Subject) -> Result<String, String> {
    let mut state = base(value.base, subject)?;
    for member in &value.members {
        if member.through_pointer {
            state = follow(code, state, &format!("->{}", member.name))?;
        }
        state = enter(code, state, &member.name)?;
    }
    for _ in 0..value.dereferences {
        state = follow(code, state, "*")?;
    }
    match (state, value.kind) {
        (State::Memory { address, .. }, Some(Type::Integer { bytes, signed })) => {
            Ok(code.load(&address, bytes, signed))
        }
        (State::Memory { address, source }, Some(Type::Double)) => {
            let size = source.and_then(|source| code.debug().size(source));
            let (bytes, kind) = if size == Some(4) { (4, "float") } else { (8, "double") };
            let bits = code.load(&address, bytes, false);
            let bits = if bytes == 4 { code.operation(&format!("trunc i64 {bits} to i32")) } else { bits };
            let value = code.operation(&format!("bitcast i{} {bits} to {kind}", 8 * bytes));
            bits_of_double(code, kind, &value, false)
        }
        (State::Scalar(scalar), Some(Type::Double)) => {
            let shape = scalar.source.map(|source| code.debug().shape(source));
            let unsigned = scalar.kind == "i1" || matches!(shape, Some(Shape::Number { signed: false, .. }));
            bits_of_double(code, &scalar.kind, &scalar.value, unsigned)
        }
        (state, kind) => {
            let scalar = loaded(code, state)?;
            let number = as_number(code, &scalar)?;
            Ok(match kind {
                Some(Type::Integer { bytes, signed }) if bytes < 8 => code.cut(&number, bytes, signed),
                _ => number,
            })
        }
    }
}

fn base(base: Base, subject: &Subject) -> Result<State, String> {
    let scalar = |operand: &Operand| match operand.by_value {
        // The type of the parameter is that of the structure.
        true => State::Memory { address: operand.value.clone(), source: operand.source },
        false => State::Scalar(operand.clone()),
    };
    let plain = |kind: &str, value: String| {
        State::Scalar(Operand { kind: kind.to_owned(), value, source: None, by_value: false })
    };
    match (base, subject) {
        (Base::Argument(index), Subject::Function { arguments, .. }) => {
            arguments.get(index as usize).map(scalar).ok_or_else(|| match arguments.len() {
                0 => format!("#{index} does not exist: the function has no arguments"),
                count => format!("#{index} does not exist: the last argument is #{}", count - 1),
            })
        }
        (Base::Return, Subject::Function { result: Some(result), .. }) => Ok(scalar(result)),
        (Base::Return, _) => Err("#return does not exist: the function returns nothing, or a structure".to_owned()),
        (Base::Size, Subject::Access { size, .. }) => Ok(plain("i64", size.to_string())),
        (Base::Address, Subject::Access { address, .. }) => Ok(plain("ptr", address.clone())),
        (Base::Value, Subject::Access { value: Some(value), .. }) => Ok(scalar(value)),
        (Base::Value, _) => Err("#value is not known where the variable is copied or updated as a whole".to_owned()),
        _ => Err("the field does not belong to this join-point".to_owned()),
    }
}

/// What a pointer points to.
fn follow(code: &mut Code<'_, '_>, state: State, what: &str) -> Result<State, String> {
    let pointer = loaded(code, state)?;
    let shape = pointer.source.map(|source| code.debug().shape(source));
    let source = match shape {
        Some(Shape::Pointer(to)) => to,
        None => None,
        Some(_) => return Err(format!("`{what}`: the value is not a pointer")),
    };
    let address = match pointer.kind.as_str() {
        "ptr" => pointer.value,
        "i64" => code.operation(&format!("inttoptr i64 {} to ptr", pointer.value)),
        kind => return Err(format!("`{what}`: a value of type {kind} is not a pointer")),
    };
    Ok(State::Memory { address, source })
}

/// A member of a structure.
fn enter(code: &mut Code<'_, '_>, state: State, name: &str) -> Result<State, String> {
    let State::Memory { address, source } = state else {
        return Err(format!("`.{name}`: the value is not a structure; use `->{name}` behind a pointer"));
    };
    let Some(source) = source else {
        return Err(format!(
            "`{name}`: the type of the structure is not known; compile with -g, and include the header that declares it"
        ));
    };
    let Some(place) = code.debug().member(source, name) else {
        return Err(format!("there is no member `{name}`, or it is a bit-field"));
    };
    let address = code.operation(&format!("getelementptr i8, ptr {address}, i64 {}", place.offset));
    Ok(State::Memory { address, source: Some(place.kind) })
}

/// A value that is not in memory any more.
fn loaded(code: &mut Code<'_, '_>, state: State) -> Result<Operand, String> {
    let State::Memory { address, source } = state else {
        let State::Scalar(operand) = state else { unreachable!("there are two states") };
        return Ok(operand);
    };
    let (bytes, signed) = match source.map(|source| code.debug().shape(source)) {
        Some(Shape::Number { bytes, signed }) => (bytes, signed),
        Some(Shape::Structure(_)) => return Err("the value is a structure; name one of its members".to_owned()),
        Some(Shape::Other) => return Err("the value is not an integer or a pointer; say its type with `as`".to_owned()),
        // Where the type is not known, it is as wide as a pointer.
        Some(Shape::Pointer(_)) | None => (8, false),
    };
    let value = code.load(&address, bytes, signed);
    Ok(Operand { kind: "i64".to_owned(), value, source, by_value: false })
}

/// A value as a `double`, as the `i64` with its bits.
fn bits_of_double(code: &mut Code<'_, '_>, kind: &str, value: &str, unsigned: bool) -> Result<String, String> {
    let double = match kind {
        "double" => value.to_owned(),
        "float" => code.operation(&format!("fpext float {value} to double")),
        _ if kind.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok()) => {
            let convert = if unsigned { "uitofp" } else { "sitofp" };
            code.operation(&format!("{convert} {kind} {value} to double"))
        }
        _ => return Err(format!("a value of type {kind} is not a number")),
    };
    Ok(code.operation(&format!("bitcast double {double} to i64")))
}

/// A value as an `i64`.
fn as_number(code: &mut Code<'_, '_>, operand: &Operand) -> Result<String, String> {
    let Operand { kind, value, source, .. } = operand;
    let shape = source.map(|source| code.debug().shape(source));
    let is_unsigned = kind == "i1" || matches!(shape, Some(Shape::Number { signed: false, .. }));
    match kind.as_str() {
        "i64" => Ok(value.clone()),
        "ptr" => Ok(code.operation(&format!("ptrtoint ptr {value} to i64"))),
        "double" => Ok(code.operation(&format!("call i64 @llvm.fptosi.sat.i64.f64(double {value})"))),
        "float" => {
            let wide = code.operation(&format!("fpext float {value} to double"));
            Ok(code.operation(&format!("call i64 @llvm.fptosi.sat.i64.f64(double {wide})")))
        }
        _ => match kind.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok()) {
            Some(bits) if bits < 64 => {
                let extend = if is_unsigned { "zext" } else { "sext" };
                Ok(code.operation(&format!("{extend} {kind} {value} to i64")))
            }
            Some(_) => Ok(code.operation(&format!("trunc {kind} {value} to i64"))),
            None => Err(format!("a value of type {kind} is not an integer or a pointer")),
        },
    }
}
