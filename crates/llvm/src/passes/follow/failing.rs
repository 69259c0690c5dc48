//! Blocks and functions in which the program ends itself because something is wrong.

use super::call::Call;
use super::parse::{Form, parse};
use crate::function::Function;
use std::collections::BTreeSet;

/// Functions that end the program because of an error.
const FAILING: [&str; 12] = [
    "__assert_fail",
    "__assert",
    "__assert_perror_fail",
    "__assert_rtn",
    "abort",
    "llvm.trap",
    "llvm.ubsantrap",
    "llvm.debugtrap",
    "_ZSt9terminatev",
    "raise",
    "g_assertion_message_expr",
    "__stack_chk_fail",
];

/// The names of functions that end the program because of an error: libraries' own, and those that call them first.
#[derive(Default)]
pub struct Failing(BTreeSet<String>);

impl Failing {
    /// Is a call the program's end?
    fn is_failing(&self, call: &Call<'_>) -> bool {
        call.name().is_some_and(|name| FAILING.contains(&name) || self.0.contains(name))
    }

    /// A function ends the program if its first blocks do.
    pub fn learn(&mut self, name: &str, function: &Function) {
        if self.fails(function, 0) {
            self.0.insert(name.to_owned());
        }
    }

    /// Does the program end in this block, or in the blocks that must follow?
    pub fn fails(&self, function: &Function, block: usize) -> bool {
        let mut at = block;
        for _ in 0..function.blocks.len().min(8) {
            let lines = &function.blocks[at].lines;
            let ends = |line: &String| matches!(parse(line).1, Form::Call(call) if self.is_failing(&call));
            if lines.iter().any(ends) {
                return true;
            }
            let only = lines.last().and_then(|line| line.trim_start().strip_prefix("br label %"));
            let name = only.map(|rest| rest.split([',', ' ']).next().unwrap_or(rest));
            let Some(next) = name.and_then(|name| function.blocks.iter().position(|block| block.name == name)) else {
                return false;
            };
            at = next;
        }
        false
    }

    /// The same, by the block's name.
    pub fn fails_at(&self, function: &Function, name: &str) -> bool {
        function.blocks.iter().position(|block| block.name == name).is_some_and(|block| self.fails(function, block))
    }
}
