//! The interleaving: one column a thread, one row a step.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::Style;
use super::groups;
use crate::model::{Finding, Step};
use crate::words;

/// A column is not narrower, whatever the terminal.
const NARROWEST: usize = 16;
/// Blanks before a row.
const MARGIN: usize = 6;
/// Blanks between two columns.
const BETWEEN: usize = 2;
/// Blanks before the rest of a text that takes several lines.
const INDENT: usize = 2;
/// More columns than this are not readable side by side.
const MOST: usize = 6;
/// More rows than this are not read.
const LONGEST: usize = 60;

/// Writes the steps that matter.
pub(super) fn write(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if finding.steps.is_empty() {
        return Ok(());
    }
    let happens = if finding.is_confirmed() { "happens" } else { "would happen" };
    writeln!(out, "   {} how it {happens}:", style.frame("="))?;
    let fits = (style.width.saturating_sub(MARGIN) + BETWEEN) / (NARROWEST + BETWEEN);
    let threads = shown(finding);
    let of_shown = finding.steps.iter().filter(|step| threads.contains(&step.thread));
    let steps: Vec<&Step> = of_shown.collect();
    let earlier = steps.len().saturating_sub(LONGEST);
    if earlier > 0 {
        writeln!(out, "      … {earlier} earlier steps")?;
    }
    if threads.len() > fits.max(2) {
        list(finding, &steps[earlier..], style, out)?;
    } else {
        table(finding, &threads, &steps[earlier..], style, out)?;
    }
    let (others, left) = (finding.threads.len() - threads.len(), finding.steps.len() - steps.len());
    if others > 0 {
        writeln!(out, "      … {left} steps of {others} more threads")?;
    }
    Ok(())
}

/// The threads whose steps are shown: all, or as many as can be read, those first whose places are.
fn shown(finding: &Finding) -> Vec<usize> {
    let places = groups::of(finding).into_iter().map(|(site, _)| site.thread);
    let mut threads: Vec<usize> = Vec::new();
    for thread in places.chain(0..finding.threads.len()) {
        if threads.len() < MOST && !threads.contains(&thread) {
            threads.push(thread);
        }
    }
    threads.sort_unstable();
    threads
}

fn table(finding: &Finding, threads: &[usize], steps: &[&Step], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let widths = widths(finding, threads, style.width.saturating_sub(MARGIN));
    let names: Vec<String> = threads.iter().map(|thread| finding.threads[*thread].name.clone()).collect();
    row(&names, &widths, &|text| style.bold(text), out)?;
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    row(&rules, &widths, &|text| style.frame(text), out)?;
    for step in steps {
        let cell = |thread: &usize| if *thread == step.thread { text(finding, step) } else { String::new() };
        let cells: Vec<String> = threads.iter().map(cell).collect();
        row(&cells, &widths, &|text| if step.fails { style.error(text) } else { text.to_owned() }, out)?;
    }
    Ok(())
}

fn list(finding: &Finding, steps: &[&Step], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for step in steps {
        let name = finding.threads.get(step.thread).map_or("?", |thread| &thread.name);
        let line = format!("{name}: {}", text(finding, step));
        writeln!(out, "      {}", if step.fails { style.error(&line) } else { line })?;
    }
    Ok(())
}

/// What is done, and where; in which file, if it is not the one the finding is shown in.
fn text(finding: &Finding, step: &Step) -> String {
    let Some(place) = step.place.as_ref().filter(|place| place.line > 0) else { return words::step(&step.does) };
    let here = finding.place().and_then(|place| place.file.as_ref());
    let file = place.file.as_ref().filter(|file| Some(*file) != here);
    let file = file.and_then(|file| file.rsplit('/').next()).unwrap_or("");
    format!("{} {file}:{}", words::step(&step.does), place.line)
}

/// As wide as the longest text of each. Where the terminal is narrower, those that want more than their share get the same.
fn widths(finding: &Finding, threads: &[usize], width: usize) -> Vec<usize> {
    let wanted = |number: &usize| {
        let own = finding.steps.iter().filter(|step| step.thread == *number);
        let texts = own.map(|step| text(finding, step).width());
        texts.max().unwrap_or(0).max(finding.threads[*number].name.width())
    };
    let wanted: Vec<usize> = threads.iter().map(wanted).collect();
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
        let mut line = " ".repeat(MARGIN);
        for (cell, width) in cells.iter().zip(widths) {
            let text = cell.get(number).map_or("", String::as_str);
            line += &if text.is_empty() { String::new() } else { paint(text) };
            line += &" ".repeat(width.saturating_sub(text.width()) + BETWEEN);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The lines of a text that is to be no wider, broken between words where that is possible; all but the first indented.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        while let Some(last) = lines.last_mut() {
            let used = last.width();
            let space = usize::from(!last.trim().is_empty());
            if used + space + word.width() <= width {
                last.extend(std::iter::repeat_n(' ', space));
                *last += word;
                break;
            }
            if space == 0 {
                let (fits, rest) = split(word, width.saturating_sub(used));
                *last += fits;
                word = rest;
            }
            lines.push(" ".repeat(INDENT));
        }
    }
    lines
}

/// The lines of a text, broken between words only.
pub(super) fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(last) if last.is_empty() => *last += word,
            Some(last) if last.width() + 1 + word.width() <= width => *last += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The beginning of a word that takes so many columns, one character at least, and the rest.
fn split(word: &str, width: usize) -> (&str, &str) {
    let fits = |end: &usize| word[..*end].width() <= width;
    let ends = word.char_indices().skip(1).map(|(at, _)| at);
    let first = word.chars().next().map_or(0, char::len_utf8);
    word.split_at(ends.take_while(fits).last().unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn texts_are_broken_between_words_and_nothing_is_lost() {
        assert_eq!(wrapped("locks m :6", 10), ["locks m :6"]);
        assert_eq!(wrapped("waits for `fork`, held by t1 :9", 16), ["waits for", "  `fork`, held", "  by t1 :9"]);
        assert_eq!(wrapped("loads a_very_long_name :7", 10), ["loads", "  a_very_l", "  ong_name", "  :7"]);
        assert_eq!(wrapped("日本語日本語", 7), ["日本語", "  日本", "  語"]);
        assert_eq!(wrapped("", 10), [""]);
    }
}
