//! Bars and arrows, as a drawing behind the steps.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::escape::text;
use super::view::{Row, View};
use crate::act::Act;
use crate::model::{How, Picture};
use crate::words;

/// Sizes in pixels; the style sheet has the same.
const ROW: usize = 30;
const COLUMN: usize = 250;
const GUTTER: usize = 48;
/// The place of bars, left of the steps of a column.
const BARS: usize = 20;
/// Bars side by side; more lie on each other.
const SLOTS: usize = 4;

/// Where a column begins.
fn left(column: usize) -> usize {
    GUTTER + column * COLUMN
}

/// The middle of a row.
fn middle(row: usize) -> usize {
    row * ROW + ROW / 2
}

/// The class of an arrow.
pub(super) fn class(how: How) -> &'static str {
    match how {
        How::Creates => "creates",
        How::Ends => "ends",
        How::Releases => "releases",
        How::Wakes => "wakes",
        How::Gives => "gives",
        How::Writes => "writes",
    }
}

/// The drawing. Those who do not see it have its contents in the text of the steps.
pub(super) fn svg(picture: &Picture, view: &View) -> String {
    let (width, height) = (left(view.columns.len()), view.rows.len() * ROW);
    let mut svg = format!(
        "<svg class=\"lines\" aria-hidden=\"true\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    );
    for column in 0..view.columns.len() {
        let x = left(column) + BARS + 8;
        let _ = write!(svg, "<path class=\"life\" d=\"M{x} 0V{height}\"/>");
    }
    bars(picture, view, &mut svg);
    arrows(picture, view, &mut svg);
    clash(picture, view, &mut svg);
    svg + "</svg>"
}

/// All arrows of a sort are one path: thousands of elements would take long to lay out.
fn arrows(picture: &Picture, view: &View, svg: &mut String) {
    let mut paths: BTreeMap<How, (String, String)> = BTreeMap::new();
    for (link, from, to) in view.links(picture) {
        let [one, other] = [link.from, link.to].map(|step| view.column(picture.steps[step].step.thread));
        let (curves, tips) = paths.entry(link.how).or_default();
        *curves += &curve((one, from), (other, to));
        let (x, y, back) = (end(one, other), middle(to), if other > one { -7 } else { 7 });
        let _ = write!(tips, "M{x} {y}l{back} -4v8z");
    }
    for (how, (curves, tips)) in paths {
        let class = class(how);
        let _ = write!(svg, "<path class=\"arrow {class}\" d=\"{curves}\"/><path class=\"tip {class}\" d=\"{tips}\"/>");
    }
}

/// Where an arrow ends that comes from another column.
fn end(from: usize, to: usize) -> usize {
    if to >= from { left(to) + BARS } else { left(to) + COLUMN - 4 }
}

fn curve((from, first): (usize, usize), (to, second): (usize, usize)) -> String {
    let begin = if to > from { left(from) + COLUMN - 8 } else { left(from) + BARS };
    let (end, y, z) = (end(from, to), middle(first), middle(second));
    let bend = |x: usize, right: bool| if right { x + 24 } else { x.saturating_sub(24) };
    format!("M{begin} {y}C{} {y} {} {z} {end} {z}", bend(begin, to > from), bend(end, to < from))
}

/// Each bar gets the first slot that no bar of the same column has there.
fn bars(picture: &Picture, view: &View, svg: &mut String) {
    let mut taken: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (bar, from, to) in view.bars(picture) {
        let column = view.column(bar.thread);
        let is_free = |slot: &usize| {
            let overlaps =
                |(c, s, f, t): &(usize, usize, usize, usize)| *c == column && s == slot && from <= *t && *f <= to;
            !taken.iter().any(overlaps)
        };
        let slot = (0..SLOTS).find(is_free).unwrap_or(SLOTS - 1);
        taken.push((column, slot, from, to));
        let (x, y, height) = (left(column) + 1 + slot * 5, from * ROW + ROW / 4, (to - from) * ROW + ROW / 2);
        let shared = if bar.shared { " shared" } else { "" };
        let name = text(&words::thing(&bar.lock));
        let _ = write!(
            svg,
            "<rect class=\"bar{shared}\" x=\"{x}\" y=\"{y}\" width=\"4\" height=\"{height}\" rx=\"2\"><title>holds {name}</title></rect>"
        );
    }
}

/// A line between two accesses that fail: they may as well come the other way round.
fn clash(picture: &Picture, view: &View, svg: &mut String) {
    let fails = view.rows.iter().enumerate().filter_map(|(row, what)| match what {
        Row::Step(number) if picture.steps[*number].step.fails => Some((row, picture.steps[*number].step.thread)),
        _ => None,
    });
    let fails: Vec<(usize, usize)> = fails.collect();
    let touches = |(row, _): &(usize, usize)| match view.rows[*row] {
        Row::Step(number) => matches!(picture.steps[number].step.does, Act::Touch(_)),
        Row::Gap(_) => false,
    };
    let [(one, first), (other, second)] = fails[..] else { return };
    if !fails.iter().all(touches) {
        return;
    }
    let (first, second) = (view.column(first), view.column(second));
    if first != second {
        let _ = write!(svg, "<path class=\"clash\" d=\"{}\"/>", curve((first, one), (second, other)));
    }
}
