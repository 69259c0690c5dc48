//! Join-points at accesses of global variables.

use super::functions::debug_of;
use super::{At, Context, JoinPoint, Operand, Subject};
use crate::call::Call;
use crate::function::{Definitions, Function};
use crate::instruction::Instruction;
use crate::text::{close, kind, split};
use foretrace_instrumentation::{Moment, Order, Target, What};

/// The longest chain of addresses that are computed from each other.
const DEPTH: u32 = 8;

/// An access of memory.
struct Access {
    what: What,
    address: String,
    size: u64,
    value: Option<Operand>,
}

/// The variable that an address belongs to, and the offset in it, if it is constant.
struct Root {
    symbol: String,
    offset: Option<u64>,
}

/// The join-points at accesses in this function.
pub fn accesses(function: &Function, context: &Context<'_, '_>) -> Result<Vec<JoinPoint>, String> {
    let mut points = Vec::new();
    if !context.orders.iter().any(|order| order.what.is_access()) {
        return Ok(points);
    }
    let definitions = function.definitions();
    for (block, contents) in function.blocks.iter().enumerate() {
        for (line, text) in contents.lines.iter().enumerate() {
            for access in accesses_of(text, context) {
                let Some(root) = root(&access.address, function, &definitions, context, DEPTH) else { continue };
                for (order, found) in context.orders.iter().enumerate().filter(|(_, order)| order.what == access.what) {
                    if is_target(found, &root, access.size, context)? {
                        points.push(point(order, found, &access, (block, line), text));
                    }
                }
            }
        }
    }
    Ok(points)
}

fn point(order: usize, found: &Order, access: &Access, (block, line): (usize, usize), text: &str) -> JoinPoint {
    let at = match found.moment {
        Moment::Before => At::Line { block, line, before: true },
        Moment::After => At::Line { block, line: line + 1, before: false },
    };
    let subject = Subject::Access { address: access.address.clone(), size: access.size, value: access.value.clone() };
    JoinPoint { order, at, subject, debug: debug_of(text) }
}

/// The accesses that an instruction makes.
fn accesses_of(text: &str, context: &Context<'_, '_>) -> Vec<Access> {
    let code = text.trim_start();
    let (result, code) = match code.split_once(" = ") {
        Some((name, rest)) if name.starts_with('%') => (name, rest),
        _ => ("", code),
    };
    let Some((operation, rest)) = code.split_once(' ') else { return Vec::new() };
    let rest =
        ["atomic ", "weak ", "volatile "].iter().fold(rest, |rest, flag| rest.strip_prefix(flag).unwrap_or(rest));
    let found = match operation {
        "load" => load(result, rest, context),
        "store" => store(rest, context),
        "atomicrmw" => update(result, rest, 1, context),
        "cmpxchg" => update(result, rest, 2, context),
        "call" => copy(text),
        _ => None,
    };
    found.unwrap_or_default()
}

fn operand(part: &str) -> Option<Operand> {
    let (kind, value) = kind(part)?;
    Some(Operand { kind: kind.to_owned(), value: value.trim().to_owned(), source: None, by_value: false })
}

/// Without the memory order and the scope after an operand.
fn address_in(part: &str) -> Option<String> {
    let rest = part.strip_prefix("ptr ")?;
    let end =
        if rest.starts_with("getelementptr") { rest.rfind(')')? + 1 } else { rest.find(' ').unwrap_or(rest.len()) };
    Some(rest[..end].to_owned())
}

fn load(result: &str, rest: &str, context: &Context<'_, '_>) -> Option<Vec<Access>> {
    let parts = split(rest)?;
    let value = operand(&format!("{} {result}", parts.first()?))?;
    let size = context.layout.size(&value.kind)?;
    Some(vec![Access { what: What::ReadGlobal, address: address_in(parts.get(1)?)?, size, value: Some(value) }])
}

fn store(rest: &str, context: &Context<'_, '_>) -> Option<Vec<Access>> {
    let parts = split(rest)?;
    let value = operand(parts.first()?)?;
    let size = context.layout.size(&value.kind)?;
    Some(vec![Access { what: What::WriteGlobal, address: address_in(parts.get(1)?)?, size, value: Some(value) }])
}

/// An update reads and writes; the value that an addition writes is not in the module.
fn update(result: &str, rest: &str, new: usize, context: &Context<'_, '_>) -> Option<Vec<Access>> {
    let rest = &rest[rest.find("ptr ")?..];
    let parts = split(rest)?;
    let address = address_in(parts.first()?)?;
    let (new_kind, written) = kind(parts.get(new)?)?;
    let written = written.split_whitespace().next()?;
    let size = context.layout.size(new_kind)?;
    let known = |value: &str| operand(&format!("{new_kind} {value}"));
    // A compare-exchange returns a pair.
    let read = if new == 1 { known(result) } else { None };
    let written = if new == 2 { known(written) } else { None };
    let access = |what, value| Access { what, address: address.clone(), size, value };
    Some(vec![access(What::ReadGlobal, read), access(What::WriteGlobal, written)])
}

/// Structures are copied as a whole.
fn copy(text: &str) -> Option<Vec<Access>> {
    let call = Call::parse(text).filter(|call| call.callee.starts_with("llvm.mem"))?;
    let size = call.arguments.get(2)?.value.parse().unwrap_or(0);
    let access =
        |what, at: usize| Some(Access { what, address: call.arguments.get(at)?.value.to_owned(), size, value: None });
    let written = access(What::WriteGlobal, 0)?;
    Some(match call.source_name() {
        "memset" => vec![written],
        _ => vec![access(What::ReadGlobal, 1)?, written],
    })
}

/// The variable that an address belongs to.
fn root(
    address: &str,
    function: &Function,
    definitions: &Definitions,
    context: &Context<'_, '_>,
    depth: u32,
) -> Option<Root> {
    if let Some(symbol) = address.strip_prefix('@') {
        return Some(Root { symbol: crate::text::name(symbol)?.0.to_owned(), offset: Some(0) });
    }
    let depth = depth.checked_sub(1)?;
    if address.starts_with("getelementptr") {
        let parts = split(close(&address[address.find('(')? + 1..])?.0)?;
        return part_of(&parts, function, definitions, context, depth);
    }
    let (block, line) = definitions.get(address)?;
    let text = &function.blocks[*block].lines[*line];
    if let Some(call) = Call::parse(text).filter(|call| call.callee.starts_with("llvm.threadlocal.address")) {
        return root(call.arguments.first()?.value, function, definitions, context, depth);
    }
    let instruction = Instruction::parse(text).filter(|found| found.operation == "getelementptr")?;
    part_of(&instruction.parts, function, definitions, context, depth)
}

/// The variable of a `getelementptr`.
fn part_of(
    parts: &[&str],
    function: &Function,
    definitions: &Definitions,
    context: &Context<'_, '_>,
    depth: u32,
) -> Option<Root> {
    let (kind, base) = (parts.first()?, parts.get(1)?.strip_prefix("ptr ")?);
    let whole = root(base, function, definitions, context, depth)?;
    let indices: Option<Vec<u64>> = parts[2..].iter().map(|index| index.split(' ').next_back()?.parse().ok()).collect();
    let within = indices.and_then(|indices| {
        let (first, rest) = indices.split_first()?;
        context.layout.size(kind)?.checked_mul(*first)?.checked_add(context.layout.offset(kind, rest)?)
    });
    let offset = whole.offset.zip(within).and_then(|(before, within)| before.checked_add(within));
    Some(Root { offset, ..whole })
}

/// Is the access one of the order's target?
fn is_target(order: &Order, root: &Root, size: u64, context: &Context<'_, '_>) -> Result<bool, String> {
    for (pattern, members) in order.target.variables() {
        if !Target::is_variable(pattern, &root.symbol) {
            continue;
        }
        if members.is_empty() {
            return Ok(true);
        }
        let name = order.target.text();
        let Some(mut kind) = context.debug.variable(&root.symbol) else {
            return Err(format!("`{name}` is a member, and debug information (-g) does not say where it is"));
        };
        let mut start = 0;
        for member in &members {
            let Some(place) = context.debug.member(kind, member) else {
                return Err(format!("`{name}`: there is no member `{member}`"));
            };
            (kind, start) = (place.kind, start + place.offset);
        }
        let end = start + context.debug.size(kind).unwrap_or(1);
        // Where the offset is not known, an element of an array is accessed.
        return Ok(root.offset.is_some_and(|offset| offset < end && start < offset + size.max(1)));
    }
    Ok(false)
}
