//! Code of events under construction.

use super::Context;
use crate::debug::Debug;
use crate::function::Function;
use crate::module::Constants;

/// The functions of the runtime that the code calls: one emits an event (its name, how many values, the values, which of
/// them are strings, whether the conditions hold); the other reads memory (an address, how many bytes, whether they are
/// signed), and reads nothing where no memory is.
pub const DECLARATIONS: [&str; 3] = [
    "void @__foretrace_emit(ptr, i32, ptr, i32, i32)",
    "i64 @__foretrace_load(ptr, i32, i32)",
    "i64 @llvm.fptosi.sat.i64.f64(double)",
];

/// Code under construction.
pub struct Code<'c, 'a> {
    pub function: &'c mut Function,
    pub context: &'c Context<'a, 'c>,
    pub constants: &'c mut Constants,
    pub lines: Vec<String>,
    pub debug: String,
}

impl<'a> Code<'_, 'a> {
    /// The debug information of the module.
    pub fn debug(&self) -> &Debug<'a> {
        &self.context.debug
    }

    /// Adds an operation; returns the name of its result.
    pub fn operation(&mut self, text: &str) -> String {
        let name = format!("%{}", self.function.fresh());
        self.lines.push(format!("  {name} = {text}{}", self.debug));
        name
    }

    /// Reads memory, which need not be there.
    pub fn load(&mut self, address: &str, bytes: u32, signed: bool) -> String {
        self.operation(&format!("call i64 @__foretrace_load(ptr {address}, i32 {bytes}, i32 {})", u32::from(signed)))
    }

    /// The lower bytes of a number.
    pub fn cut(&mut self, number: &str, bytes: u32, signed: bool) -> String {
        let kind = format!("i{}", 8 * bytes);
        let low = self.operation(&format!("trunc i64 {number} to {kind}"));
        self.operation(&format!("{} {kind} {low} to i64", if signed { "sext" } else { "zext" }))
    }

    /// Adds an instruction without a result.
    pub fn line(&mut self, text: &str) {
        self.lines.push(format!("  {text}{}", self.debug));
    }
}
