//! The scripts that tests are made of.

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
