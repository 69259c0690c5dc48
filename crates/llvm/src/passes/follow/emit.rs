//! The lines that the pass adds.

use super::parse::width;
use super::typed::Typed;
use super::values::Values;
use foretrace_event::symbolic::{NodeOp, Why};

/// Collects lines that are inserted at one instruction.
pub struct Emitter<'a> {
    values: &'a Values,
    /// The metadata of the instruction, with its comma.
    place: String,
    lines: Vec<String>,
    /// A counter for names.
    names: &'a mut usize,
}

/// The name of a value's expression, for a value that may have one.
fn expression_of(value: &str) -> String {
    match value.strip_prefix("%\"") {
        Some(quoted) => format!("%\"foretrace.s.{quoted}"),
        None => format!("%foretrace.s.{}", &value[1..]),
    }
}

impl<'a> Emitter<'a> {
    /// For the instruction on this line.
    pub fn at(line: &str, values: &'a Values, names: &'a mut usize) -> Self {
        let place = line.find(", !dbg !").map(|at| {
            let rest = &line[at + 2..];
            let end = rest[6..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 6);
            format!(", {}", &rest[..end])
        });
        Self { values, place: place.unwrap_or_default(), lines: Vec::new(), names }
    }

    /// The lines so far.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// May the value have an expression?
    pub fn has(&self, value: &str) -> bool {
        self.values.has(value)
    }

    /// The expression of a value, as an operand.
    pub fn expression(&self, value: &str) -> String {
        if self.has(value) { expression_of(value) } else { "0".to_owned() }
    }

    fn fresh(&mut self) -> String {
        *self.names += 1;
        format!("%foretrace.v.{}", self.names)
    }

    /// A value as an operand of 64 bits.
    pub fn wide(&mut self, typed: Typed<'_>) -> String {
        let Typed { kind, value } = typed;
        if kind == "i64" {
            return value.to_owned();
        }
        let name = self.fresh();
        let cast = if kind == "ptr" { "ptrtoint" } else { "zext" };
        self.lines.push(format!("  {name} = {cast} {kind} {value} to i64{}", self.place));
        name
    }

    /// An address as an operand of 64 bits.
    pub fn address(&mut self, pointer: &str) -> String {
        self.wide(Typed { kind: "ptr", value: pointer })
    }

    /// A line of the program's own language.
    pub fn compute(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.lines.push(format!("  {name} = {text}{}", self.place));
        name
    }

    /// A call that returns nothing.
    pub fn call(&mut self, function: &str, arguments: &str) {
        self.lines.push(format!("  call void @__foretrace_symbolic_{function}({arguments}){}", self.place));
    }

    /// A call whose result is the expression of a value.
    pub fn define(&mut self, value: &str, function: &str, arguments: &str) {
        let name = expression_of(value);
        self.lines.push(format!("  {name} = call i32 @__foretrace_symbolic_{function}({arguments}){}", self.place));
    }

    /// The value has the same expression as another.
    pub fn same(&mut self, value: &str, as_value: &str) {
        let (name, other) = (expression_of(value), self.expression(as_value));
        self.lines.push(format!("  {name} = add i32 {other}, 0{}", self.place));
    }

    /// The value has no expression.
    pub fn none(&mut self, value: &str) {
        self.lines.push(format!("  {} = add i32 0, 0{}", expression_of(value), self.place));
    }

    /// The expression of a value is that of the block before.
    pub fn phi(&mut self, value: &str, incoming: &[(&str, &str)]) {
        let pair = |(value, block): &(&str, &str)| format!("[ {}, {block} ]", self.expression(value));
        let pairs: Vec<_> = incoming.iter().map(pair).collect();
        self.lines.push(format!("  {} = phi i32 {}{}", expression_of(value), pairs.join(", "), self.place));
    }

    /// An operation on two values; the result is an operand of a call.
    pub fn binary(&mut self, op: NodeOp, a: Typed<'_>, b: &str) -> String {
        let what = what(op, width(a.kind).unwrap_or(64));
        let (first, second) = (self.wide(a), self.wide(Typed { value: b, ..a }));
        let (x, y) = (self.expression(a.value), self.expression(b));
        format!("i32 {what}, i32 {x}, i64 {first}, i32 {y}, i64 {second}")
    }

    /// A value is used in a way that is not followed, or decides where the program goes on.
    pub fn fact(&mut self, why: Why, typed: Typed<'_>) {
        if self.has(typed.value) && width(typed.kind).is_some() {
            let wide = self.wide(typed);
            let expression = self.expression(typed.value);
            self.call("fact", &format!("i32 {}, i32 {expression}, i64 {wide}", why as u8));
        }
    }

    /// A pointer is used.
    pub fn used_as_address(&mut self, pointer: &str) {
        if self.has(pointer) {
            let wide = self.address(pointer);
            let expression = self.expression(pointer);
            self.call("address", &format!("i32 {expression}, i64 {wide}"));
        }
    }

    /// Every value on a line that is not followed.
    pub fn unfollowed(&mut self, line: &str, result: Option<&str>) {
        if line.trim_start().starts_with("#dbg_") {
            return;
        }
        let text = line.split(", !dbg").next().unwrap_or(line);
        let mut seen = Vec::new();
        for (at, _) in text.match_indices('%') {
            let rest = &text[at + 1..];
            let Some((name, _)) = crate::text::name(rest) else { continue };
            let value = &text[at..=at + name.len() + if rest.starts_with('"') { 2 } else { 0 }];
            if Some(value) != result && !seen.contains(&value) {
                seen.push(value);
                if let Some(kind) = self.values.kind(value) {
                    self.fact(Why::Instruction, Typed { kind, value });
                }
            }
        }
    }
}

/// An operation and its width, as the runtime takes them.
pub fn what(op: NodeOp, width: u32) -> u32 {
    op as u32 | width << 8
}
