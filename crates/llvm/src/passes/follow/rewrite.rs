//! What is inserted around each instruction.

use super::Own;
use super::emit::{Emitter, what};
use super::parse::{Form, parse, width};
use super::typed::Typed;
use super::values::Values;
use crate::function::Block;
use foretrace_event::symbolic::{NodeOp, Why};

/// Rewrites the blocks of a function.
pub struct Rewrite<'a> {
    own: &'a Own,
    values: &'a Values,
    names: usize,
}

/// The lines before and after an instruction.
#[derive(Default)]
pub struct Around {
    /// Before.
    pub before: Vec<String>,
    /// After.
    pub after: Vec<String>,
}

impl<'a> Rewrite<'a> {
    /// Of this function.
    pub fn new(own: &'a Own, values: &'a Values) -> Self {
        Self { own, values, names: 0 }
    }

    /// A block: is it the first, which invoke returns to it, and which way out of it is an error.
    pub fn block(&mut self, block: &Block, at: (bool, Option<&str>), check: Option<bool>) -> Vec<String> {
        let (is_first, landed) = at;
        let mut lines = Vec::new();
        if is_first {
            lines.extend(self.begin(&block.lines[0]));
        }
        if let Some((Some(result), Form::Call(call))) = landed.map(parse) {
            let mut emitter = Emitter::at(landed.unwrap_or_default(), self.values, &mut self.names);
            call.returned(Some(result), &mut emitter);
            lines.extend(emitter.take());
        }
        for line in &block.lines {
            let Around { before, after } = self.line(line, check);
            lines.extend(before);
            lines.push(line.clone());
            lines.extend(after);
        }
        lines
    }

    /// The function begins: what its parameters depend on.
    fn begin(&mut self, line: &str) -> Vec<String> {
        let followed: Vec<_> =
            self.own.parameters.iter().enumerate().filter(|(_, (_, name))| self.values.has(name)).collect();
        // A function without parameters says, too, that it is instrumented.
        let mut emitter = Emitter::at(line, self.values, &mut self.names);
        let own = emitter.address(&self.own.pointer());
        emitter.call("enter", &format!("i64 {own}"));
        for (index, (_, name)) in followed {
            emitter.define(name, "parameter", &format!("i32 {index}"));
        }
        emitter.take()
    }

    fn line(&mut self, line: &str, check: Option<bool>) -> Around {
        let (result, form) = parse(line);
        let mut emitter = Emitter::at(line, self.values, &mut self.names);
        let result = result.filter(|result| emitter.has(result));
        match form {
            Form::Call(call) => return call.around(result, line, &mut emitter),
            Form::Branch { condition, .. } => {
                branch(condition, check, &mut emitter);
            }
            Form::Switch { value, numbers } => switch(value, &numbers, &mut emitter),
            Form::Return { value } => self::returns(self.own, value, &mut emitter),
            Form::Other => emitter.unfollowed(line, result),
            Form::Load { pointer, .. } => emitter.used_as_address(pointer),
            Form::Store { pointer, .. } => emitter.used_as_address(pointer),
            Form::Offset { ref indices, .. } => indices.iter().for_each(|index| emitter.fact(Why::Address, *index)),
            Form::Binary { op, a, b } => divide(op, a, b, &mut emitter),
            _ => {}
        }
        let before = emitter.take();
        let (_, form) = parse(line);
        result_of(result, &form, &mut emitter);
        Around { before, after: emitter.take() }
    }
}

/// What becomes of the memory or the result.
fn result_of(result: Option<&str>, form: &Form<'_>, emitter: &mut Emitter<'_>) {
    if let Form::Store { value, pointer } = form {
        return store(*value, pointer, emitter);
    }
    let Some(result) = result else { return };
    match form {
        Form::Load { kind, pointer } => load(result, kind, pointer, emitter),
        Form::Binary { op, a, b } => {
            let arguments = emitter.binary(*op, *a, b);
            emitter.define(result, "binary", &arguments);
        }
        Form::Cast { op, from, to } => cast(result, *op, *from, to, emitter),
        Form::Select { condition, a, b } => select(result, [*condition, *a, *b], emitter),
        Form::Phi { incoming, .. } => emitter.phi(result, incoming),
        Form::Offset { base, .. } => {
            let (from, to) = (emitter.address(base), emitter.address(result));
            let expression = emitter.expression(base);
            emitter.define(result, "offset", &format!("i32 {expression}, i64 {from}, i64 {to}"));
        }
        _ => emitter.none(result),
    }
}

fn branch(condition: &str, check: Option<bool>, emitter: &mut Emitter<'_>) {
    if !emitter.has(condition) {
        return;
    }
    let Some(fails_if) = check else { return emitter.fact(Why::Branch, Typed { kind: "i1", value: condition }) };
    // The check is a bit that must be one.
    let expression = emitter.expression(condition);
    let wide = emitter.wide(Typed { kind: "i1", value: condition });
    let holds = match fails_if {
        false => format!("i32 {expression}, i64 {wide}"),
        true => {
            let what = what(NodeOp::Xor, 1);
            let arguments = format!("i32 {what}, i32 {expression}, i64 {wide}, i32 0, i64 1");
            let not = emitter.compute(&format!("call i32 @__foretrace_symbolic_binary({arguments})"));
            let value = emitter.compute(&format!("xor i64 {wide}, 1"));
            format!("i32 {not}, i64 {value}")
        }
    };
    emitter.call("fact", &format!("i32 {}, {holds}", Why::Assertion as u8));
}

fn switch(value: Typed<'_>, numbers: &[&str], emitter: &mut Emitter<'_>) {
    let Some(bits) = width(value.kind).filter(|_| emitter.has(value.value)) else { return };
    let (wide, expression) = (emitter.wide(value), emitter.expression(value.value));
    for number in numbers {
        let number = emitter.wide(Typed { value: number, ..value });
        emitter.call("case", &format!("i32 {bits}, i32 {expression}, i64 {wide}, i64 {number}"));
    }
}

fn returns(own: &Own, value: Typed<'_>, emitter: &mut Emitter<'_>) {
    if width(value.kind).is_some() && emitter.has(value.value) {
        let pointer = emitter.address(&own.pointer());
        let expression = emitter.expression(value.value);
        emitter.call("return", &format!("i64 {pointer}, i32 {expression}"));
    }
}

fn divide(op: NodeOp, a: Typed<'_>, b: &str, emitter: &mut Emitter<'_>) {
    let divides = (NodeOp::UnsignedDiv..=NodeOp::SignedRem).contains(&op);
    if let Some(bits) = width(a.kind).filter(|_| divides && emitter.has(b)) {
        let (wide, expression) = (emitter.wide(Typed { value: b, ..a }), emitter.expression(b));
        emitter.call("divisor", &format!("i32 {bits}, i32 {expression}, i64 {wide}"));
    }
}

/// The size of a type in memory, if it is known.
fn size(kind: &str) -> Option<u32> {
    match kind {
        "float" => Some(4),
        "double" => Some(8),
        "i128" | "fp128" | "x86_fp80" => Some(16),
        _ => width(kind).map(|bits| bits.div_ceil(8).next_power_of_two()),
    }
}

fn load(result: &str, kind: &str, pointer: &str, emitter: &mut Emitter<'_>) {
    let bytes = size(kind).unwrap_or(8);
    let address = emitter.address(pointer);
    let bits = width(kind).unwrap_or(64);
    if bits == 8 * bytes {
        return emitter.define(result, "load", &format!("i64 {address}, i64 {bytes}"));
    }
    // A value of fewer bits than its bytes, such as a truth value.
    let whole = emitter.compute(&format!("call i32 @__foretrace_symbolic_load(i64 {address}, i64 {bytes})"));
    emitter.define(result, "cast", &format!("i32 {}, i32 {whole}", what(NodeOp::Extract, bits)));
}

fn store(value: Typed<'_>, pointer: &str, emitter: &mut Emitter<'_>) {
    let address = emitter.address(pointer);
    let Some(bytes) = size(value.kind) else {
        // Vectors and structures: as many bytes as they have.
        let bytes = emitter.compute(&format!("ptrtoint ptr getelementptr ({}, ptr null, i64 1) to i64", value.kind));
        return emitter.call("store", &format!("i64 {address}, i64 {bytes}, i32 0"));
    };
    let mut expression = emitter.expression(value.value);
    if width(value.kind).is_some_and(|bits| bits != 8 * bytes) && expression != "0" {
        let arguments = format!("i32 {}, i32 {expression}", what(NodeOp::ZeroExtend, 8 * bytes));
        expression = emitter.compute(&format!("call i32 @__foretrace_symbolic_cast({arguments})"));
    }
    emitter.call("store", &format!("i64 {address}, i64 {bytes}, i32 {expression}"));
}

fn cast(result: &str, op: NodeOp, from: Typed<'_>, to: &str, emitter: &mut Emitter<'_>) {
    let (Some(old), Some(new)) = (width(from.kind), width(to)) else { return emitter.none(result) };
    let op = match op {
        _ if old == new => return emitter.same(result, from.value),
        NodeOp::Constant if old < new => NodeOp::ZeroExtend,
        NodeOp::Constant => NodeOp::Extract,
        op => op,
    };
    let expression = emitter.expression(from.value);
    emitter.define(result, "cast", &format!("i32 {}, i32 {expression}", what(op, new)));
}

fn select(result: &str, operands: [Typed<'_>; 3], emitter: &mut Emitter<'_>) {
    let bits = width(operands[1].kind).unwrap_or(64);
    let parts = operands.map(|typed| {
        let wide = emitter.wide(typed);
        format!("i32 {}, i64 {wide}", emitter.expression(typed.value))
    });
    emitter.define(result, "select", &format!("i32 {bits}, {}", parts.join(", ")));
}
