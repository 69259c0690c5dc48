//! Counted loops: the accesses of all rounds are reported before the first.

use crate::function::{Definitions, Function};
use crate::graph::{Graph, Loop};
use crate::hook::{self, Hook, is_barrier};
use crate::module::Module;
use crate::pass::{Pass, Purpose, Refusal};
use crate::passes::count::Test;
use crate::passes::merge::{self, Root};
use crate::passes::slice::{Form, Slice};
use std::collections::HashMap;

/// Accesses of counted loops become one call before the loop.
pub struct HoistCountedLoops;

impl Pass for HoistCountedLoops {
    fn name(&self) -> &'static str {
        "hoist-counted-loops"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Speed
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        Ok(hook::rewrite_hooks(module, hoist))
    }
}

/// Hoists what it can, from inner loops to outer ones; returns whether anything changed.
fn hoist(function: &mut Function) -> bool {
    let Some(graph) = Graph::new(function) else { return false };
    let loops: Vec<Loop> = graph.loops().into_iter().filter(|of| may_gain(function, &graph, of)).collect();
    if loops.is_empty() {
        return false;
    }
    for of in &loops {
        make_preheader(function, &graph, of);
    }
    let Some(graph) = Graph::new(function) else { return false };
    let loops = graph.loops();
    let innermost = innermost(&loops, function.blocks.len());
    let mut definitions = function.definitions();
    let mut changed = false;
    for (number, of) in loops.iter().enumerate() {
        let own: Vec<usize> = of.blocks.iter().copied().filter(|block| innermost[*block] == Some(number)).collect();
        if let Some(before) = preheader(&graph, of).filter(|_| may_gain(function, &graph, of)) {
            changed |= hoist_from(function, &mut definitions, &graph, of, &own, before);
        }
    }
    changed
}

/// Does the loop have accesses, and nothing that they must not be moved across?
fn may_gain(function: &Function, graph: &Graph, of: &Loop) -> bool {
    let lines = || of.blocks.iter().flat_map(|block| &function.blocks[*block].lines);
    outside(graph, of).is_some()
        && !lines().any(|line| is_barrier(line))
        && lines().any(|line| Hook::parse(line).is_some())
}

/// The only block outside that branches to the loop, if it does so over one edge.
fn outside(graph: &Graph, of: &Loop) -> Option<usize> {
    let mut before = graph.previous[of.header].iter().filter(|block| of.blocks.binary_search(block).is_err());
    match (before.next(), before.next()) {
        (Some(block), None) => Some(*block),
        _ => None,
    }
}

/// The block outside that branches to the loop and nowhere else.
fn preheader(graph: &Graph, of: &Loop) -> Option<usize> {
    outside(graph, of).filter(|block| graph.next[*block].len() == 1)
}

fn make_preheader(function: &mut Function, graph: &Graph, of: &Loop) {
    if preheader(graph, of).is_some() {
        return;
    }
    let Some(before) = outside(graph, of) else { return };
    let old = match function.blocks[before].name.as_str() {
        // The entry block's number appears only in the phis.
        "" => match entry_name(function, of) {
            Some(name) => name,
            None => return,
        },
        name => format!("%{name}"),
    };
    function.split_edge(before, of.header, &old);
}

/// The name by which the phis of a loop's header refer to the block that is not its latch.
fn entry_name(function: &Function, of: &Loop) -> Option<String> {
    let phi = function.blocks[of.header].lines.first()?;
    let (_, incoming) = crate::instruction::Instruction::parse(phi).filter(|phi| phi.operation == "phi")?.incoming()?;
    let latch = format!("%{}", function.blocks[of.latch].name);
    incoming.iter().map(|(_, block)| *block).find(|block| *block != latch).map(str::to_owned)
}

/// The innermost loop of each block.
fn innermost(loops: &[Loop], blocks: usize) -> Vec<Option<usize>> {
    let mut innermost = vec![None; blocks];
    for (number, of) in loops.iter().enumerate() {
        for block in &of.blocks {
            innermost[*block].get_or_insert(number);
        }
    }
    innermost
}

fn hoist_from(
    function: &mut Function,
    definitions: &mut Definitions,
    graph: &Graph,
    of: &Loop,
    own: &[usize],
    before: usize,
) -> bool {
    let prefix = function.fresh();
    let mut slice = Slice::new(function, definitions, of, prefix);
    let Some(test) = Test::find(function, graph, of, &mut slice) else { return false };
    let mut shared = Shared::default();
    let mut taken = Vec::new();
    for block in own.iter().copied().filter(|block| graph.dominates(*block, of.latch)) {
        for (line, text) in function.blocks[block].lines.iter().enumerate() {
            if let Some(hook) = Hook::parse(text).and_then(|hook| moved(&hook, &mut slice, &test, &mut shared)) {
                slice.lines.push(hook.to_string());
                taken.push((block, line));
            }
        }
    }
    if taken.is_empty() {
        return false;
    }
    let lines = std::mem::take(&mut slice.lines);
    for (block, line) in taken.into_iter().rev() {
        function.blocks[block].lines.remove(line);
    }
    let into = &mut function.blocks[before].lines;
    let end = into.len() - 1;
    into.splice(end..end, lines);
    *definitions = function.definitions();
    merge::merge(function, definitions, before);
    true
}

/// Values before the loop that several hooks use; equal names show that series are adjacent.
#[derive(Default)]
struct Shared {
    count: Option<String>,
    steps: HashMap<Root, String>,
}

/// The hook in its form before the loop; inserts the values that it needs there.
fn moved(hook: &Hook, slice: &mut Slice, test: &Test, shared: &mut Shared) -> Option<Hook> {
    let form = slice.form(&hook.address)?;
    if let Some((step, rounds)) = &hook.series {
        if form != Form::Fixed || !slice.is_fixed(step) || !slice.is_fixed(rounds) {
            return None;
        }
        let series = Some((slice.copy(step, 0)?, slice.copy(rounds, 0)?));
        return Some(Hook { address: slice.copy(&hook.address, 0)?, series, ..hook.clone() });
    }
    let first = slice.copy(&hook.address, 0)?;
    if form == Form::Fixed {
        return Some(Hook { address: first, ..hook.clone() });
    }
    let root = slice.root(&hook.address);
    let step = match shared.steps.get(&root) {
        Some(step) => step.clone(),
        None => {
            let second = slice.copy(&hook.address, 1)?;
            let from = slice.emit(&format!("ptrtoint ptr {first} to i64"));
            let to = slice.emit(&format!("ptrtoint ptr {second} to i64"));
            let step = slice.emit(&format!("sub i64 {to}, {from}"));
            shared.steps.insert(root, step.clone());
            step
        }
    };
    if shared.count.is_none() {
        shared.count = Some(test.emit(slice)?);
    }
    Some(Hook { address: first, series: Some((step, shared.count.clone()?)), ..hook.clone() })
}
