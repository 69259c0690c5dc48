//! A place with its source line, and what the thread does there.

use std::io::{self, Write};
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::Style;
use super::columns::wrapped;
use crate::model::{Finding, Frame, Site};
use crate::statement;
use crate::visible::visible;
use crate::words::{self, listed};

/// How many calls are listed.
const CALLS: usize = 8;
/// A source line gets so many columns, whatever the terminal.
const NARROWEST: usize = 24;
/// Columns that are shown behind the marks of a line that is cut.
const BEHIND: usize = 8;

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
    let doing = format!("{} {}{}", finding.thread_of(site), words::act(&site.does), holding(site));
    let room = style.width.saturating_sub(gutter + 3).max(NARROWEST);
    let lines = match &top.source {
        Some(source) => {
            let shown = Shown::new(source, top.column, room);
            let line = style.frame(&format!("{:gutter$}", top.line));
            writeln!(out, "{blank} {bar}\n{line} {bar} {}", shown.text)?;
            shown.label(&doing, room)
        }
        None => wrapped(&doing, room),
    };
    for line in lines {
        let text = line.trim_start();
        writeln!(out, "{blank} {bar} {}{}", " ".repeat(line.len() - text.len()), style.error(text))?;
    }
    for frame in calls(site, top) {
        writeln!(out, "{blank} {bar} called from {} in {}", frame.short(), frame.name())?;
    }
    writeln!(out, "{blank} {bar}")
}

/// Writes who else is at the place that was written last.
pub(super) fn write_others(finding: &Finding, others: &[&Site], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if others.is_empty() {
        return Ok(());
    }
    let mut others = others.to_vec();
    others.sort_by_key(|site| site.thread);
    let names: Vec<&str> = others.iter().map(|site| finding.thread_of(site)).collect();
    let more =
        if others.len() == 1 { "one more thread is".to_owned() } else { format!("{} more threads are", others.len()) };
    writeln!(out, "    {} {more} at this place: {}", style.frame("|"), listed(&names))?;
    writeln!(out, "    {}", style.frame("|"))
}

/// The calls around the one that is shown; those of headers between a program's own are left out.
fn calls<'a>(site: &'a Site, top: &'a Frame) -> impl Iterator<Item = &'a Frame> {
    let outer = site.stack.iter().skip_while(move |frame| *frame != top).skip(1);
    outer.filter(move |frame| frame.is_own() || !top.is_own()).take(CALLS)
}

fn holding(site: &Site) -> String {
    let names: Vec<String> = site.locks.iter().map(words::lock).collect();
    if names.is_empty() { String::new() } else { format!(", holding {}", names.join(", ")) }
}

/// A line as it is shown, and which columns of that are marked.
struct Shown {
    text: String,
    marks: Range<usize>,
}

impl Shown {
    /// Of a line that is too wide, the part around the marks.
    fn new(source: &str, column: u32, room: usize) -> Self {
        let marked = statement::range(source, column);
        let [before, within, behind] =
            [&source[..marked.start], &source[marked.clone()], source[marked.end..].trim_end()].map(visible);
        let start = before.width();
        let end = start + within.width();
        let text = [before, within, behind].concat();
        if text.width() <= room {
            return Self { text, marks: start..end.max(start + 1) };
        }
        let wanted = (end + BEHIND).min(text.width()).saturating_sub(room).min(start.saturating_sub(1));
        let (text, left) = cut(&text, wanted, room);
        let within = |column: usize| column.saturating_sub(left).clamp(usize::from(left > 0), room - 1);
        let start = within(start);
        Self { text, marks: start..within(end).max(start + 1) }
    }

    /// The marks and what is said of them: beside them if there is room, else below.
    fn label(&self, text: &str, room: usize) -> Vec<String> {
        let indent = " ".repeat(self.marks.start);
        let marks = "^".repeat(self.marks.len());
        if self.marks.end + 1 + text.width() <= room {
            return vec![format!("{indent}{marks} {text}")];
        }
        // Under their beginning; if that is far to the right, so far to the left of it that the text takes one line.
        let far = self.marks.start > room / 2;
        let start = if far { self.marks.start.min(room.saturating_sub(text.width())) } else { self.marks.start };
        let below = wrapped(text, room - start).into_iter().map(|line| format!("{}{line}", " ".repeat(start)));
        std::iter::once(format!("{indent}{marks}")).chain(below).collect()
    }
}

/// So many columns of a text from a column on, with `…` where something is missing; and how far to the left it has moved.
fn cut(text: &str, from: usize, room: usize) -> (String, usize) {
    let mut kept = String::new();
    let (mut at, mut left) = (0, 0);
    for c in text.chars() {
        let width = c.to_string().width();
        if at < from + usize::from(from > 0) {
            left = at + width;
        } else if at + width < from + room {
            kept.push(c);
        }
        at += width;
    }
    let ahead = if from > 0 { "…" } else { "" };
    let behind = if at >= from + room { "…" } else { "" };
    (format!("{ahead}{kept}{behind}"), left - usize::from(from > 0))
}

#[cfg(test)]
mod tests {
    use super::Shown;

    /// The line, and below it the marks with their text.
    fn shown(source: &str, column: u32, room: usize) -> String {
        let shown = Shown::new(source, column, room);
        std::iter::once(shown.text.clone()).chain(shown.label("t1 writes it", room)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn marks_stand_under_the_statement() {
        assert_eq!(shown("    count++; // why", 5, 80), "    count++; // why\n    ^^^^^^^^ t1 writes it");
        assert_eq!(shown("\tx = 1;", 2, 80), "    x = 1;\n    ^^^^^^ t1 writes it");
        assert_eq!(shown("", 0, 80), "\n^ t1 writes it");
    }

    #[test]
    fn wide_characters_take_two_columns_and_controls_are_visible() {
        assert_eq!(shown("/* 日本 */ x++;", 15, 80), "/* 日本 */ x++;\n           ^^^^ t1 writes it");
        assert_eq!(shown("s = \"\u{1b}[31m\"; x++;", 14, 80), "s = \"␛[31m\"; x++;\n             ^^^^ t1 writes it");
    }

    #[test]
    fn long_lines_are_cut_around_the_marks() {
        let line = format!("{} count++; {}", "a();".repeat(10), "b();".repeat(10));
        let text = shown(&line, 42, 30);
        assert_eq!(text, "…a();a();a(); count++; b();b(…\n              ^^^^^^^^\n              t1 writes it");
        assert_eq!(shown(&line, 1, 30), "a();a();a();a();a();a();a();a…\n^^^^ t1 writes it");
        let all = format!("x = {};", "f() + ".repeat(20));
        assert_eq!(shown(&all, 1, 24), "x = f() + f() + f() + f…\n^^^^^^^^^^^^^^^^^^^^^^^\nt1 writes it");
    }

    #[test]
    fn what_stands_below_far_marks_is_not_a_strip() {
        let line = format!("{}count++;", " ".repeat(60));
        let text = Shown::new(&line, 61, 70).label("t1 waits for `m[0]`, held by t2, holding `m[1]`", 70);
        assert_eq!(text[1], format!("{}t1 waits for `m[0]`, held by t2, holding `m[1]`", " ".repeat(23)));
    }
}
