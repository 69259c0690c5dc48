//! Files and functions stay short enough to read.

use super::Text;

/// A longer file should be split where its parts know least of each other. Tables are no exception: none is longer.
const FILE: usize = 400;
/// At most one function in twenty of the repository is longer than this.
const FUNCTION: usize = 25;

/// Every file that is too long, and one complaint if too many functions are.
pub fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints: Vec<String> = texts.iter().filter(|text| text.is_rust()).filter_map(long_file).collect();
    let mut lengths: Vec<usize> =
        texts.iter().filter(|text| text.is_rust()).flat_map(|text| functions(&text.text)).collect();
    lengths.sort_unstable();
    let at_95 = lengths.get(lengths.len() * 95 / 100).copied().unwrap_or(0);
    if at_95 > FUNCTION {
        complaints.push(format!("one function in twenty is longer than {at_95} lines; {FUNCTION} is the limit"));
    }
    complaints
}

fn long_file(text: &Text) -> Option<String> {
    let lines = text.text.lines().count();
    (lines > FILE).then(|| format!("{}: {lines} lines; {FILE} is the limit", text.path.display()))
}

/// The lengths of the functions: from the line with `fn` to the closing brace at the same indentation.
fn functions(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len()).filter_map(|at| length(&lines, at)).collect()
}

fn length(lines: &[&str], at: usize) -> Option<usize> {
    let indent = lines[at].len() - lines[at].trim_start().len();
    let begins = lines[at].trim_start().split(['(', '<']).next().is_some_and(|head| {
        head.split_whitespace().any(|word| word == "fn") && !head.contains("//") && !head.contains('"')
    });
    let closing = format!("{}}}", " ".repeat(indent));
    let body = lines[at + 1..].iter().position(|line| **line == closing)?;
    (begins && !lines[at].ends_with(';') && !lines[at].ends_with('}')).then_some(body + 2)
}

#[cfg(test)]
mod tests {
    use super::{FILE, Text, check, functions};

    #[test]
    fn long_files_are_found() {
        let file = |path: &str, lines| Text { path: path.into(), text: "// A line.\n".repeat(lines) };
        let texts = [file("a.rs", FILE), file("b.rs", FILE + 1), file("c.md", FILE + 1)];
        assert_eq!(check(&texts), ["b.rs: 401 lines; 400 is the limit"]);
    }

    #[test]
    fn functions_are_measured() {
        let text = "fn a() {\n    x\n}\n\nimpl X {\n    pub fn b<T>(\n        t: T,\n    ) {\n    }\n}\n// fn c()\n";
        assert_eq!(functions(text), [3, 4]);
    }
}
