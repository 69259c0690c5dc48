//! Strings that do not belong in the repository: paths of one machine, postponed work, disabled tests.

use super::Text;

/// Each is written in two halves, so that this file passes its own check.
const WORDS: [(&str, &str, &str); 7] = [
    ("/tmp/", "wt/", "a path of one machine"),
    ("/wo", "rk/", "a path of one machine"),
    ("/ro", "ot/", "a path of one machine"),
    ("TO", "DO", "work put off"),
    ("FIX", "ME", "work put off"),
    ("todo", "!(", "work put off"),
    ("#[ign", "ore", "a test switched off"),
];

/// Every line with such a string.
pub fn check(texts: &[Text]) -> Vec<String> {
    texts.iter().flat_map(complaints).collect()
}

fn complaints(text: &Text) -> Vec<String> {
    let numbered = text.text.lines().zip(1..);
    let found = numbered.flat_map(|(line, number)| {
        let words = WORDS.iter().filter(move |(head, tail, _)| line.contains(&format!("{head}{tail}")));
        words.map(move |(_, _, why)| format!("{}:{number}: {why}", text.path.display()))
    });
    found.collect()
}
