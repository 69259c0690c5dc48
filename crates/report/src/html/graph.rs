//! Who waits for whom, and the automaton of a property.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::escape::text;
use crate::act::{Act, Holder, Wait};
use crate::model::{Automaton, Finding};
use crate::words;

/// More threads than these are no picture.
const MOST: usize = 16;
/// The circle of threads.
const RADIUS: f64 = 120.0;
const CENTRE: (f64, f64) = (280.0, 170.0);
/// Half the size of a box.
const HALF: (f64, f64) = (55.0, 16.0);

/// A wait: the waiting node, the node that it waits for, and what is waited for.
struct Waits {
    from: usize,
    to: usize,
    what: String,
}

/// Writes the graph of waits of a deadlock.
pub(super) fn waits(anchor: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let (nodes, edges) = graph(finding);
    if edges.is_empty() || nodes.len() > MOST {
        return Ok(());
    }
    let said: Vec<String> =
        edges.iter().map(|edge| format!("{} waits for {} ({})", nodes[edge.from], nodes[edge.to], edge.what)).collect();
    writeln!(
        out,
        "<h3 id=\"{anchor}-waits\">Who waits for whom</h3><svg class=\"graph\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 560 \
         340\">",
        text(&said.join("; "))
    )?;
    for edge in &edges {
        writeln!(out, "{}", arrow(nodes.len(), edge))?;
    }
    for (number, name) in nodes.iter().enumerate() {
        let (x, y) = place(number, nodes.len());
        let class = if number < finding.threads.len() { "thread" } else { "thing" };
        writeln!(
            out,
            "<g class=\"{class}\"><rect x=\"{:.0}\" y=\"{:.0}\" width=\"{}\" height=\"{}\" rx=\"6\"/><text x=\"{x:.0}\" \
             y=\"{:.0}\">{}</text></g>",
            x - HALF.0,
            y - HALF.1,
            2.0 * HALF.0,
            2.0 * HALF.1,
            y + 5.0,
            text(name)
        )?;
    }
    writeln!(out, "</svg>")
}

/// The threads of the finding that wait or are waited for, then other things.
fn graph(finding: &Finding) -> (Vec<String>, Vec<Waits>) {
    let mut nodes: Vec<String> = Vec::new();
    let mut edges = Vec::new();
    for site in &finding.sites {
        let Act::Wait(wait) = &site.does else { continue };
        let me = node(&mut nodes, finding.thread_of(site));
        let (target, what) = target(finding.thread_of(site), wait);
        let to = node(&mut nodes, &target);
        edges.push(Waits { from: me, to, what });
    }
    (nodes, edges)
}

fn node(nodes: &mut Vec<String>, name: &str) -> usize {
    nodes.iter().position(|known| known == name).unwrap_or_else(|| {
        nodes.push(name.to_owned());
        nodes.len() - 1
    })
}

/// Whom a thread waits for, and for what.
fn target(own: &str, wait: &Wait) -> (String, String) {
    let bare = |thing| words::thing(thing).replace('`', "");
    match wait {
        Wait::Lock { lock, holder: Some(Holder::Thread(name)), .. } => (name.clone(), bare(lock)),
        Wait::Lock { lock, holder: Some(Holder::Itself), .. } => (own.to_owned(), bare(lock)),
        Wait::Lock { lock, holder: None, .. } => (bare(lock), "lock".to_owned()),
        Wait::End { thread } => (thread.clone().unwrap_or_else(|| "a thread".to_owned()), "its end".to_owned()),
        Wait::Signal { condition, lost: true } => (bare(condition), "a signal that was given before".to_owned()),
        Wait::Signal { condition, .. } => (bare(condition), "a signal".to_owned()),
        Wait::Post { semaphore } => (bare(semaphore), "a post".to_owned()),
        Wait::Barrier { barrier } => (bare(barrier), "more threads".to_owned()),
        Wait::Once { once } => (bare(once), "its initialiser".to_owned()),
        Wait::Channel { channel } => (bare(channel), "a message".to_owned()),
        Wait::Other { operation } => ("something".to_owned(), operation.clone()),
    }
}

fn place(number: usize, of: usize) -> (f64, f64) {
    let angle = std::f64::consts::TAU * number as f64 / of.max(1) as f64 - std::f64::consts::FRAC_PI_2;
    let (width, height) = (RADIUS * 1.6, RADIUS);
    (CENTRE.0 + width * angle.cos(), CENTRE.1 + height * angle.sin())
}

/// Bent, so that two threads that wait for each other have two arrows.
fn arrow(of: usize, edge: &Waits) -> String {
    let ((x, y), (u, v)) = (place(edge.from, of), place(edge.to, of));
    let mut svg = String::new();
    if edge.from == edge.to {
        let (left, top) = (x - 20.0, y - HALF.1);
        let _ = write!(svg, "<path class=\"wait\" d=\"M{left:.0} {top:.0}c-30 -46 70 -46 40 -2\"/>");
        let _ =
            write!(svg, "<text class=\"on\" x=\"{:.0}\" y=\"{:.0}\">{}</text>", x + 80.0, y - 26.0, text(&edge.what));
        return svg;
    }
    let (dx, dy) = (u - x, v - y);
    let length = dx.hypot(dy).max(1.0);
    let (mx, my) = (f64::midpoint(x, u) - dy / length * 34.0, f64::midpoint(y, v) + dx / length * 34.0);
    // The arrow ends at the edge of the box, in the direction it comes from.
    let (ex, ey) = (u - mx, v - my);
    let scale = (HALF.0 / ex.abs().max(0.01)).min(HALF.1 / ey.abs().max(0.01)).min(1.0);
    let (tx, ty) = (u - ex * scale, v - ey * scale);
    let turn = ey.atan2(ex).to_degrees();
    let _ = write!(svg, "<path class=\"wait\" d=\"M{x:.0} {y:.0}Q{mx:.0} {my:.0} {tx:.0} {ty:.0}\"/>");
    let _ = write!(
        svg,
        "<path class=\"head\" transform=\"translate({tx:.0} {ty:.0}) rotate({turn:.0})\" d=\"M0 0l-10 -5v10z\"/>"
    );
    let _ = write!(svg, "<text class=\"on\" x=\"{mx:.0}\" y=\"{my:.0}\">{}</text>", text(&edge.what));
    svg
}

/// Writes the automaton of a property as a table, with the states that the failing run goes through.
pub(super) fn automaton(anchor: &str, automaton: &Automaton, out: &mut dyn Write) -> io::Result<()> {
    let name = |state: usize| {
        let bad = if automaton.bad.contains(&state) { " class=\"bad\"" } else { "" };
        format!("<span{bad}>{}</span>", text(&automaton.states[state]))
    };
    writeln!(
        out,
        "<h3 id=\"{anchor}-property\">The property</h3><p><code>{}</code></p><table><caption>Its automaton, beginning in {}\
         </caption><thead><tr><th scope=\"col\">In</th><th scope=\"col\">on</th><th scope=\"col\">to</th></tr></thead><tbody>",
        text(&automaton.property),
        name(automaton.initial)
    )?;
    for edge in &automaton.edges {
        writeln!(out, "<tr><td>{}</td><td>{}</td><td>{}</td></tr>", name(edge.from), text(&edge.on), name(edge.to))?;
    }
    let path: Vec<String> =
        automaton.after.iter().map(|(step, state)| format!("after step {}: {}", step + 1, name(*state))).collect();
    writeln!(out, "</tbody></table><p>The failing run: {}.</p>", path.join("; "))
}
