//! The modules of a crate have an order: no module imports itself through the modules that it names.
//!
//! At each level of the tree, a module stands for everything below it. A parent and its own submodules count as one
//! module from outside, and may name each other; dependencies on siblings through the parent's `pub use` are still
//! seen.

use super::Text;
use super::modules::{Crate, Path};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Every group of modules that name each other, in any crate.
pub fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, modules) in crates(texts, &mut complaints) {
        for (parent, graph) in levels(&modules.edges()) {
            let parent = [std::slice::from_ref(&name), &parent].concat().join("::");
            complaints.extend(cycles(&graph).iter().map(|cycle| format!("import cycle in {parent}: {cycle}")));
        }
    }
    complaints
}

/// The crates with their modules, by the names of their folders.
fn crates(texts: &[Text], complaints: &mut Vec<String>) -> BTreeMap<String, Crate> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    let libraries: BTreeSet<_> =
        texts.iter().filter_map(|text| place(text).filter(|(_, file)| *file == "lib.rs")).collect();
    for text in texts.iter().filter(|text| text.is_rust()) {
        let Some((name, file)) = place(text) else { continue };
        // The binary of a crate with a library is a separate crate, of one file.
        if file == "main.rs" && libraries.contains(&(name, "lib.rs")) {
            continue;
        }
        complaints.extend(crates.entry(name.to_owned()).or_default().add(file, text).err());
    }
    crates
}

/// The crate that a file belongs to, and its path there.
fn place(text: &Text) -> Option<(&str, &str)> {
    let (name, file) = text.path.to_str()?.split_once("/src/")?;
    (!name.contains("/tests/")).then_some((name.trim_start_matches("crates/"), file))
}

/// The graph of imports, for each module that has submodules.
fn levels(edges: &BTreeSet<(Path, Path)>) -> BTreeMap<Path, Graph> {
    let mut levels: BTreeMap<Path, Graph> = BTreeMap::new();
    for (from, to) in edges {
        let common = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        if let (Some(one), Some(other)) = (from.get(common), to.get(common)) {
            let graph = levels.entry(from[..common].to_vec()).or_default();
            graph.entry(one.clone()).or_default().insert(other.clone());
        }
    }
    levels
}

/// The groups of nodes that can reach each other, each with a shortest cycle.
fn cycles(graph: &Graph) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in graph.keys() {
        if seen.contains(start) {
            continue;
        }
        let Some(way) = way_round(graph, start) else { continue };
        let group: Vec<&String> = graph.keys().filter(|other| joins(graph, start, other)).collect();
        seen.extend(group.iter().copied());
        cycles.push(format!("{} modules, of which {}", group.len(), way.join(" → ")));
    }
    cycles
}

fn joins(graph: &Graph, one: &str, other: &str) -> bool {
    one == other || way(graph, one, other).is_some() && way(graph, other, one).is_some()
}

fn way_round(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut round = way(graph, start, start)?;
    round.insert(0, start.to_owned());
    Some(round)
}

/// A shortest path of at least one step, without its start.
fn way(graph: &Graph, start: &str, end: &str) -> Option<Vec<String>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in graph.get(at).into_iter().flatten() {
            if before.contains_key(next.as_str()) {
                continue;
            }
            before.insert(next, at);
            if next == end {
                return Some(steps(&before, start, end));
            }
            queue.push_back(next);
        }
    }
    None
}

fn steps(before: &BTreeMap<&str, &str>, start: &str, end: &str) -> Vec<String> {
    let mut way = vec![end.to_owned()];
    let mut at = before[end];
    while at != start {
        way.insert(0, at.to_owned());
        at = before[at];
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let text = |(path, text): &(&str, &str)| Text { path: path.into(), text: (*text).to_owned() };
        check(&files.iter().map(text).collect::<Vec<_>>())
    }

    #[test]
    fn modules_that_name_each_other_are_found() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "use crate::b::B; pub struct A(B);"),
            ("crates/x/src/b.rs", "fn f() { g!(crate::a::A) } #[cfg(test)] mod tests { use crate::c; }"),
            ("crates/x/src/c.rs", "use super::b::{self, B as D};"),
        ]);
        assert_eq!(found, ["import cycle in x: 2 modules, of which a → b → a"]);
    }

    #[test]
    fn what_a_parent_offers_is_where_it_comes_from() {
        let files = [
            ("crates/x/src/lib.rs", "mod a; mod b; pub use a::A; pub(crate) use b::B;"),
            ("crates/x/src/a.rs", "pub struct A;"),
            ("crates/x/src/b.rs", "use super::A; pub struct B(A);"),
        ];
        assert!(complaints(&files).is_empty());
        let mut back = files;
        back[1].1 = "pub struct A(crate::B);";
        assert_eq!(complaints(&back), ["import cycle in x: 2 modules, of which a → b → a"]);
    }

    #[test]
    fn cycles_are_found_at_every_level_of_every_crate() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a;"),
            ("crates/x/src/a/mod.rs", "mod b; mod c; mod d;"),
            ("crates/x/src/a/b.rs", "use super::c::C; pub struct B(C);"),
            ("crates/x/src/a/c.rs", "use crate::a::d::D; pub struct C(D);"),
            ("crates/x/src/a/d.rs", "pub struct D(Box<super::b::B>);"),
            ("xtask/src/main.rs", "mod e; mod f;"),
            ("xtask/src/e.rs", "use crate::f;"),
            ("xtask/src/f.rs", "use crate::e;"),
        ]);
        let wanted = [
            "import cycle in x::a: 3 modules, of which b → c → d → b",
            "import cycle in xtask: 2 modules, of which e → f → e",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_parent_and_its_child_may_name_each_other() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; pub struct P(a::A);"),
            ("crates/x/src/a.rs", "pub struct A; fn f(_: super::P) {}"),
        ]);
        assert!(found.is_empty());
    }

    #[test]
    fn macros_count_where_they_are_used() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "#[macro_use] mod a; mod b;"),
            ("crates/x/src/a.rs", "macro_rules! go { () => { $crate::b::f() } }"),
            ("crates/x/src/b.rs", "fn f() {} fn g() { go!() }"),
        ]);
        assert_eq!(found.len(), 1);
    }
}
