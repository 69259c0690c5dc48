//! What viewers rely on holds for random runs: the file is JSON, slices of a track nest, arrows come in pairs and lead
//! forwards in time.

use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_timeline::chrome::{Options, write};
use foretrace_trace::{Trace, text};
use serde_json::Value;
use std::collections::BTreeMap;

const TRACES: u64 = 2000;

fn items(trace: &Trace, options: &Options<'_>) -> Vec<Value> {
    let mut json = Vec::new();
    write(trace, options, &mut json).expect("memory takes all writes");
    let json: Value = serde_json::from_slice(&json).expect("good JSON");
    json["traceEvents"].as_array().expect("a list").clone()
}

fn number(item: &Value, name: &str) -> f64 {
    item[name].as_f64().unwrap_or_else(|| panic!("no {name} in {item}"))
}

/// Begins and ends of each track balance, and operations lie within what is open.
fn assert_nested(items: &[Value]) {
    let mut depth: BTreeMap<u64, i64> = BTreeMap::new();
    for item in items {
        let depth = depth.entry(item["tid"].as_u64().unwrap_or_default()).or_default();
        match item["ph"].as_str() {
            Some("B") => *depth += 1,
            Some("E") => *depth -= 1,
            _ => {}
        }
        assert!(*depth >= 0, "an end without a begin: {item}");
    }
    assert!(depth.values().all(|depth| *depth == 0), "{depth:?}");
}

fn assert_arrows(items: &[Value]) {
    let ends = |ph: &str| -> BTreeMap<u64, f64> {
        let ends = items.iter().filter(|item| item["ph"] == ph);
        ends.map(|item| (item["id"].as_u64().expect("arrows have ids"), number(item, "ts"))).collect()
    };
    let (starts, finishes) = (ends("s"), ends("f"));
    assert_eq!(starts.len(), finishes.len());
    assert!(starts.iter().all(|(id, start)| finishes.get(id).is_some_and(|finish| start < finish)));
}

#[test]
fn random_runs() {
    for seed in 0..TRACES {
        let mut random = Random::new(seed);
        let shape = Shape { events: 10 + random.below(60), ..Shape::default() };
        let trace = generate::trace(&mut random, &shape);
        let items = items(&trace, &Options { accesses: seed % 2 == 0, ..Options::default() });
        assert_nested(&items);
        assert_arrows(&items);
    }
}

#[test]
fn a_limit_leaves_out_the_end_and_says_so() {
    let trace = text::parse("main fork t\nt lock m\nt unlock m\nmain join t").expect("a good trace");
    let mut json = Vec::new();
    let left_out = write(&trace, &Options { most: 3, ..Options::default() }, &mut json).expect("memory");
    assert_eq!(left_out + 3, trace.observed().count());
    let items: Value = serde_json::from_slice(&json).expect("good JSON");
    assert_nested(items["traceEvents"].as_array().expect("a list"));
}

#[test]
fn a_wait_and_its_signal() {
    let run = "main fork t\nt lock m\nt unlock m\nmain signal c\nt wait c m\nt lock m\nt unlock m";
    let trace = text::parse(run).expect("a good trace");
    let names: Vec<String> = items(&trace, &Options::default())
        .iter()
        .filter(|item| item["ph"] == "B")
        .map(|item| item["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(names.contains(&"waits on c".to_owned()), "{names:?}");
}

#[test]
fn marks_stand_at_their_events() {
    let trace = text::parse("main fork t\nt write x\nmain write x").expect("a good trace");
    let write = trace.observed().find(|id| trace.kind(*id) == foretrace_event::Kind::Write).expect("a write");
    let marks = [(write, "data race on x".to_owned())];
    let items = items(&trace, &Options { marks: &marks, accesses: true, ..Options::default() });
    let mark = items.iter().find(|item| item["ph"] == "i").expect("a mark");
    assert_eq!((mark["name"].as_str(), mark["cat"].as_str()), (Some("data race on x"), Some("finding")));
}
