//! A place with its source line, and what the thread does there.

use std::io::{self, Write};

use super::Style;
use crate::model::{Finding, Frame, Site};

/// How many calls are listed.
const CALLS: usize = 8;

/// Writes the place of one thread.
pub(super) fn write(finding: &Finding, site: &Site, first: bool, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let unknown = Frame::default();
    let top = site.top().unwrap_or(&unknown);
    let gutter = top.line.to_string().len().max(3);
    let blank = " ".repeat(gutter);
    let bar = style.frame("|");
    let arrow = if first { "-->" } else { ":::" };
    let column = if top.column > 0 { format!(":{}", top.column) } else { String::new() };
    writeln!(out, "{blank}{} {}{column} in {}", style.frame(arrow), top.short(), top.name())?;
    let doing = format!("{} {}{}", finding.thread_of(site), site.doing, holding(site));
    match &top.source {
        Some(source) => {
            let source = source.replace('\t', "    ");
            let line = style.frame(&format!("{:gutter$}", top.line));
            writeln!(out, "{blank} {bar}\n{line} {bar} {}", source.trim_end())?;
            let (start, length) = caret(&source, top.column);
            let marks = style.error(&format!("{} {doing}", "^".repeat(length)));
            writeln!(out, "{blank} {bar} {}{marks}", " ".repeat(start))?;
        }
        None => writeln!(out, "{blank} {bar} {}", style.error(&doing))?,
    }
    for frame in calls(site, top) {
        writeln!(out, "{blank} {bar} called from {} in {}", frame.short(), frame.name())?;
    }
    writeln!(out, "{blank} {bar}")
}

/// The calls around the one that is shown; those of headers between a program's own are left out.
fn calls<'a>(site: &'a Site, top: &'a Frame) -> impl Iterator<Item = &'a Frame> {
    let outer = site.stack.iter().skip_while(move |frame| *frame != top).skip(1);
    outer.filter(move |frame| frame.is_own() || !top.is_own()).take(CALLS)
}

fn holding(site: &Site) -> String {
    if site.locks.is_empty() { String::new() } else { format!(", holding {}", site.locks.join(", ")) }
}

/// Where the marks begin and how many there are: the word at the column, or all of the line.
fn caret(source: &str, column: u32) -> (usize, usize) {
    let indent = source.chars().take_while(|c| c.is_whitespace()).count();
    let whole = (indent, source.trim().chars().count().max(1));
    let Some(start) = (column as usize).checked_sub(1).filter(|start| *start >= indent) else { return whole };
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    let length = source.chars().skip(start).take_while(word).count();
    if start >= source.trim_end().chars().count() { whole } else { (start, length.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::caret;

    #[test]
    fn marks_stand_under_the_word() {
        assert_eq!(caret("    count++;", 5), (4, 5));
        assert_eq!(caret("    count++;", 0), (4, 8));
        assert_eq!(caret("    a = b;", 7), (6, 1));
        assert_eq!(caret("x", 9), (0, 1));
    }
}
