//! Files and functions stay short enough to read.

use super::Text;

/// A longer file should be split, unless it is a table or generated and its first line says so.
const FILE: usize = 800;
/// At most one function in twenty of the repository is longer than this.
const FUNCTION: usize = 50;

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
    let first = text.text.lines().next().unwrap_or_default().to_lowercase();
    let excused = first.contains("table") || first.contains("generated");
    (lines > FILE && !excused).then(|| format!("{}: {lines} lines; {FILE} is the limit", text.path.display()))
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
    use super::functions;

    #[test]
    fn functions_are_measured() {
        let text = "fn a() {\n    x\n}\n\nimpl X {\n    pub fn b<T>(\n        t: T,\n    ) {\n    }\n}\n// fn c()\n";
        assert_eq!(functions(text), [3, 4]);
    }
}
