//! The interleaving: one column a thread, one row a step.

use std::io::{self, Write};

use super::Style;
use crate::model::{Finding, Step};

/// A column is not narrower, whatever the terminal.
pub(super) const NARROWEST: usize = 16;
/// Blanks between two columns.
const BETWEEN: usize = 2;
/// Blanks before the rest of a text that takes several lines.
const INDENT: usize = 2;
/// More columns than this are not readable side by side.
const MOST: usize = 6;

/// Writes the steps that matter.
pub(super) fn write(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if finding.steps.is_empty() {
        return Ok(());
    }
    let happens = if finding.is_confirmed() { "happens" } else { "would happen" };
    writeln!(out, "   {} how it {happens}:", style.frame("="))?;
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
            *cell = text(finding, step);
        }
        row(&cells, &widths, &|text| if step.fails { style.error(text) } else { text.to_owned() }, out)?;
    }
    Ok(())
}

fn list(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for step in &finding.steps {
        let name = finding.threads.get(step.thread).map_or("?", |thread| &thread.name);
        let line = format!("{name}: {}", text(finding, step));
        writeln!(out, "      {}", if step.fails { style.error(&line) } else { line })?;
    }
    Ok(())
}

/// What is done, and where; in which file, if it is not the one the finding is shown in.
fn text(finding: &Finding, step: &Step) -> String {
    let Some(place) = step.place.as_ref().filter(|place| place.line > 0) else { return step.text.clone() };
    let here = finding.place().and_then(|place| place.file.as_ref());
    let file = place.file.as_ref().filter(|file| Some(*file) != here);
    let file = file.and_then(|file| file.rsplit('/').next()).unwrap_or("");
    format!("{} {file}:{}", step.text, place.line)
}

/// As wide as the longest text of each. Where the terminal is narrower, those that want more than their share get the same.
fn widths(finding: &Finding, width: usize) -> Vec<usize> {
    let wanted = |number: usize| {
        let own = finding.steps.iter().filter(|step| step.thread == number);
        let texts = own.map(|step| text(finding, step).chars().count());
        texts.max().unwrap_or(0).max(finding.threads[number].name.chars().count())
    };
    let wanted: Vec<usize> = (0..finding.threads.len()).map(wanted).collect();
    let room = width.saturating_sub(BETWEEN * wanted.len().saturating_sub(1));
    let fits = |most: &usize| wanted.iter().map(|wanted| wanted.min(most)).sum::<usize>() <= room;
    let widest = wanted.iter().copied().max().unwrap_or(0);
    let most = (NARROWEST..=widest.max(NARROWEST)).rev().find(fits).unwrap_or(NARROWEST);
    wanted.into_iter().map(|wanted| wanted.min(most)).collect()
}

/// One row of cells, on as many lines as the longest of them takes.
fn row(cells: &[String], widths: &[usize], paint: &dyn Fn(&str) -> String, out: &mut dyn Write) -> io::Result<()> {
    let cells: Vec<Vec<String>> = cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
    for number in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::from("      ");
        for (cell, width) in cells.iter().zip(widths) {
            let text = cell.get(number).map_or("", String::as_str);
            line += &if text.is_empty() { String::new() } else { paint(text) };
            line += &" ".repeat(width - text.chars().count() + BETWEEN);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The lines of a text that is to be no wider, broken between words where that is possible; all but the first indented.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        while let Some(last) = lines.last_mut() {
            let used = last.chars().count();
            let space = usize::from(!last.trim().is_empty());
            if used + space + word.len() <= width {
                last.extend(std::iter::repeat_n(' ', space).chain(word));
                break;
            }
            if space == 0 {
                last.extend(word.drain(..(width - used).min(word.len())));
            }
            lines.push(" ".repeat(INDENT));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn texts_are_broken_between_words_and_nothing_is_lost() {
        assert_eq!(wrapped("locks m :6", 10), ["locks m :6"]);
        assert_eq!(wrapped("waits for `fork`, held by t1 :9", 16), ["waits for", "  `fork`, held", "  by t1 :9"]);
        assert_eq!(wrapped("loads a_very_long_name :7", 10), ["loads", "  a_very_l", "  ong_name", "  :7"]);
        assert_eq!(wrapped("", 10), [""]);
    }
}
