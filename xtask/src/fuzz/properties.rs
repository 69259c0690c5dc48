//! Files of properties, valid and invalid: each is read or refused with its place, and what is read can be run.

use super::random::Random;
use foretrace_property::{Datum, Letter, Properties, violations};

const WORDS: [&str; 44] = [
    "never",
    "after",
    "until",
    "before",
    "at",
    "most",
    "one",
    "holder",
    "of",
    "comes",
    "anything",
    "but",
    "atomic",
    "against",
    "serialisable",
    "in",
    "or",
    "states",
    "property",
    "a",
    "b",
    "c",
    "use",
    "free",
    "x",
    "_",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    ":",
    "@",
    "!",
    "->",
    "...",
    "..",
    "1",
    "-1",
    "0x10",
    "\"text\"",
    "\n",
    "#",
];

const RULES: [&str; 7] = [
    "never a(x) after b(x) until c(x)",
    "a(x) before b(x) before c(x)",
    "at most one holder of a(x) until b(x)",
    "after a comes b before anything but c(_)",
    "atomic a(x) ... b(x) against c(x)",
    "serialisable a(x), b(x) in c ... d",
    "states { one: a(x) -> two\n two: b(x) -> one, c(x) -> two }",
];

/// One file.
pub(super) fn once(random: &mut Random) {
    let text = if random.below(2) == 0 { words(random) } else { damaged(random) };
    let Ok(properties) = text.parse::<Properties>() else { return };
    let letters: Vec<Letter> = (0..8).map(|number| letter(number, random)).collect();
    let run: Vec<u32> = (0..40).map(|_| random.below(8) as u32).collect();
    for template in properties.templates() {
        let _ = violations(template, &letters, &run, 1000);
    }
}

fn letter(number: usize, random: &mut Random) -> Letter {
    let name = ["a", "b", "c", "d"][number % 4];
    let values = (0..random.below(3)).map(|_| Datum::Number(random.below(2) as i64)).collect();
    Letter { thread: random.below(2) as u32, name: name.into(), values }
}

fn words(random: &mut Random) -> String {
    let word = |random: &mut Random| WORDS[random.below(WORDS.len())];
    let count = random.below(40);
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

/// A good rule in which one place is changed.
fn damaged(random: &mut Random) -> String {
    let rule = RULES[random.below(RULES.len())];
    let at = random.below(rule.len());
    let word = WORDS[random.below(WORDS.len())];
    format!("{} {word} {}", &rule[..at], &rule[at..])
}
