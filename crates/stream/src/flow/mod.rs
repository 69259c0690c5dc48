//! From a graph to a plan: evaluation order, static checks, ownership of values.
mod fuse;
mod growth;
mod order;
mod ownership;
mod past;
mod plan;
mod sample;

pub use growth::Growth;
pub use plan::{Arg, Events, Filter, Lift, Operand, Pasts, Plan, PlannedOutput, Step};

use crate::graph::Graph;
use crate::source::Result;

/// Checks a graph and lays it out for evaluation.
pub fn plan(graph: Graph) -> Result<Plan> {
    let graph = order::without_aliases(graph)?;
    order::check_guarded(&graph)?;
    let growth = growth::find(&graph);
    let ordered = order::ordered(fuse::fuse(graph));
    let moves = ownership::moves(&ordered);
    let mut plan = plan::lay_out(ordered, &moves, growth);
    sample::find(&mut plan);
    past::find(&mut plan);
    plan.link();
    Ok(plan)
}
