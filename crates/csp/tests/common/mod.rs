//! The scripts that tests are made of, and the answers marked in them.
#![allow(dead_code)]

use foretrace_csp::script::{Report, Verdict};
use std::path::{Path, PathBuf};

/// The scripts of a folder of `tests/csp`, in order.
pub fn files(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/csp").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "csp"))
        .collect();
    files.sort();
    files
}

/// The lines after `-- expect:`, in order.
pub fn expectations(text: &str) -> Vec<String> {
    text.lines().filter_map(|l| l.trim().strip_prefix("-- expect: ")).map(str::to_owned).collect()
}

pub fn described(report: &Report) -> String {
    match &report.verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Fails(Some(shown)) => format!("fails {} <{}>", shown.kind, shown.trace.join(", ")),
        other => format!("{other:?}"),
    }
}

/// Whether an answer is the marked one. A trace may be left out of a mark where the shortest is not the point.
pub fn fits(found: &str, wanted: &str) -> bool {
    found == wanted || (!wanted.ends_with('>') && found.starts_with(wanted))
}
