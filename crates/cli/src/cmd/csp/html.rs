//! One page with the results, the counterexamples beside what the specification allowed, and the graphs of processes.

use foretrace_csp::budget::Budget;
use foretrace_csp::machine::Lts;
use foretrace_csp::script::Script;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
/// States of a process that is shown as a graph without being asked for.
const SMALL: u64 = 2_000;
/// Processes that are shown without being asked for.
const MOST: usize = 40;

/// The page, with the results in it as data.
pub fn page(documents: &[Value]) -> String {
    let data = json!({ "scripts": documents }).to_string();
    // The data is inside a script element, and must not contain its end tag.
    PAGE.replace("{{data}}", &data.replace("</", "<\\/"))
}

/// The graph of the process that was asked for, or of the small ones that assertions are about.
pub fn graphs(script: &Script, chosen: Option<&str>, budget: &Budget) -> Value {
    let small = Budget { max_states: SMALL.min(budget.max_states), ..budget.clone() };
    let (names, budget) = match chosen {
        Some(process) => (vec![process.to_owned()], budget),
        None => (script.processes(), &small),
    };
    let graph = |name: &String| {
        let (lts, events) = script.explore(name, budget).ok()?;
        Some(json!({ "process": name, "graph": graph(&lts, &events) }))
    };
    names.iter().filter_map(graph).take(MOST).collect()
}

fn graph(lts: &Lts, names: &[String]) -> Value {
    let steps = lts.states().flat_map(|s| lts.row(s).iter().map(move |(e, t)| (s, e.0 as usize, *t)));
    let steps: Vec<Value> = steps.map(|(s, e, t)| json!([s, names[e], t])).collect();
    json!({ "states": lts.len(), "initial": lts.initial, "steps": steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_the_element_it_stands_in() {
        let page = page(&[json!({ "file": "</script><b>" })]);
        assert!(page.contains(r#""file":"<\/script><b>""#), "{page}");
    }
}
