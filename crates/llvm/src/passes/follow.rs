//! Follows values that depend on what other threads write, so that a run can be predicted with its data.
//!
//! Every value that may depend on a read gets a second value beside it: the number of its *expression*, 0 for none.
//! Operations combine expressions, phis and selects choose them, memory and calls hand them over; the runtime does the
//! work (`foretrace_event::symbolic`), and only in a followed run. This is paper 002, 9 ("capture"), in the manner of
//! SymCC: the expressions are those of the values that the program really computes, after optimisation.
//!
//! - A branch or switch on an expression states which way was taken. If the other way ends the program with an error
//!   ([`failing`]), the branch is an assertion.
//! - An expression that is used as an address must not be null, and then has its present value: which memory an access
//!   means is not followed. The same holds for indices. A divisor must not be zero.
//! - Floating point, vectors, inline assembly and values of more than 64 bits are not followed: what goes into them has
//!   its present value from then on. What goes into a function that turns out not to be instrumented has, too.
//!
//! The pass runs over the instrumented text, because the hooks are where the scheduler decides; the build must have one
//! hook for each read and each write (`-tsan-instrument-read-before-write`).

mod call;
mod calls;
mod emit;
mod failing;
mod parse;
mod rewrite;
mod typed;
mod values;

use crate::function::Function;
use crate::module::Module;
use crate::pass::{Pass, Purpose, Refusal};
use crate::signature::{Parameter, Signature};
use failing::Failing;
use parse::{Form, parse};
use rewrite::Rewrite;
use values::Values;

/// The pass.
pub struct FollowValues;

impl Pass for FollowValues {
    fn name(&self) -> &'static str {
        "follow-values"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Values
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        let failing = failing_functions(module);
        // Without optimisation, speed does not matter. The address of a block would mean one version only.
        let has = |module: &Module<'_>, word: &str| {
            module.lines().any(|line| line.contains(word)) || module.definitions().any(|one| one.mentions(word))
        };
        let has_versions = !has(module, " optnone ") && !has(module, "blockaddress(");
        let debug = module.debug();
        for definition in module.definitions_mut() {
            let Some(signature) = definition.signature() else { continue };
            if signature.name.starts_with("tsan.") {
                continue;
            }
            let named = (signature.name.to_owned(), signature.debug.and_then(|number| debug.place(number)));
            let parameters: Vec<_> = signature
                .parameters
                .iter()
                .map(|parameter| (parameter.kind.to_owned(), parameter.name.to_owned()))
                .collect();
            let own = Own { name: named.0.clone(), parameters, has_versions };
            let followed = definition.rewrite(|function| follow(function, &own, &failing));
            if followed.is_none() {
                return Err(Refusal::new(&named.0, named.1, "the form of its body is unknown"));
            }
        }
        DECLARATIONS.iter().for_each(|declaration| module.declare(declaration));
        Ok(true)
    }
}

/// What the runtime offers.
const DECLARATIONS: [&str; 22] = [
    "i32 @__foretrace_symbolic_is_on()",
    "i32 @__foretrace_symbolic_load(i64, i64)",
    "void @__foretrace_symbolic_store(i64, i64, i32)",
    "void @__foretrace_symbolic_copy(i64, i64, i64)",
    "void @__foretrace_symbolic_clear(i64, i64)",
    "i32 @__foretrace_symbolic_binary(i32, i32, i64, i32, i64)",
    "i32 @__foretrace_symbolic_cast(i32, i32)",
    "i32 @__foretrace_symbolic_offset(i32, i64, i64)",
    "i32 @__foretrace_symbolic_select(i32, i32, i64, i32, i64, i32, i64)",
    "void @__foretrace_symbolic_fact(i32, i32, i64)",
    "void @__foretrace_symbolic_case(i32, i32, i64, i64)",
    "void @__foretrace_symbolic_address(i32, i64)",
    "void @__foretrace_symbolic_divisor(i32, i32, i64)",
    "void @__foretrace_symbolic_argument(i32, i32, i64)",
    "void @__foretrace_symbolic_call(i64)",
    "i32 @__foretrace_symbolic_result(i64)",
    "void @__foretrace_symbolic_enter(i64)",
    "i32 @__foretrace_symbolic_parameter(i32)",
    "void @__foretrace_symbolic_return(i64, i32)",
    "void @__foretrace_symbolic_before_atomic(i64, i64)",
    "i32 @__foretrace_symbolic_atomic_read(i64, i64, i64)",
    "void @__foretrace_symbolic_atomic_write(i64, i64, i64, i32)",
];

/// The functions that end the program because of an error. Some call others, so there are a few rounds.
fn failing_functions(module: &mut Module<'_>) -> Failing {
    let mut failing = Failing::default();
    for _ in 0..3 {
        for definition in module.definitions_mut() {
            let Some(name) = definition.signature().map(|signature| signature.name.to_owned()) else { continue };
            definition.rewrite(|function| {
                failing.learn(&name, function);
                false
            });
        }
    }
    failing
}

/// The function that is rewritten.
pub struct Own {
    /// Its name, without the `@`.
    name: String,
    /// The types and names of its parameters.
    parameters: Vec<(String, String)>,
    /// Does it get two versions, of which only one is followed?
    has_versions: bool,
}

impl Own {
    /// Its address, as an operand.
    fn pointer(&self) -> String {
        let is_plain = self.name.chars().all(crate::text::is_name_character);
        if is_plain { format!("@{}", self.name) } else { format!("@\"{}\"", self.name) }
    }

    /// The name of its first block, if the text does not say it: the number after those of the parameters.
    fn entry(&self) -> String {
        let is_number = |name: &str| name.strip_prefix('%').is_some_and(|name| name.parse::<u32>().is_ok());
        format!("%{}", self.parameters.iter().filter(|(_, name)| is_number(name)).count())
    }

    fn signature(&self) -> Signature<'_> {
        let parameter = |(kind, name)| Parameter { kind, name, is_result: false, by_value: false };
        Signature {
            name: &self.name,
            result: "void",
            parameters: self.parameters.iter().map(|(kind, name)| parameter((kind.as_str(), name.as_str()))).collect(),
            variadic: false,
            debug: None,
        }
    }
}

/// Follows the values of a function. In a run that is not followed, an optimised one goes on as it was.
fn follow(function: &mut Function, own: &Own, failing: &Failing) -> bool {
    let plain = function.clone();
    follow_always(function, own, failing);
    let test = [
        "  %foretrace.on = call i32 @__foretrace_symbolic_is_on()".to_owned(),
        "  %foretrace.is = icmp ne i32 %foretrace.on, 0".to_owned(),
    ];
    if own.has_versions
        && let Some(both) = plain.or_else(function, &own.entry()[1..], &test)
    {
        *function = both;
    }
    true
}

fn follow_always(function: &mut Function, own: &Own, failing: &Failing) {
    let values = Values::of(function, &own.signature());
    let returns = split_invokes(function, own, &values);
    let checks: Vec<_> = (0..function.blocks.len()).map(|block| check_of(function, block, failing)).collect();
    let mut rewrite = Rewrite::new(own, &values);
    for (number, check) in checks.into_iter().enumerate() {
        let block = &function.blocks[number];
        let landed = returns.iter().find(|(landing, _)| *landing == number).map(|(_, line)| line.as_str());
        let lines = rewrite.block(block, (number == 0, landed), check);
        function.blocks[number].lines = lines;
    }
}

/// Which way of a branch ends the program with an error: the first or the second.
fn check_of(function: &Function, block: usize, failing: &Failing) -> Option<bool> {
    let line = function.blocks[block].lines.last()?;
    let (_, Form::Branch { yes, no, .. }) = parse(line) else { return None };
    match (failing.fails_at(function, yes), failing.fails_at(function, no)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Gives each invoke a block of its own to return to, where its result is known. Returns the numbers of those blocks and the
/// lines of the invokes.
fn split_invokes(function: &mut Function, own: &Own, values: &Values) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for from in 0..function.blocks.len() {
        let Some(line) = function.blocks[from].lines.last().cloned() else { continue };
        let (Some(result), Form::Call(call)) = parse(&line) else { continue };
        let target = call.goes_on.and_then(|name| function.blocks.iter().position(|block| block.name == name));
        let Some(target) = target.filter(|_| values.has(result)) else { continue };
        let name = &function.blocks[from].name;
        let old = if name.is_empty() { own.entry() } else { format!("%{name}") };
        found.push((function.split_edge(from, target, &old), line));
    }
    found
}
