//! Checks that compilers do not make. Each check is a file, returns its complaints as lines, and never stops at the
//! first.

mod cycles;
mod edges;
mod lengths;
mod licences;
mod modules;
mod safety;
mod words;

use crate::run::{files, root};
use anyhow::bail;
use std::path::PathBuf;

/// A file of the repository that is text.
pub struct Text {
    /// Its path from the root.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

impl Text {
    fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "rs")
    }
}

/// Prints every complaint; fails if there is one.
pub fn run() -> anyhow::Result<()> {
    let texts = read()?;
    let mut complaints = edges::check(&texts)?;
    complaints.extend(cycles::check(&texts));
    complaints.extend(lengths::check(&texts));
    complaints.extend(licences::check(&texts));
    complaints.extend(safety::check(&texts));
    complaints.extend(words::check(&texts));
    complaints.iter().for_each(|complaint| eprintln!("tidy: {complaint}"));
    if !complaints.is_empty() {
        bail!("{} complaints", complaints.len());
    }
    Ok(())
}

/// All text files; what is not UTF-8 is not text.
fn read() -> anyhow::Result<Vec<Text>> {
    let read = |path: PathBuf| Some(Text { text: std::fs::read_to_string(root().join(&path)).ok()?, path });
    Ok(files()?.into_iter().filter_map(read).collect())
}
