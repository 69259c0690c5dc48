//! Which part of a line of C or C++ is meant by a column.

use std::ops::Range;

/// Words whose parentheses are followed by a statement of its own.
const HEADS: [&str; 4] = ["for", "if", "while", "switch"];

/// The bytes of the statement that a column, from 1, is in: as far as the next semicolons and braces, and the parentheses
/// around it. All of the line but for a comment at its end, if the column is none of its.
pub(crate) fn range(line: &str, column: u32) -> Range<usize> {
    let code = Code::of(line);
    let at = (column as usize).wrapping_sub(1);
    let (mut start, mut end) = (0, code.end);
    if at < code.end && line.is_char_boundary(at) && !code.begins_loop(at) {
        (start, end) = (code.start_of(at), code.end_of(at));
    }
    while code.is_blank(start) && (start..end).any(|at| !code.is_blank(at)) {
        start += 1;
    }
    start..start + line[start..end].trim_end().len()
}

/// A line, and what each of its bytes is.
struct Code<'a> {
    line: &'a [u8],
    parts: Vec<Part>,
    /// Where the comment at its end begins, if it has one.
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Literal,
    Comment,
}

impl<'a> Code<'a> {
    fn of(line: &'a str) -> Self {
        let end = line.trim_end().len();
        let mut code = Self { line: line.as_bytes(), parts: vec![Part::Code; line.len()], end };
        let mut at = 0;
        while at < end {
            let next = code.skip(at);
            let part = match code.line[at] {
                _ if next == at + 1 => Part::Code,
                b'/' => Part::Comment,
                _ => Part::Literal,
            };
            code.parts[at..next].fill(part);
            if part == Part::Comment && next == end && !line[..at].trim().is_empty() {
                code.end = at;
            }
            at = next;
        }
        code
    }

    /// Behind the literal or the comment that begins here, or the byte.
    fn skip(&self, at: usize) -> usize {
        let rest = &self.line[at..self.end];
        let length = match rest {
            [quote @ (b'"' | b'\''), ..] if !self.is_in_number(at) => literal(rest, *quote),
            [b'/', b'/', ..] => rest.len(),
            [b'/', b'*', body @ ..] => body.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4),
            _ => 1,
        };
        at + length
    }

    /// Is the quote one between digits, as in `1'000`?
    fn is_in_number(&self, at: usize) -> bool {
        self.line[at] == b'\'' && at > 0 && self.line[at - 1].is_ascii_hexdigit()
    }

    /// The byte, if it is code.
    fn at(&self, at: usize) -> u8 {
        if self.parts[at] == Part::Code { self.line[at] } else { b' ' }
    }

    fn is_blank(&self, at: usize) -> bool {
        self.parts.get(at) == Some(&Part::Comment) || self.line.get(at).is_some_and(u8::is_ascii_whitespace)
    }

    /// What compilers place at the word `for` may be any part of the loop's head.
    fn begins_loop(&self, at: usize) -> bool {
        self.parts[at] == Part::Code
            && self.line[at..].starts_with(b"for")
            && matches!(self.line.get(at + 3), Some(b' ' | b'('))
    }

    fn start_of(&self, at: usize) -> usize {
        let mut depth = i32::from(self.at(at) == b')');
        for before in (1..=at).rev() {
            match self.at(before - 1) {
                b';' | b'{' | b'}' | b'(' if depth == 0 => return before,
                b')' if depth == 0 && self.closes_head(before - 1) => return before,
                b')' | b'}' => depth += 1,
                b'(' | b'{' => depth -= 1,
                _ => {}
            }
        }
        0
    }

    fn end_of(&self, at: usize) -> usize {
        let mut depth = 0;
        for after in at + usize::from(self.at(at) == b')')..self.end {
            match self.at(after) {
                b';' if depth == 0 => return after + 1,
                b'{' | b'}' | b')' if depth == 0 => return after,
                b'(' | b'{' => depth += 1,
                b')' | b'}' => depth -= 1,
                _ => {}
            }
        }
        self.end
    }

    /// Is this the last parenthesis of `if (…)` or the like?
    fn closes_head(&self, close: usize) -> bool {
        let mut depth = 0;
        for open in (0..=close).rev() {
            match self.at(open) {
                b')' => depth += 1,
                b'(' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let before = self.line[..open].trim_ascii_end();
                let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let word = before.iter().rposition(|byte| !is_letter(byte)).map_or(0, |last| last + 1);
                return HEADS.iter().any(|head| head.as_bytes() == &before[word..]);
            }
        }
        false
    }
}

/// How long the literal is that begins here.
fn literal(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::range;

    /// What is marked of a line if the compiler means the place of `|`.
    fn marked(line: &str) -> String {
        let column = line.find('|').map_or(0, |at| at + 1);
        let line = line.replacen('|', "", 1);
        line[range(&line, u32::try_from(column).unwrap())].to_owned()
    }

    #[test]
    fn comments_are_not_marked() {
        assert_eq!(marked("    count++; // why"), "count++;");
        assert_eq!(marked("    f(\"//\"); /* a */"), "f(\"//\");");
        assert_eq!(marked("    a /* b */ = 1; /* no"), "a /* b */ = 1;");
        assert_eq!(marked("// all of it"), "// all of it");
        assert_eq!(marked("  /* 日本 */ x|++;"), "x++;");
        assert_eq!(marked(""), "");
    }

    #[test]
    fn the_statement_around_the_place_is_marked() {
        assert_eq!(marked("    |count++;"), "count++;");
        assert_eq!(marked("    lock(&m); |count++; // why"), "count++;");
        assert_eq!(marked("    for (int i = 0; i < 2; |i++) {"), "i++");
        assert_eq!(marked("    |for (int i = 0; i < 2; i++) {"), "for (int i = 0; i < 2; i++) {");
        assert_eq!(marked("    if (!|ready)"), "!ready");
        assert_eq!(marked("    lock_guard<mutex> two(m|);"), "lock_guard<mutex> two(m);");
        assert_eq!(marked("    go([] { count()|++; });"), "count()++;");
        assert_eq!(marked("    |memcpy(to, from(1), 3);"), "memcpy(to, from(1), 3);");
        assert_eq!(marked("\tx |= 1;"), "x = 1;");
        assert_eq!(range("x", 9), 0..1);
    }

    #[test]
    fn what_follows_a_head_is_a_statement_of_its_own() {
        assert_eq!(marked("for(int i=0;i<30;i++) sum|+=i;"), "sum+=i;");
        assert_eq!(marked("    if (f(x)) y|++;"), "y++;");
        assert_eq!(marked("    notify(f(x)) + y|++;"), "notify(f(x)) + y++;");
    }

    #[test]
    fn literals_have_no_statements_in_them() {
        assert_eq!(marked(r#"  printf("a;b (c %d\n", |x);"#), r#""a;b (c %d\n", x"#);
        assert_eq!(marked(r#"  |printf("a;b (c %d\n", x);"#), r#"printf("a;b (c %d\n", x);"#);
        assert_eq!(marked(r"  c |= '\''; d = ';';"), r"c = '\'';");
        assert_eq!(marked("  n |= 1'000'000; m = 2;"), "n = 1'000'000;");
        assert_eq!(marked("  größe |= \"ü;\"; m = 2;"), "größe = \"ü;\";");
    }
}
