//! Text in a page. Names of threads, files and programs are an attacker's strings.

use crate::visible::visible;

/// A text, between tags or in quotation marks.
pub(super) fn text(plain: &str) -> String {
    let mut escaped = String::with_capacity(plain.len());
    for c in visible(plain).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A sentence: what stands between backquotes is code.
pub(super) fn prose(plain: &str) -> String {
    let parts: Vec<&str> = plain.split('`').collect();
    // A backquote that is never closed is one.
    if parts.len().is_multiple_of(2) {
        return text(plain);
    }
    let part = |(number, part): (usize, &&str)| match number % 2 {
        0 => text(part),
        _ => format!("<code>{}</code>", text(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{prose, text};

    #[test]
    fn nothing_gets_out_of_its_text() {
        assert_eq!(text("<a href=\"x\" o='y'>&\u{1b}"), "&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;␛");
        assert_eq!(prose("locks `a<b>`, then"), "locks <code>a&lt;b&gt;</code>, then");
        assert_eq!(prose("one ` only"), "one ` only");
    }
}
