//! Events of the user's own: calls of the runtime at the join-points of an instrumentation specification (thesis, 6.2).
//!
//! The pass runs over the text before optimisation, so each call, access and line of the source is still there. The
//! calls that it adds have effects, so the optimiser keeps all of them, in order.
//!
//! # Deviations
//!
//! A body that is left by an exception, or by `longjmp`, emits nothing `after`. Accesses are direct ones, as in the
//! thesis: through the variable's name, its members and its elements, and as a whole by a copy.
//!
//! # What it misses
//!
//! Calls through pointers are no `call` join-points; `body` is the remedy.

mod access;
mod code;
mod functions;
mod insert;
mod lines;
mod value;

use crate::debug::{Debug, Place};
use crate::function::Function;
use crate::layout::Layout;
use crate::module::{Constants, Definition, Module};
use crate::pass::{Pass, Purpose, Refusal};
use crate::types::SourceType;
use foretrace_instrumentation::{Order, What, demangled};
use std::collections::HashMap;

/// The section with the names of events, each with its join-point: what a build has found of a specification.
pub const SECTION: &str = "ft_events";

/// Inserts calls that emit events.
pub struct EmitEvents {
    /// What to emit, and where.
    pub orders: Vec<Order>,
}

/// A place in a function where an event is emitted.
struct JoinPoint {
    /// The index of the order.
    order: usize,
    at: At,
    subject: Subject,
    /// The metadata of a neighbouring instruction, with its comma.
    debug: String,
}

/// Where code is inserted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    /// Before a line of a block: behind what comes after the line before it.
    Line { block: usize, line: usize, before: bool },
    /// On an edge to a block of this name.
    Edge { from: usize, to: String },
}

/// What fields can be captured from.
enum Subject {
    /// A call or a body.
    Function { arguments: Vec<Operand>, result: Option<Operand> },
    /// An access. Its value is not known if memory is copied.
    Access { address: String, size: u64, value: Option<Operand> },
    /// A line.
    Line,
}

/// A value of the module.
#[derive(Clone)]
struct Operand {
    kind: String,
    value: String,
    source: Option<SourceType>,
    /// Is it the address of a structure that is passed by value?
    by_value: bool,
}

/// What the join-points of a module are found with.
struct Context<'a, 'o> {
    orders: &'o [Order],
    debug: Debug<'a>,
    layout: Layout<'a>,
    /// The debug metadata of functions that are declared or defined here.
    subprograms: HashMap<String, u32>,
}

impl Context<'_, '_> {
    /// The orders of this kind whose target is this function.
    fn orders_of(&self, what: What, symbol: &str) -> impl Iterator<Item = (usize, &Order)> {
        let known = self.orders.iter().enumerate().filter(move |(_, order)| order.what == what);
        known.filter(move |(_, order)| order.target.names(symbol))
    }

    /// The types of a function's result and parameters.
    fn signature(&self, symbol: &str) -> Option<Vec<Option<SourceType>>> {
        let number = self.subprograms.get(symbol).copied().or_else(|| self.debug.subprogram_of(symbol))?;
        self.debug.signature(number)
    }
}

impl Pass for EmitEvents {
    fn name(&self) -> &'static str {
        "events"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Meaning
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        let context = Context {
            orders: &self.orders,
            debug: module.debug(),
            layout: module.layout(),
            subprograms: subprograms(module),
        };
        let mut constants = module.take_constants();
        let mut changed = false;
        for definition in module.definitions_mut() {
            changed |= instrument(definition, &context, &mut constants)?;
        }
        module.put_constants(constants);
        if changed {
            code::DECLARATIONS.into_iter().for_each(|signature| module.declare(signature));
            let bodies: Vec<&Order> = self.orders.iter().filter(|order| order.what == What::Body).collect();
            module.forget_purity(|symbol| bodies.iter().any(|order| order.target.names(symbol)));
        }
        Ok(changed)
    }
}

fn subprograms(module: &Module<'_>) -> HashMap<String, u32> {
    let defined = module.definitions().filter_map(Definition::signature);
    let known = defined.map(|signature| (signature.name.to_owned(), signature.debug));
    let declared = module.declared().map(|signature| (signature.name.to_owned(), signature.debug));
    known.chain(declared).filter_map(|(name, number)| Some((name, number?))).collect()
}

fn instrument(
    definition: &mut Definition<'_>,
    context: &Context<'_, '_>,
    constants: &mut Constants,
) -> Result<bool, Refusal> {
    let Some(signature) = definition.signature() else { return Ok(false) };
    let header = functions::Header::of(&signature);
    let place = || header.debug.and_then(|number| context.debug.place(number));
    let mut outcome = Ok(false);
    let understood = definition.rewrite(|function| {
        outcome = rewrite(function, &header, context, constants);
        outcome == Ok(true)
    });
    match (understood, outcome) {
        (None, _) => Err(refusal(&header, place(), "the form of its body is not known".to_owned())),
        (_, Err(reason)) => Err(refusal(&header, place(), reason)),
        (_, Ok(changed)) => Ok(changed),
    }
}

fn refusal(header: &functions::Header, place: Option<Place<'_>>, reason: String) -> Refusal {
    Refusal::new(&demangled(&header.name), place, reason)
}

fn rewrite(
    function: &mut Function,
    header: &functions::Header,
    context: &Context<'_, '_>,
    constants: &mut Constants,
) -> Result<bool, String> {
    let mut points = functions::bodies(function, header, context)?;
    points.extend(functions::calls(function, header, context)?);
    points.extend(access::accesses(function, context)?);
    points.extend(lines::lines(function, context));
    if points.is_empty() {
        return Ok(false);
    }
    points.sort_by(|one, other| (&one.at, one.order).cmp(&(&other.at, other.order)));
    insert::insert(function, &points, context, constants)?;
    Ok(true)
}
