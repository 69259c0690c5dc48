//! Adjacent accesses in one block become one call.

use crate::function::{Definitions, Function};
use crate::hook::{self, Hook, Kind, is_barrier};
use crate::module::Module;
use crate::pass::{Pass, Purpose, Refusal};
use std::collections::BTreeMap;

/// Merges adjacent accesses of one block and source line into one call.
pub struct MergeNeighbours;

impl Pass for MergeNeighbours {
    fn name(&self) -> &'static str {
        "merge-neighbours"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Speed
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        Ok(hook::rewrite_hooks(module, |function| {
            let definitions = function.definitions();
            let mut changed = false;
            for block in 0..function.blocks.len() {
                changed |= merge(function, &definitions, block);
            }
            changed
        }))
    }
}

/// The common part of addresses that differ by a constant: the base, and the index with its factor.
pub type Root = (String, String, u64);

/// The common part of accesses that can be merged: kind, root, step and count of a series, and the place in the source,
/// because one call can name only one place.
type Family = (Kind, Root, Option<(String, String)>, String);

/// An access at a known distance from its family's base.
struct Member {
    offset: i64,
    line: usize,
    hook: Hook,
}

/// The longest index computation that is followed.
const DEPTH: usize = 8;

/// Merges the accesses of one block; returns whether anything changed.
pub fn merge(function: &mut Function, definitions: &Definitions, block: usize) -> bool {
    let mut families: BTreeMap<Family, Vec<Member>> = BTreeMap::new();
    let mut edits = Vec::new();
    for (line, text) in function.blocks[block].lines.iter().enumerate() {
        if is_barrier(text) {
            finish(&mut families, &mut edits);
        }
        let Some(hook) = Hook::parse(text) else { continue };
        let (root, offset) = locate(function, definitions, &hook.address);
        let family = (hook.kind, root, hook.series.clone(), hook.place.clone());
        families.entry(family).or_default().push(Member { offset, line, hook });
    }
    finish(&mut families, &mut edits);
    apply(function, block, &edits);
    !edits.is_empty()
}

/// What replaces a line: a hook at an address moved by an offset, or nothing.
type Edit = (usize, Option<(Hook, i64)>);

fn finish(families: &mut BTreeMap<Family, Vec<Member>>, edits: &mut Vec<Edit>) {
    for (_, mut members) in std::mem::take(families) {
        members.sort_by_key(|member| (member.offset, member.line));
        let mut run: Vec<&Member> = Vec::new();
        let mut end = i64::MIN;
        for member in &members {
            if member.offset > end {
                finish_run(&run, end, edits);
                run.clear();
            }
            end = end.max(member.offset.saturating_add_unsigned(member.hook.size));
            run.push(member);
        }
        finish_run(&run, end, edits);
    }
}

fn finish_run(run: &[&Member], end: i64, edits: &mut Vec<Edit>) {
    let [lowest, _, ..] = run else { return };
    let first = run.iter().min_by_key(|member| member.line).expect("it has two");
    let size = end.abs_diff(lowest.offset);
    let aligned = size == first.hook.size && first.hook.aligned;
    for member in run {
        let merged = (member.line == first.line)
            .then(|| (Hook { size, aligned, ..member.hook.clone() }, lowest.offset.wrapping_sub(first.offset)));
        edits.push((member.line, merged));
    }
}

fn apply(function: &mut Function, block: usize, edits: &[Edit]) {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|(line, _)| std::cmp::Reverse(*line));
    for (line, edit) in edits {
        match edit {
            None => drop(function.blocks[block].lines.remove(*line)),
            Some((hook, 0)) => function.blocks[block].lines[*line] = hook.to_string(),
            Some((hook, distance)) => {
                let name = format!("%{}", function.fresh());
                let address = format!("  {name} = getelementptr i8, ptr {}, i64 {distance}", hook.address);
                let hook = Hook { address: name, ..hook.clone() };
                function.blocks[block].lines.splice(line..=line, [address, hook.to_string()]);
            }
        }
    }
}

/// The root of an address, and the distance from there.
pub fn locate(function: &Function, definitions: &Definitions, address: &str) -> (Root, i64) {
    let (mut root, mut offset) = ((address.to_owned(), String::new(), 0), 0_i64);
    for _ in 0..DEPTH {
        let Some(step) = function.definition(definitions, &root.0).filter(|step| step.operation == "getelementptr")
        else {
            break;
        };
        let [kind, pointer, index] = step.parts[..] else { break };
        let (Some(size), Some(pointer)) = (size_of(kind), pointer.strip_prefix("ptr ")) else { break };
        let Some(index) = index.strip_prefix("i64 ") else { break };
        let (index, distance) = distance(function, definitions, index);
        let Some(sum) = distance.checked_mul(size as i64).and_then(|distance| distance.checked_add(offset)) else {
            break;
        };
        if !index.is_empty() {
            if !root.1.is_empty() {
                break;
            }
            (root.1, root.2) = (index, size);
        }
        offset = sum;
        pointer.clone_into(&mut root.0);
    }
    (root, offset)
}

/// The value that an index starts from, empty if it is a constant, and the constant added to it.
fn distance(function: &Function, definitions: &Definitions, index: &str) -> (String, i64) {
    let (mut value, mut sum) = (index.to_owned(), 0_i64);
    for _ in 0..DEPTH {
        if let Ok(number) = value.parse::<i64>() {
            return (String::new(), sum.wrapping_add(number));
        }
        let Some(step) = function.definition(definitions, &value) else { break };
        let adds = step.operation == "add" || step.operation == "or" && step.promises("disjoint");
        let ([first, second], true) = (&step.parts[..], adds) else { break };
        let (Some(first), Ok(number)) = (first.strip_prefix("i64 "), second.parse::<i64>()) else { break };
        sum = sum.wrapping_add(number);
        first.clone_into(&mut value);
    }
    (value, sum)
}

/// The size of types that is the same on every machine.
pub fn size_of(kind: &str) -> Option<u64> {
    Some(match kind {
        "i8" => 1,
        "i16" | "half" => 2,
        "i32" | "float" => 4,
        "i64" | "double" | "ptr" => 8,
        _ => return None,
    })
}
