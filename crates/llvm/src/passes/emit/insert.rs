//! The code that emits events, and where it goes.

use super::code::Code;
use super::value::capture;
use super::{At, Context, JoinPoint, SECTION};
use crate::function::Function;
use crate::module::Constants;
use foretrace_instrumentation::{Comparison, Field, Order, Relation, Type};

/// The room for the values of one event.
const BUFFER: &str = "%foretrace.values";

/// Inserts the code of all join-points, which are in order.
pub fn insert(
    function: &mut Function,
    points: &[JoinPoint],
    context: &Context<'_, '_>,
    constants: &mut Constants,
) -> Result<(), String> {
    let mut made: Vec<(At, Vec<String>)> = Vec::new();
    for point in points {
        let order = &context.orders[point.order];
        let lines = emission(function, point, order, context, constants)
            .map_err(|reason| format!("{reason} (line {} of the specification: `{order}`)", order.line))?;
        match made.last_mut().filter(|(at, _)| *at == point.at) {
            Some((_, before)) => before.extend(lines),
            None => made.push((point.at.clone(), lines)),
        }
    }
    let entry = entry_name(function);
    for (at, lines) in made.into_iter().rev() {
        match at {
            At::Line { block, line, .. } => {
                let place = &mut function.blocks[block].lines;
                place.splice(line..line, lines);
            }
            At::Edge { from, to } => on_edge(function, from, &to, &entry, lines),
        }
    }
    function.blocks[0].lines.insert(0, format!("  {BUFFER} = alloca [8 x i64], align 8"));
    Ok(())
}

fn on_edge(function: &mut Function, from: usize, to: &str, entry: &str, lines: Vec<String>) {
    let Some(target) = function.blocks.iter().position(|block| block.name == to) else { return };
    let old = match function.blocks[from].name.as_str() {
        "" => entry.to_owned(),
        name => format!("%{name}"),
    };
    let new = function.split_edge(from, target, &old);
    function.blocks[new].lines.splice(0..0, lines);
}

/// The name of an entry block without a label: the number after those of the parameters, which is the smallest that
/// nothing defines, as the comments of LLVM's text show in `preds`, and phis name.
fn entry_name(function: &Function) -> String {
    let is_number = |name: &str| name.parse::<u32>().ok();
    let values = function.definitions();
    let defined = values.keys().filter_map(|name| is_number(name.trim_start_matches('%')));
    let labels = function.blocks.iter().filter_map(|block| is_number(&block.name));
    let first = defined.chain(labels).min();
    first.and_then(|first| first.checked_sub(1)).map_or_else(|| "%0".to_owned(), |number| format!("%{number}"))
}

/// The code that emits one event.
fn emission(
    function: &mut Function,
    point: &JoinPoint,
    order: &Order,
    context: &Context<'_, '_>,
    constants: &mut Constants,
) -> Result<Vec<String>, String> {
    let name = constants.add(&[&order.event, &order.to_string()], Some(SECTION));
    let mut code = Code { function, context, constants, lines: Vec::new(), debug: point.debug.clone() };
    let holds = conditions(&mut code, &order.conditions, point)?;
    let mut strings = 0_u32;
    for (number, field) in order.fields.iter().enumerate() {
        let (value, is_string) = field_value(&mut code, field, point)?;
        strings |= u32::from(is_string) << number;
        let slot = code.operation(&format!("getelementptr i64, ptr {BUFFER}, i64 {number}"));
        code.line(&format!("store i64 {value}, ptr {slot}, align 8, !nosanitize !{{}}"));
    }
    let count = order.fields.len();
    code.line(&format!(
        "call void @__foretrace_emit(ptr {name}, i32 {count}, ptr {BUFFER}, i32 {strings}, i32 {holds})"
    ));
    Ok(code.lines)
}

/// A field as an `i64`, and whether it is the address of a string.
fn field_value(code: &mut Code<'_, '_>, field: &Field, point: &JoinPoint) -> Result<(String, bool), String> {
    Ok(match field {
        Field::Number(number) => (number.to_string(), false),
        Field::Text(text) => {
            let constant = code.constants.add(&[text], None);
            (code.operation(&format!("ptrtoint ptr {constant} to i64")), true)
        }
        Field::Value(value) => (capture(code, value, &point.subject)?, value.kind == Some(Type::String)),
    })
}

/// Do all conditions hold? An `i32`.
fn conditions(code: &mut Code<'_, '_>, conditions: &[Comparison], point: &JoinPoint) -> Result<String, String> {
    let mut all: Option<String> = None;
    for condition in conditions {
        let value = capture(code, &condition.value, &point.subject)?;
        let predicate = match condition.relation {
            Relation::Equal => "eq",
            Relation::NotEqual => "ne",
            Relation::Less => "slt",
            Relation::LessOrEqual => "sle",
            Relation::Greater => "sgt",
            Relation::GreaterOrEqual => "sge",
        };
        let holds = code.operation(&format!("icmp {predicate} i64 {value}, {}", condition.constant));
        all = Some(match all {
            None => holds,
            Some(before) => code.operation(&format!("and i1 {before}, {holds}")),
        });
    }
    Ok(all.map_or_else(|| "1".to_owned(), |all| code.operation(&format!("zext i1 {all} to i32"))))
}
