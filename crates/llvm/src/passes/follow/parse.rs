//! Instructions, as far as values are followed through them.

use super::call::Call;
use super::typed::{Typed, typed};
use crate::instruction::Instruction;
use crate::text::split;
use foretrace_event::symbolic::NodeOp;

/// What an instruction does.
#[derive(Debug)]
pub enum Form<'a> {
    /// Reads memory.
    Load { kind: &'a str, pointer: &'a str },
    /// Writes memory.
    Store { value: Typed<'a>, pointer: &'a str },
    /// An operation on two values of one type.
    Binary { op: NodeOp, a: Typed<'a>, b: &'a str },
    /// Makes a value wider or narrower, or changes only its type.
    Cast { op: NodeOp, from: Typed<'a>, to: &'a str },
    /// One of two values.
    Select { condition: Typed<'a>, a: Typed<'a>, b: Typed<'a> },
    /// The value of the block that comes before.
    Phi { kind: &'a str, incoming: Vec<(&'a str, &'a str)> },
    /// An address in an object.
    Offset { base: &'a str, indices: Vec<Typed<'a>> },
    /// A branch on a bit.
    Branch { condition: &'a str, yes: &'a str, no: &'a str },
    /// A branch on a number.
    Switch { value: Typed<'a>, numbers: Vec<&'a str> },
    /// Returns a value.
    Return { value: Typed<'a> },
    /// A call.
    Call(Call<'a>),
    /// Something else; its values are not followed.
    Other,
}

/// How many bits a type has that is followed; none for others.
pub fn width(kind: &str) -> Option<u32> {
    match kind.strip_prefix('i') {
        _ if kind == "ptr" => Some(64),
        Some(bits) => bits.parse().ok().filter(|bits| (1..=64).contains(bits)),
        None => None,
    }
}

/// The result of a line with its `%`, if there is one, and what it does.
pub fn parse(line: &str) -> (Option<&str>, Form<'_>) {
    let code = line.trim_start();
    if code.starts_with("#dbg_") {
        return (None, Form::Other);
    }
    let (result, rest) = match code.split_once(" = ") {
        Some((name, rest)) if name.starts_with('%') => (Some(name), rest),
        _ => (None, code),
    };
    if let Some(call) = Call::parse(rest) {
        return (result, Form::Call(call));
    }
    (result, switch(rest).or_else(|| one_line(line)).unwrap_or(Form::Other))
}

fn one_line(line: &str) -> Option<Form<'_>> {
    let instruction = Instruction::parse(line)?;
    let parts = &instruction.parts;
    let part = |at: usize| parts.get(at).copied();
    let plain = |at: usize| part(at).map(|part| part.strip_prefix("volatile ").unwrap_or(part));
    Some(match instruction.operation {
        "load" => Form::Load { kind: plain(0)?, pointer: typed(part(1)?)?.value },
        "store" => Form::Store { value: typed(plain(0)?)?, pointer: typed(part(1)?)?.value },
        "icmp" => compare(part(0)?, part(1)?)?,
        "select" => Form::Select { condition: typed(part(0)?)?, a: typed(part(1)?)?, b: typed(part(2)?)? },
        "phi" => {
            let (kind, incoming) = instruction.incoming()?;
            Form::Phi { kind, incoming }
        }
        "getelementptr" => Form::Offset {
            base: typed(part(1)?)?.value,
            indices: parts[2..].iter().map(|part| typed(part)).collect::<Option<_>>()?,
        },
        "br" if parts.len() == 3 => {
            let label = |at| part(at)?.strip_prefix("label %");
            Form::Branch { condition: typed(part(0)?)?.value, yes: label(1)?, no: label(2)? }
        }
        "ret" if part(0)? != "void" => Form::Return { value: typed(part(0)?)? },
        operation => arithmetic(operation, part(0)?, part(1))?,
    })
}

fn arithmetic<'a>(operation: &str, first: &'a str, second: Option<&'a str>) -> Option<Form<'a>> {
    let op = match operation {
        "add" => NodeOp::Add,
        "sub" => NodeOp::Sub,
        "mul" => NodeOp::Mul,
        "udiv" => NodeOp::UnsignedDiv,
        "sdiv" => NodeOp::SignedDiv,
        "urem" => NodeOp::UnsignedRem,
        "srem" => NodeOp::SignedRem,
        "and" => NodeOp::And,
        "or" => NodeOp::Or,
        "xor" => NodeOp::Xor,
        "shl" => NodeOp::ShiftLeft,
        "lshr" => NodeOp::LogicalShiftRight,
        "ashr" => NodeOp::ArithmeticShiftRight,
        _ => return cast(operation, first),
    };
    Some(Form::Binary { op, a: typed(first)?, b: second? })
}

fn cast<'a>(operation: &str, text: &'a str) -> Option<Form<'a>> {
    let op = match operation {
        "zext" => NodeOp::ZeroExtend,
        "sext" => NodeOp::SignExtend,
        "trunc" => NodeOp::Extract,
        // A value that stays as it is.
        "ptrtoint" | "inttoptr" | "bitcast" | "freeze" => NodeOp::Constant,
        _ => return None,
    };
    let (from, to) = text.rsplit_once(" to ").unwrap_or((text, ""));
    let from = typed(from)?;
    let to = if to.is_empty() { from.kind } else { to };
    let is_known = operation != "bitcast" || width(from.kind).is_some() && width(to).is_some();
    is_known.then_some(Form::Cast { op, from, to })
}

/// A comparison; one that says "greater" has its operands exchanged.
fn compare<'a>(first: &'a str, second: &'a str) -> Option<Form<'a>> {
    let first = first.strip_prefix("samesign ").unwrap_or(first);
    let (predicate, first) = first.split_once(' ')?;
    let a = typed(first)?;
    let op = match predicate {
        "eq" => NodeOp::Equal,
        "ne" => NodeOp::NotEqual,
        "ult" | "ugt" => NodeOp::UnsignedLess,
        "ule" | "uge" => NodeOp::UnsignedLessEqual,
        "slt" | "sgt" => NodeOp::SignedLess,
        "sle" | "sge" => NodeOp::SignedLessEqual,
        _ => return None,
    };
    let is_exchanged = predicate.contains('g');
    let (a, b) = if is_exchanged { (Typed { value: second, ..a }, a.value) } else { (a, second) };
    Some(Form::Binary { op, a, b })
}

/// `switch i32 %0, label %1 [ … ]`, on several lines.
fn switch(code: &str) -> Option<Form<'_>> {
    let rest = code.strip_prefix("switch ")?;
    let (head, table) = rest.split_once('[')?;
    let value = typed(split(head)?.first()?)?;
    let (table, _) = table.rsplit_once(']')?;
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    let numbers = lines.map(|line| Some(typed(line.split_once(", label")?.0)?.value)).collect::<Option<_>>()?;
    Some(Form::Switch { value, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_follow_their_attributes() {
        let read = |text| typed(text).map(|typed| (typed.kind, typed.value));
        assert_eq!(read("i32 -1"), Some(("i32", "-1")));
        assert_eq!(read("ptr noundef nonnull align 8 dereferenceable(4) %x.y"), Some(("ptr", "%x.y")));
        assert_eq!(read("ptr noundef @\"a b\""), Some(("ptr", "@\"a b\"")));
        let constant = "getelementptr inbounds (i8, ptr @a, i64 4)";
        assert_eq!(read(&format!("ptr noundef {constant}")), Some(("ptr", constant)));
    }

    #[test]
    fn a_switch_has_its_numbers() {
        let text = "switch i32 %0, label %1 [\n    i32 3, label %2\n    i32 -4, label %3\n  ], !dbg !7";
        let (_, Form::Switch { value, numbers }) = parse(text) else { panic!("{text}") };
        assert_eq!((value.value, numbers), ("%0", vec!["3", "-4"]));
    }

    #[test]
    fn greater_is_less_with_its_operands_exchanged() {
        let (Some("%3"), Form::Binary { op, a, b }) = parse("  %3 = icmp sgt i32 %1, 7, !dbg !2") else { panic!() };
        assert_eq!((op, a.value, b), (NodeOp::SignedLess, "7", "%1"));
    }
}
