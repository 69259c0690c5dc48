//! Join-points at lines of the source.

use super::functions::debug_of;
use super::{At, Context, JoinPoint, Subject};
use crate::function::Function;
use crate::graph::Graph;
use foretrace_instrumentation::{Moment, SourceLine, What};

/// The join-points at lines in this function.
pub fn lines(function: &Function, context: &Context<'_, '_>) -> Vec<JoinPoint> {
    let mut points = Vec::new();
    for (order, found) in context.orders.iter().enumerate().filter(|(_, order)| order.what == What::Line) {
        let Some(line) = found.target.line() else { continue };
        let on = on_line(function, line, context);
        if !on.iter().flatten().any(|is_on| *is_on) {
            continue;
        }
        let Some(graph) = Graph::new(function) else { continue };
        let mut add = |at, debug| points.push(JoinPoint { order, at, subject: Subject::Line, debug });
        match found.moment {
            Moment::Before => entries(function, &graph, &on).into_iter().for_each(|(at, debug)| add(at, debug)),
            Moment::After => exits(function, &graph, &on).into_iter().for_each(|(at, debug)| add(at, debug)),
        }
    }
    points
}

/// For each instruction: is it on the line? An instruction without a place of its own belongs to what is before it.
fn on_line(function: &Function, line: &SourceLine, context: &Context<'_, '_>) -> Vec<Vec<bool>> {
    let is_on = |text: &str| {
        let number = debug_of(text).strip_prefix(", !dbg !")?.parse().ok()?;
        let place = context.debug.place(number).filter(|place| place.line != 0)?;
        Some(place.line == line.line && line.is_in(place.file))
    };
    let of_block = |lines: &[String]| {
        let mut before = lines.iter().find_map(|text| is_on(text)).unwrap_or(false);
        lines
            .iter()
            .map(|text| {
                let is_setup = text.contains(" = alloca ") || text.trim_start().starts_with("#dbg_");
                before = if is_setup { false } else { is_on(text).unwrap_or(before) };
                before
            })
            .collect()
    };
    function.blocks.iter().map(|block| of_block(&block.lines)).collect()
}

/// Where the line is reached from other lines.
fn entries(function: &Function, graph: &Graph, on: &[Vec<bool>]) -> Vec<(At, String)> {
    let mut found = Vec::new();
    for (block, flags) in on.iter().enumerate() {
        let first = first_place(&function.blocks[block].lines);
        let previous = &graph.previous[block];
        let goes_on = !previous.is_empty() && previous.iter().all(|from| on[*from].last() == Some(&true));
        for line in first..flags.len() {
            let before = if line == first { goes_on } else { flags[line - 1] };
            if flags[line] && !before {
                let debug = debug_of(&function.blocks[block].lines[line]);
                found.push((At::Line { block, line, before: true }, debug));
            }
        }
    }
    found
}

/// Where the line is left.
fn exits(function: &Function, graph: &Graph, on: &[Vec<bool>]) -> Vec<(At, String)> {
    let mut found = Vec::new();
    for (block, flags) in on.iter().enumerate() {
        let lines = &function.blocks[block].lines;
        for line in 0..flags.len() {
            let debug = debug_of(&lines[line]);
            match flags.get(line + 1) {
                Some(false) if flags[line] => {
                    found.push((At::Line { block, line: line + 1, before: false }, debug));
                }
                None if flags[line] && graph.next[block].is_empty() => {
                    found.push((At::Line { block, line, before: true }, debug));
                }
                None if flags[line] => {
                    for to in graph.next[block].iter().filter(|to| !starts_on(&function.blocks[**to].lines, &on[**to]))
                    {
                        found.push((At::Edge { from: block, to: function.blocks[*to].name.clone() }, debug.clone()));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Does the block begin on the line? (Or is it where exceptions go? Nothing can be inserted on the way there.)
fn starts_on(lines: &[String], flags: &[bool]) -> bool {
    lines.iter().any(|line| line.contains("landingpad")) || flags.get(first_place(lines)) == Some(&true)
}

/// The first line that code can be inserted before.
fn first_place(lines: &[String]) -> usize {
    let is_first = |line: &String| line.contains(" = phi ") || line.contains("landingpad");
    lines.iter().position(|line| !is_first(line)).unwrap_or(0)
}
