//! The interleaving: one column a thread, one row a step.

use std::io::{self, Write};

use super::Style;
use crate::model::{Finding, Step};

/// A column is not narrower, whatever the terminal.
const NARROWEST: usize = 16;
/// More columns than this are not readable side by side.
const MOST: usize = 6;

/// Writes the steps that matter.
pub(super) fn write(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if finding.steps.is_empty() {
        return Ok(());
    }
    writeln!(out, "   {} how it happens:", style.frame("="))?;
    if finding.threads.len() > MOST {
        return list(finding, style, out);
    }
    let widths = widths(finding, style.width.saturating_sub(6));
    let names: Vec<String> = finding.threads.iter().map(|thread| thread.name.clone()).collect();
    row(&names, &widths, &|text| style.bold(text), out)?;
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    row(&rules, &widths, &|text| style.frame(text), out)?;
    for step in &finding.steps {
        let mut cells = vec![String::new(); names.len()];
        if let Some(cell) = cells.get_mut(step.thread) {
            *cell = text(step);
        }
        row(&cells, &widths, &|text| if step.fails { style.error(text) } else { text.to_owned() }, out)?;
    }
    Ok(())
}

fn list(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for step in &finding.steps {
        let name = finding.threads.get(step.thread).map_or("?", |thread| &thread.name);
        let line = format!("{name}: {}", text(step));
        writeln!(out, "      {}", if step.fails { style.error(&line) } else { line })?;
    }
    Ok(())
}

fn text(step: &Step) -> String {
    let place = step.place.as_ref().filter(|place| place.line > 0);
    place.map_or_else(|| step.text.clone(), |place| format!("{} :{}", step.text, place.line))
}

/// As wide as the longest text of each, less where the terminal is narrower.
fn widths(finding: &Finding, width: usize) -> Vec<usize> {
    let wanted = |number: usize| {
        let texts = finding.steps.iter().filter(|step| step.thread == number).map(|step| text(step).chars().count());
        texts.max().unwrap_or(0).max(finding.threads[number].name.chars().count())
    };
    let share = (width / finding.threads.len().max(1)).saturating_sub(2).max(NARROWEST);
    (0..finding.threads.len()).map(|number| wanted(number).min(share)).collect()
}

fn row(cells: &[String], widths: &[usize], paint: &dyn Fn(&str) -> String, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::from("      ");
    for (cell, width) in cells.iter().zip(widths) {
        let text = cut(cell, *width);
        let padding = " ".repeat(width - text.chars().count() + 2);
        line += &if text.is_empty() { String::new() } else { paint(&text) };
        line += &padding;
    }
    writeln!(out, "{}", line.trim_end())
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['~']).collect()
}
