//! A place with its source line, and what the thread does there.

use std::io::{self, Write};

use super::Style;
use super::columns::{NARROWEST, wrapped};
use crate::model::{Finding, Frame, Lock, Site};

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
            let line = style.frame(&format!("{:gutter$}", top.line));
            writeln!(out, "{blank} {bar}\n{line} {bar} {}", source.trim_end().replace('\t', TAB))?;
            let (start, length) = caret(source, top.column);
            let (indent, marks) = (" ".repeat(start), "^".repeat(length));
            // What does not fit behind the marks stands below them.
            if gutter + 3 + start + length + 1 + doing.chars().count() <= style.width {
                writeln!(out, "{blank} {bar} {indent}{}", style.error(&format!("{marks} {doing}")))?;
            } else {
                writeln!(out, "{blank} {bar} {indent}{}", style.error(&marks))?;
                let room = style.width.saturating_sub(gutter + 3 + start).max(NARROWEST);
                for line in wrapped(&doing, room) {
                    writeln!(out, "{blank} {bar} {indent}{}", style.error(&line))?;
                }
            }
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
    let name = |lock: &Lock| format!("{}{}", lock.name, if lock.shared { " for reading" } else { "" });
    let names: Vec<String> = site.locks.iter().map(name).collect();
    if names.is_empty() { String::new() } else { format!(", holding {}", names.join(", ")) }
}

/// A tab is shown as so many blanks.
const TAB: &str = "    ";

/// Where the marks begin and how many there are: those of the statement that the column is in, or all of the line but for
/// its comment. As shown: with blanks for tabs.
fn caret(source: &str, column: u32) -> (usize, usize) {
    let line: Vec<char> = code(source).chars().collect();
    let byte = (column as usize).wrapping_sub(1);
    let at = source.char_indices().position(|(start, _)| start == byte).filter(|at| *at < line.len());
    let (mut start, mut end) = at.map_or((0, line.len()), |at| statement(&line, at));
    while start < end && line[start].is_whitespace() {
        start += 1;
    }
    while start < end && line[end - 1].is_whitespace() {
        end -= 1;
    }
    let shown = |chars: &[char]| chars.iter().map(|c| if *c == '\t' { TAB.len() } else { 1 }).sum::<usize>();
    (shown(&line[..start]), shown(&line[start..end]).max(1))
}

/// The bounds of the statement around a place: as far as the next semicolons, braces, and parentheses that are around it.
/// What compilers place at the word `for` may be any part of the loop's head.
fn statement(line: &[char], at: usize) -> (usize, usize) {
    let rest = &line[at..];
    if rest.starts_with(&['f', 'o', 'r']) && matches!(rest.get(3), Some(' ' | '(')) {
        return (0, line.len());
    }
    let closes = line[at] == ')';
    let (mut start, mut depth) = (at, i32::from(closes));
    while start > 0 {
        match line[start - 1] {
            ';' | '{' | '}' => break,
            ')' => depth += 1,
            '(' if depth == 0 => break,
            '(' => depth -= 1,
            _ => {}
        }
        start -= 1;
    }
    let (mut end, mut depth) = (at + usize::from(closes), 0);
    while end < line.len() {
        match line[end] {
            ';' => return (start, end + 1),
            '{' | '}' => break,
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            _ => {}
        }
        end += 1;
    }
    (start, end)
}

/// The line without a comment at its end.
fn code(line: &str) -> &str {
    let trimmed = line.trim_end();
    let mut quote = None;
    let mut chars = trimmed.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '/') if at > 0 && next == Some('/') => return &trimmed[..at],
            (None, '/') if at > 0 && next == Some('*') && is_last_comment(&trimmed[at..]) => return &trimmed[..at],
            _ => {}
        }
    }
    trimmed
}

/// Does the comment that begins here reach to the end of the line?
fn is_last_comment(text: &str) -> bool {
    text.find("*/").is_none_or(|end| end + 2 == text.len())
}

#[cfg(test)]
mod tests {
    use super::caret;

    #[test]
    fn comments_are_not_marked() {
        assert_eq!(caret("    count++; // why", 0), (4, 8));
        assert_eq!(caret("    f(\"//\"); /* a */", 0), (4, 8));
        assert_eq!(caret("    a /* b */ = 1; /* no", 0), (4, 14));
        assert_eq!(caret("// all of it", 0), (0, 12));
    }

    #[test]
    fn marks_stand_under_the_statement() {
        assert_eq!(caret("    count++;", 5), (4, 8));
        assert_eq!(caret("    count++;", 0), (4, 8));
        assert_eq!(caret("    lock(&m); count++; // why", 15), (14, 8));
        assert_eq!(caret("    for (int i = 0; i < 2; i++) {", 28), (27, 3));
        assert_eq!(caret("    for (int i = 0; i < 2; i++) {", 5), (4, 29));
        assert_eq!(caret("    if (!ready)", 10), (8, 6));
        assert_eq!(caret("    lock_guard<mutex> two(m);", 28), (4, 25));
        assert_eq!(caret("    go([] { count()++; });", 20), (12, 10));
        assert_eq!(caret("    memcpy(to, from(1), 3);", 5), (4, 23));
        assert_eq!(caret("\tx = 1;", 4), (4, 6));
        assert_eq!(caret("x", 9), (0, 1));
    }
}
