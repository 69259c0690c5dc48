//! Every JSON form against its schema, and the schemas against wrong documents.

#[path = "schema/validate.rs"]
mod validate;

use serde_json::{Value, json};
use std::path::Path;
use validate::objections;

fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_report_is_as_its_schema_says() {
    let (schema, report) = (read("../../docs/schema/report-3.schema.json"), read("tests/golden/report.json"));
    assert_eq!(objections(&schema, &report), [] as [&str; 0]);
}

#[test]
fn sarif_is_as_the_standard_says() {
    let (schema, log) = (read("tests/sarif.schema.json"), read("tests/golden/report.sarif"));
    assert_eq!(objections(&schema, &log), [] as [&str; 0]);
}

/// Each change of a good report is objected to.
#[test]
fn wrong_reports_are_objected_to() {
    let (schema, good) = (read("../../docs/schema/report-3.schema.json"), read("tests/golden/report.json"));
    let change = |pointer: &str, value: Value| {
        let mut report = good.clone();
        *report.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
        objections(&schema, &report)
    };
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/findings/0/status", json!("sure")),
        ("/findings/0/sites/0/thread", json!(-1)),
        ("/findings/0/sites/0/does/act", json!("dance")),
        ("/findings/0/sites/0/does/size", json!("4")),
        ("/findings/0/steps/0/place", json!({})),
        ("/findings/0/repeats", json!([1])),
        ("/counts", json!({ "confirmed": 1 })),
    ] {
        assert!(!change(pointer, value).is_empty(), "{pointer}");
    }
    let mut more = good.clone();
    more["findings"][0]["colour"] = json!("red");
    assert!(!objections(&schema, &more).is_empty());
}
