//! Attributes by which calls of a function may be merged or left out. A function that emits events must not have them.

use crate::text;
use std::collections::BTreeSet;

/// The attributes, without what is in their brackets.
const PURE: [&str; 3] = ["memory(", "readnone", "readonly"];

/// The name of the function in a definition, a declaration or a call, and the text after it.
pub fn named_in(line: &str) -> Option<(&str, &str)> {
    let at = line.match_indices('@').map(|(at, _)| at).find(|at| line[..*at].ends_with(' '))?;
    text::name(&line[at + 1..])
}

/// The groups of attributes in a text, such as `#3`.
pub fn groups(tail: &str) -> impl Iterator<Item = &str> {
    let words = tail.split([' ', ',', '\n', '{']);
    words.filter(|word| word.strip_prefix('#').is_some_and(|rest| rest.parse::<u32>().is_ok()))
}

/// A group of attributes without these promises, if it is one of `groups` and has one.
pub fn without(line: &str, groups: &BTreeSet<String>) -> Option<String> {
    let (group, attributes) = line.strip_prefix("attributes ")?.split_once(" = ")?;
    if !groups.contains(group) {
        return None;
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut skipping = false;
    for word in attributes.split(' ') {
        let is_pure = skipping || PURE.iter().any(|pure| word.starts_with(pure));
        skipping = is_pure && (skipping || word.starts_with("memory(")) && !word.ends_with(')');
        if !is_pure {
            kept.push(word);
        }
    }
    (kept.len() != attributes.split(' ').count()).then(|| format!("attributes {group} = {}", kept.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_promises_go() {
        let groups: BTreeSet<String> = ["#3".to_owned()].into();
        let line = "attributes #3 = { nounwind willreturn memory(argmem: readwrite, inaccessiblemem: read) uwtable }";
        assert_eq!(without(line, &groups).unwrap(), "attributes #3 = { nounwind willreturn uwtable }");
        assert_eq!(without("attributes #4 = { memory(none) }", &groups), None);
        assert_eq!(without("attributes #3 = { nounwind }", &groups), None);
        let (name, tail) = named_in("  %2 = call i32 @pure(i32 3) #6, !dbg !7").unwrap();
        assert_eq!((name, super::groups(tail).collect::<Vec<_>>()), ("pure", vec!["#6"]));
    }
}
