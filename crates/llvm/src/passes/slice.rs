//! The arithmetic that computes a value in a loop: is the value invariant, and if not, does it take equal steps?

use crate::function::{Definitions, Function, replace_word};
use crate::graph::Loop;
use crate::instruction::Instruction;
use crate::passes::merge::{Root, locate};
use std::collections::HashMap;

/// How a value behaves over the rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// It stays the same.
    Fixed,
    /// It takes equal steps.
    Linear,
}

/// A phi that takes equal steps.
pub struct Counter {
    /// Its value in the first round.
    pub start: String,
    /// The value that it has in the next round.
    pub next: String,
    /// The flags of the step.
    unsigned: bool,
    signed: bool,
}

/// Operations that are defined for all operands and have no effect.
const PURE: [&str; 16] = [
    "add",
    "sub",
    "mul",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "getelementptr",
    "icmp",
    "select",
    "zext",
    "sext",
    "trunc",
    "ptrtoint",
];

/// The longest chain of arithmetic that is followed.
const DEPTH: usize = 200;

/// A loop of a function and its values. It does not change the function.
pub struct Slice<'a> {
    function: &'a Function,
    definitions: &'a Definitions,
    inside: Vec<bool>,
    header: usize,
    latch: String,
    forms: HashMap<String, Option<Form>>,
    copies: HashMap<(String, usize), String>,
    /// The copies made so far, which go before the loop.
    pub lines: Vec<String>,
    prefix: String,
    depth: usize,
}

impl<'a> Slice<'a> {
    /// A slicer whose copies have names that begin with `prefix`.
    pub fn new(function: &'a Function, definitions: &'a Definitions, of: &Loop, prefix: String) -> Self {
        let mut inside = vec![false; function.blocks.len()];
        of.blocks.iter().for_each(|block| inside[*block] = true);
        Self {
            function,
            definitions,
            inside,
            header: of.header,
            latch: format!("%{}", function.blocks[of.latch].name),
            forms: HashMap::new(),
            copies: HashMap::new(),
            lines: Vec::new(),
            prefix,
            depth: 0,
        }
    }

    /// The instruction that defines a value in the loop.
    pub fn definition(&self, value: &str) -> Option<Instruction<'a>> {
        self.is_inside(value).then(|| self.function.definition(self.definitions, value)).flatten()
    }

    fn is_inside(&self, value: &str) -> bool {
        self.definitions.get(value).is_some_and(|(block, _)| self.inside[*block])
    }

    /// The common part of an address and of those at a fixed distance from it.
    pub fn root(&self, address: &str) -> Root {
        locate(self.function, self.definitions, address).0
    }

    /// A phi of the header that takes equal steps.
    pub fn counter(&mut self, value: &str) -> Option<Counter> {
        let phi = self.definition(value).filter(|phi| phi.operation == "phi")?;
        if self.definitions.get(value)?.0 != self.header {
            return None;
        }
        let [first, second] = phi.incoming()?.1[..] else { return None };
        let ((start, _), (next, _)) = if first.1 == self.latch { (second, first) } else { (first, second) };
        if first.1 != self.latch && second.1 != self.latch {
            return None;
        }
        let step = self.definition(next)?;
        let operands: Vec<&str> = step.operands().collect();
        let steps = match (step.operation, &operands[..]) {
            ("add" | "sub", [first, second]) if *first == value => self.is_fixed(second),
            ("add", [first, second]) if *second == value => self.is_fixed(first),
            ("getelementptr", [_, first, rest @ ..]) if *first == value => {
                rest.iter().all(|index| self.is_fixed(index))
            }
            _ => false,
        };
        let (unsigned, signed) = (step.promises("nuw"), step.promises("nsw"));
        steps.then(|| Counter { start: start.to_owned(), next: next.to_owned(), unsigned, signed })
    }

    /// Is the value invariant?
    pub fn is_fixed(&mut self, value: &str) -> bool {
        self.form(value) == Some(Form::Fixed)
    }

    /// The form of the value; `None` if it is unknown.
    pub fn form(&mut self, value: &str) -> Option<Form> {
        if !self.is_inside(value) {
            return Some(Form::Fixed);
        }
        if let Some(known) = self.forms.get(value) {
            return *known;
        }
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        // A value that depends on itself has none of these forms, unless it is a counter.
        self.forms.insert(value.to_owned(), None);
        let form = self.definition(value).and_then(|definition| self.form_of(value, &definition));
        self.forms.insert(value.to_owned(), form);
        self.depth -= 1;
        form
    }

    fn form_of(&mut self, value: &str, definition: &Instruction<'a>) -> Option<Form> {
        if definition.operation == "phi" {
            return self.counter(value).map(|_| Form::Linear);
        }
        let divides = definition.operation == "udiv" && definition.parts.last().is_some_and(|by| is_divisor(by));
        if !PURE.contains(&definition.operation) && !divides {
            return None;
        }
        if matches!(definition.operation, "zext" | "sext" | "trunc" | "ptrtoint") {
            return self.form_of_width(definition);
        }
        let forms: Option<Vec<Form>> = definition.operands().map(|operand| self.form(operand)).collect();
        let forms = forms?;
        if forms.iter().all(|form| *form == Form::Fixed) {
            return Some(Form::Fixed);
        }
        let linear = match definition.operation {
            "add" | "sub" => true,
            "or" => definition.promises("disjoint"),
            "mul" => forms.contains(&Form::Fixed),
            "shl" => forms[1] == Form::Fixed,
            // An index narrower than an address is extended first, and may wrap.
            "getelementptr" => definition
                .parts
                .iter()
                .zip(&forms)
                .skip(1)
                .all(|(part, form)| *form == Form::Fixed || part.starts_with("i64 ") || part.starts_with("ptr ")),
            _ => false,
        };
        linear.then_some(Form::Linear)
    }

    /// A counter that is extended takes equal steps as long as it does not wrap.
    fn form_of_width(&mut self, definition: &Instruction<'a>) -> Option<Form> {
        let (operand, _) = definition.parts.first()?.split_once(" to ")?;
        let operand = operand.rsplit_once(' ')?.1;
        if self.form(operand)? == Form::Fixed {
            return Some(Form::Fixed);
        }
        let counter = self.counter(operand)?;
        let keeps = match definition.operation {
            "sext" => counter.signed,
            "zext" => counter.unsigned || counter.signed && definition.promises("nneg"),
            _ => false,
        };
        keeps.then_some(Form::Linear)
    }

    /// Copies the computation of the value before the loop, as it is in round 0 or 1; returns the copy's name. The
    /// value must have a form.
    pub fn copy(&mut self, value: &str, round: usize) -> Option<String> {
        if !self.is_inside(value) {
            return Some(value.to_owned());
        }
        let round = if self.form(value)? == Form::Fixed { 0 } else { round };
        if let Some(copy) = self.copies.get(&(value.to_owned(), round)) {
            return Some(copy.clone());
        }
        let copy = match self.counter(value) {
            Some(counter) if round == 0 => counter.start,
            Some(counter) => self.copy(&counter.next, 0)?,
            None => self.copy_instruction(value, round)?,
        };
        self.copies.insert((value.to_owned(), round), copy.clone());
        Some(copy)
    }

    fn copy_instruction(&mut self, value: &str, round: usize) -> Option<String> {
        let definition = self.definition(value)?;
        let mut text = definition.parts.join(", ");
        let mut operands: Vec<&str> = definition.parts.iter().flat_map(|part| part.split(' ')).collect();
        operands.retain(|word| word.starts_with('%'));
        for operand in operands {
            if self.is_inside(operand) {
                let copy = self.copy(operand, round)?;
                text = replace_word(&text, operand, &copy);
            }
        }
        // The flags are dropped, because they need not hold one round beyond the last. An `or` with the flag `disjoint`
        // becomes the `add` it stands for.
        let operation = if definition.promises("disjoint") { "add" } else { definition.operation };
        Some(self.emit(&format!("{operation} {text}")))
    }

    /// Inserts an instruction before the loop; returns its value.
    pub fn emit(&mut self, instruction: &str) -> String {
        let name = format!("%{}.{}", self.prefix, self.lines.len());
        self.lines.push(format!("  {name} = {instruction}"));
        name
    }
}

/// A nonzero constant.
fn is_divisor(operand: &str) -> bool {
    operand.parse::<u64>().is_ok_and(|number| number != 0)
}
