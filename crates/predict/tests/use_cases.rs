//! The use cases of the thesis (6.3 and 6.4) as traces in `tests/properties`: of each pair, the faulty one violates exactly
//! the properties that its first line names, and the correct one none.

use foretrace_judge::judge;
use foretrace_predict::{Options, predict};
use foretrace_property::Properties;
use foretrace_trace::text;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn violated(directory: &Path, trace: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let properties: Properties =
        read("property").parse().unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let source = read(trace);
    let trace = text::parse(&source).unwrap_or_else(|errors| panic!("{}: {errors}", directory.display()));
    let options = Options { properties: properties.templates().to_vec(), ..Options::default() };
    let prediction = predict(&trace, &options, &());
    assert!(prediction.undecided.is_empty(), "{:?}", prediction.undecided);
    for one in &prediction.violations {
        judge(&trace, &one.witness).expect("every witness passes the judge");
    }
    let name = |one: &foretrace_predict::Predicted| {
        one.witness.candidate.violation().expect("a violation").monitor.name.to_string()
    };
    let expected = source.lines().find_map(|line| line.strip_prefix("# violates: "));
    let expected = expected.into_iter().flat_map(str::split_whitespace).map(str::to_owned).collect();
    (prediction.violations.iter().map(name).collect(), expected)
}

#[test]
fn faulty_ones_are_found_and_correct_ones_are_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/properties");
    let mut cases = 0;
    for entry in fs::read_dir(root).expect("the use cases") {
        let directory = entry.expect("an entry").path();
        if !directory.join("property").exists() {
            continue;
        }
        cases += 1;
        let (found, expected) = violated(&directory, "fail.trace");
        assert!(!expected.is_empty(), "{}: the faulty one names no property", directory.display());
        assert_eq!(found, expected, "{}", directory.display());
        let (found, _) = violated(&directory, "pass.trace");
        assert_eq!(found, BTreeSet::new(), "{}", directory.display());
    }
    assert!(cases >= 6, "{cases} use cases");
}
