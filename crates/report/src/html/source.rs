//! Lines of C and C++ in colours, and excerpts of files.

use std::fmt::Write;

use super::escape::text;
use crate::model::{Excerpt, Picture};

const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "atomic_int",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "final",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "override",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "_Atomic",
    "_Bool",
    "_Thread_local",
];

/// What the lines before have left open.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct State {
    in_comment: bool,
}

/// A line as HTML.
pub(super) fn coloured(line: &str, state: &mut State) -> String {
    let mut html = String::new();
    let mut rest = line;
    if rest.trim_start().starts_with('#') && !state.in_comment {
        return span("p", rest);
    }
    while !rest.is_empty() {
        let (class, length) = token(rest, state);
        let (one, behind) = rest.split_at(length);
        html += &class.map_or_else(|| text(one), |class| span(class, one));
        rest = behind;
    }
    html
}

fn span(class: &str, of: &str) -> String {
    format!("<i class=\"{class}\">{}</i>", text(of))
}

/// What the text begins with, and how long that is; it is not empty.
fn token(rest: &str, state: &mut State) -> (Option<&'static str>, usize) {
    let first = rest.chars().next().unwrap_or(' ');
    if state.in_comment || rest.starts_with("/*") {
        return (Some("c"), comment(rest, state));
    }
    if rest.starts_with("//") {
        return (Some("c"), rest.len());
    }
    if first == '"' || first == '\'' {
        return (Some("s"), quoted(rest, first));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    match word {
        0 => (None, first.len_utf8()),
        _ if first.is_ascii_digit() => (Some("n"), word),
        _ if KEYWORDS.contains(&&rest[..word]) => (Some("k"), word),
        _ => (None, word),
    }
}

fn comment(rest: &str, state: &mut State) -> usize {
    let from = if state.in_comment { 0 } else { 2 };
    let end = rest[from..].find("*/").map(|at| from + at + 2);
    state.in_comment = end.is_none();
    end.unwrap_or(rest.len())
}

fn quoted(rest: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == mark && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// Lines around one, with that one marked; empty if the source is not known.
pub(super) fn around(picture: Option<&Picture>, file: &str, line: u32, context: u32) -> String {
    let Some(excerpt) = picture.and_then(|picture| picture.excerpt(file, line)) else { return String::new() };
    let wanted = line.saturating_sub(context)..=line + context;
    let mut html = String::from("<pre class=\"code\" tabindex=\"0\">");
    rows(excerpt, |number| wanted.contains(&number), line, &mut html);
    html + "</pre>"
}

/// All lines of an excerpt. The lines have their numbers as data, so that the script finds them.
pub(super) fn whole(excerpt: &Excerpt) -> String {
    let mut html = format!("<pre class=\"code\" tabindex=\"0\" data-file=\"{}\">", text(&excerpt.file));
    rows(excerpt, |_| true, 0, &mut html);
    html + "</pre>"
}

fn rows(excerpt: &Excerpt, wanted: impl Fn(u32) -> bool, marked: u32, html: &mut String) {
    let mut state = State::default();
    for (number, line) in (excerpt.first..).zip(&excerpt.lines) {
        let line = coloured(line, &mut state);
        if wanted(number) {
            let mark = if number == marked { " here" } else { "" };
            let _ = write!(html, "<span class=\"l{mark}\" data-l=\"{number}\"><b>{number}</b> {line}</span>");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{State, coloured};

    fn check(lines: &[(&str, &str)]) {
        let mut state = State::default();
        for (line, html) in lines {
            assert_eq!(coloured(line, &mut state), *html);
        }
    }

    #[test]
    fn words_are_coloured_and_comments_go_on() {
        check(&[
            (
                "int x1 = 0x1f; // <b>",
                "<i class=\"k\">int</i> x1 = <i class=\"n\">0x1f</i>; <i class=\"c\">// &lt;b&gt;</i>",
            ),
            ("a(\"\\\"/*\"); /* b", "a(<i class=\"s\">&quot;\\&quot;/*&quot;</i>); <i class=\"c\">/* b</i>"),
            ("int */ é'", "<i class=\"c\">int */</i> é<i class=\"s\">&#39;</i>"),
            (" #include <a>", "<i class=\"p\"> #include &lt;a&gt;</i>"),
        ]);
    }
}
