//! Join-points at calls and bodies of functions.

use super::{At, Context, JoinPoint, Operand, Subject};
use crate::call::Call;
use crate::function::Function;
use crate::signature::Signature;
use crate::types::SourceType;
use foretrace_instrumentation::{Moment, What, demangled};

/// The first line of a function.
pub struct Header {
    /// Its symbol.
    pub name: String,
    /// The number of its debug metadata.
    pub debug: Option<u32>,
    parameters: Vec<Operand>,
}

impl Header {
    pub fn of(signature: &Signature<'_>) -> Self {
        let visible = signature.parameters.iter().filter(|parameter| !parameter.is_result);
        let parameters = visible.map(|parameter| Operand {
            kind: parameter.kind.to_owned(),
            value: parameter.name.to_owned(),
            source: None,
            by_value: parameter.by_value,
        });
        Self { name: signature.name.to_owned(), debug: signature.debug, parameters: parameters.collect() }
    }
}

/// The metadata of a line, with its comma; empty if it has none.
pub fn debug_of(line: &str) -> String {
    let Some(at) = line.find(", !dbg !") else { return String::new() };
    let number = &line[at + ", !dbg !".len()..];
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    format!(", !dbg !{}", &number[..end])
}

/// Types of the source, for arguments that are passed as the source has them.
fn typed(mut operands: Vec<Operand>, types: Option<&[Option<SourceType>]>) -> Result<Vec<Operand>, ()> {
    let Some(types) = types.and_then(|types| types.get(1..)) else { return Ok(operands) };
    // `null` at the end stands for the arguments of a variadic function.
    let is_variadic = types.last() == Some(&None);
    let fixed = types.len() - usize::from(is_variadic);
    if operands.len() < fixed || (operands.len() > fixed && !is_variadic) {
        return Err(());
    }
    operands.iter_mut().zip(types).for_each(|(operand, kind)| operand.source = *kind);
    Ok(operands)
}

/// The join-points of the function's own body.
pub fn bodies(function: &Function, header: &Header, context: &Context<'_, '_>) -> Result<Vec<JoinPoint>, String> {
    let mut points = Vec::new();
    let orders: Vec<_> = context.orders_of(What::Body, &header.name).collect();
    if orders.is_empty() || delegates(function, header) {
        return Ok(points);
    }
    let types = context.signature(&header.name);
    let arguments = arguments(header.parameters.clone(), types.as_deref(), &orders, &header.name)?;
    let result_type = types.and_then(|types| types.first().copied().flatten());
    for (order, found) in orders {
        let mut add = |at, result, debug| {
            let subject = Subject::Function { arguments: arguments.clone(), result };
            points.push(JoinPoint { order, at, subject, debug });
        };
        match found.moment {
            Moment::Before => {
                let debug = function.lines().map(debug_of).find(|debug| !debug.is_empty()).unwrap_or_default();
                add(At::Line { block: 0, line: 0, before: true }, None, debug);
            }
            Moment::After => {
                for (block, line, result) in returns(function)? {
                    let debug = debug_of(&function.blocks[block].lines[line]);
                    let result =
                        result.map(|(kind, value)| Operand { kind, value, source: result_type, by_value: false });
                    add(At::Line { block, line, before: true }, result, debug);
                }
            }
        }
    }
    Ok(points)
}

/// The fields of these orders need the arguments as the source has them.
fn arguments(
    operands: Vec<Operand>,
    types: Option<&[Option<SourceType>]>,
    orders: &[(usize, &foretrace_instrumentation::Order)],
    symbol: &str,
) -> Result<Vec<Operand>, String> {
    let captures = orders.iter().any(|(_, order)| super::value::uses_arguments(order));
    match typed(operands.clone(), types) {
        Ok(typed) => Ok(typed),
        Err(()) if !captures => Ok(operands),
        Err(()) => Err(format!(
            "`{}` takes a structure that is passed in several registers, so the numbers of its arguments are not known",
            demangled(symbol)
        )),
    }
}

/// Is it a constructor or destructor that only calls another form of itself, which emits the events?
fn delegates(function: &Function, header: &Header) -> bool {
    let calls = function.lines().filter(|line| line.contains("call ") || line.contains("invoke "));
    let mut callees = calls.filter_map(Call::parse).map(|call| call.callee);
    callees.any(|callee| is_other_form(callee, &header.name))
}

/// Are they two forms of one constructor or destructor?
fn is_other_form(one: &str, other: &str) -> bool {
    one != other && one.starts_with("_Z") && other.starts_with("_Z") && demangled(one) == demangled(other)
}

/// A result: its type and value.
type ReturnedValue = Option<(String, String)>;

/// The returns of a function.
fn returns(function: &Function) -> Result<Vec<(usize, usize, ReturnedValue)>, String> {
    let mut found = Vec::new();
    for (number, block) in function.blocks.iter().enumerate() {
        let line = block.lines.len() - 1;
        let Some(rest) = block.lines[line].trim_start().strip_prefix("ret ") else { continue };
        if line > 0 && block.lines[line - 1].contains("musttail call ") {
            return Err(
                "it ends in a call that must stay a tail call (musttail), so nothing can come after its body".into()
            );
        }
        let code = crate::text::split(rest).and_then(|parts| parts.first().copied()).unwrap_or(rest);
        let value = crate::text::kind(code).map(|(kind, value)| (kind.to_owned(), value.trim().to_owned()));
        found.push((number, line, value.filter(|(_, value)| !value.is_empty())));
    }
    Ok(found)
}

/// The join-points at calls in this function.
pub fn calls(function: &Function, header: &Header, context: &Context<'_, '_>) -> Result<Vec<JoinPoint>, String> {
    let mut points = Vec::new();
    if !context.orders.iter().any(|order| order.what == What::Call) {
        return Ok(points);
    }
    for (number, block) in function.blocks.iter().enumerate() {
        for (line, text) in block.lines.iter().enumerate() {
            if !text.contains("call ") && !text.contains("invoke ") {
                continue;
            }
            let Some(call) = Call::parse(text) else { continue };
            if !is_other_form(call.callee, &header.name) {
                points.extend(call_points(&call, (number, line), text, context)?);
            }
        }
    }
    Ok(points)
}

fn call_points(
    call: &Call<'_>,
    (block, line): (usize, usize),
    text: &str,
    context: &Context<'_, '_>,
) -> Result<Vec<JoinPoint>, String> {
    let orders: Vec<_> = context.orders_of(What::Call, call.source_name()).collect();
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let types = context.signature(call.callee);
    let operands = call.arguments.iter().map(|argument| Operand {
        kind: argument.kind.to_owned(),
        value: argument.value.to_owned(),
        source: None,
        by_value: argument.by_value,
    });
    let arguments = arguments(operands.collect(), types.as_deref(), &orders, call.callee)?;
    let source = types.and_then(|types| types.first().copied().flatten());
    let value = call.result.to_owned();
    let result = (call.kind != "void" && !value.is_empty()).then(|| Operand {
        kind: call.kind.to_owned(),
        value,
        source,
        by_value: false,
    });
    let point = |(order, found): &(usize, &foretrace_instrumentation::Order)| {
        let (at, result) = match (found.moment, call.goes_on) {
            (Moment::Before, _) => (At::Line { block, line, before: true }, None),
            (Moment::After, _) if call.must_tail => {
                return Err(format!("the call of `{}` must stay a tail call (musttail)", demangled(call.callee)));
            }
            (Moment::After, Some(to)) => (At::Edge { from: block, to: to.to_owned() }, result.clone()),
            (Moment::After, None) => (At::Line { block, line: line + 1, before: false }, result.clone()),
        };
        let subject = Subject::Function { arguments: arguments.clone(), result };
        Ok(JoinPoint { order: *order, at, subject, debug: debug_of(text) })
    };
    orders.iter().map(point).collect()
}
