//! What is inserted around calls.

use super::call::{Call, Meaning};
use super::emit::Emitter;
use super::parse::width;
use super::rewrite::Around;
use super::typed::Typed;
use foretrace_event::symbolic::{NodeOp, Why};

impl Call<'_> {
    /// The lines around the call on this line.
    pub fn around(&self, result: Option<&str>, line: &str, emitter: &mut Emitter<'_>) -> Around {
        match self.meaning() {
            Meaning::Nothing => return Around::default(),
            Meaning::Atomic(bits, name) => return self.atomic(result, bits, name, emitter),
            Meaning::Copy | Meaning::Fill => return self.memory(emitter),
            Meaning::Opaque => emitter.unfollowed(line, result),
            Meaning::Function if self.callee.starts_with("asm") => emitter.unfollowed(line, result),
            Meaning::Function => self.pass_arguments(emitter),
        }
        let before = emitter.take();
        if self.goes_on.is_none() && !self.is_last {
            self.returned(result, emitter);
        }
        Around { before, after: emitter.take() }
    }

    /// Leaves the expressions of the arguments for the function.
    fn pass_arguments(&self, emitter: &mut Emitter<'_>) {
        for (index, argument) in self.arguments.iter().enumerate() {
            let Some(argument) = argument.filter(|argument| emitter.has(argument.value)) else { continue };
            let (wide, expression) = (emitter.wide(argument), emitter.expression(argument.value));
            emitter.call("argument", &format!("i32 {index}, i32 {expression}, i64 {wide}"));
        }
        emitter.used_as_address(self.callee);
        let callee = emitter.address(self.callee);
        emitter.call("call", &format!("i64 {callee}"));
    }

    /// The call has returned: its result.
    pub fn returned(&self, result: Option<&str>, emitter: &mut Emitter<'_>) {
        if self.meaning() != Meaning::Function {
            return;
        }
        let callee = emitter.address(self.callee);
        match result {
            Some(result) => emitter.define(result, "result", &format!("i64 {callee}")),
            None => {
                emitter.compute(&format!("call i32 @__foretrace_symbolic_result(i64 {callee})"));
            }
        }
    }

    fn argument(&self, index: usize) -> Option<Typed<'_>> {
        self.arguments.get(index).copied().flatten()
    }

    fn memory(&self, emitter: &mut Emitter<'_>) -> Around {
        let (Some(to), Some(from), Some(size)) = (self.argument(0), self.argument(1), self.argument(2)) else {
            return Around::default();
        };
        emitter.used_as_address(to.value);
        if from.kind == "ptr" {
            emitter.used_as_address(from.value);
        }
        emitter.fact(Why::Address, size);
        let before = emitter.take();
        let (to, length) = (emitter.address(to.value), emitter.wide(size));
        match from.kind {
            "ptr" => {
                let from = emitter.address(from.value);
                emitter.call("copy", &format!("i64 {to}, i64 {from}, i64 {length}"));
            }
            _ => emitter.call("clear", &format!("i64 {to}, i64 {length}")),
        }
        Around { before, after: emitter.take() }
    }

    fn atomic(&self, result: Option<&str>, bits: u32, name: &str, emitter: &mut Emitter<'_>) -> Around {
        let Some(pointer) = self.argument(0) else { return Around::default() };
        emitter.used_as_address(pointer.value);
        let place = format!("i64 {}, i64 {}", emitter.address(pointer.value), bits / 8);
        emitter.call("before_atomic", &place);
        let before = emitter.take();
        let kind = format!("i{bits}");
        if let Some(result) = result {
            let value = emitter.wide(Typed { kind: &kind, value: result });
            emitter.define(result, "atomic_read", &format!("{place}, i64 {value}"));
        }
        let operand = self.argument(1).filter(|operand| width(operand.kind) == Some(bits));
        match (result, operand) {
            (None, Some(operand)) => written(&place, operand.value, operand.kind, emitter),
            (Some(result), Some(operand)) if name == "compare_exchange_val" => {
                self.exchange(result, operand, &place, emitter);
            }
            (Some(result), Some(operand)) => {
                modified(name, &place, Typed { kind: &kind, value: result }, operand, emitter)
            }
            _ => {}
        }
        Around { before, after: emitter.take() }
    }

    /// Compare and exchange: whether it has exchanged is a branch.
    fn exchange(&self, result: &str, expected: Typed<'_>, place: &str, emitter: &mut Emitter<'_>) {
        let Some(new) = self.argument(2) else { return };
        let Typed { kind, value } = expected;
        let equal = emitter.compute(&format!("icmp eq {kind} {result}, {value}"));
        let bit = emitter.compute(&format!("zext i1 {equal} to i64"));
        let arguments = emitter.binary(NodeOp::Equal, Typed { kind, value: result }, value);
        let fact = emitter.compute(&format!("call i32 @__foretrace_symbolic_binary({arguments})"));
        emitter.call("fact", &format!("i32 {}, i32 {fact}, i64 {bit}", Why::Branch as u8));
        let (wide, expression) = (emitter.wide(new), emitter.expression(new.value));
        // Size 0 stands for a write that did not happen.
        let size = place.rsplit_once("i64 ").map_or("0", |(_, size)| size);
        let address = place.split_once(", ").map_or("i64 0", |(address, _)| address);
        let size = emitter.compute(&format!("select i1 {equal}, i64 {size}, i64 0"));
        emitter.call("atomic_write", &format!("{address}, i64 {size}, i64 {wide}, i32 {expression}"));
    }
}

/// An atomic operation has written a value.
fn written(place: &str, value: &str, kind: &str, emitter: &mut Emitter<'_>) {
    let (wide, expression) = (emitter.wide(Typed { kind, value }), emitter.expression(value));
    emitter.call("atomic_write", &format!("{place}, i64 {wide}, i32 {expression}"));
}

/// An atomic operation has changed what it has read.
fn modified(name: &str, place: &str, old: Typed<'_>, operand: Typed<'_>, emitter: &mut Emitter<'_>) {
    let (op, text) = match name {
        "exchange" => return written(place, operand.value, operand.kind, emitter),
        "fetch_add" => (NodeOp::Add, "add"),
        "fetch_sub" => (NodeOp::Sub, "sub"),
        "fetch_and" => (NodeOp::And, "and"),
        "fetch_or" => (NodeOp::Or, "or"),
        "fetch_xor" => (NodeOp::Xor, "xor"),
        "fetch_nand" => {
            let both = emitter.compute(&format!("and {} {}, {}", old.kind, old.value, operand.value));
            let not = emitter.compute(&format!("xor {} {both}, -1", old.kind));
            return written(place, &not, old.kind, emitter);
        }
        _ => return,
    };
    let arguments = emitter.binary(op, old, operand.value);
    let expression = emitter.compute(&format!("call i32 @__foretrace_symbolic_binary({arguments})"));
    let new = emitter.compute(&format!("{text} {} {}, {}", old.kind, old.value, operand.value));
    let wide = emitter.wide(Typed { value: &new, ..old });
    emitter.call("atomic_write", &format!("{place}, i64 {wide}, i32 {expression}"));
}
