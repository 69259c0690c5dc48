//! How a specification is read.
use crate::syntax::Dialect;
use crate::time::TimeBase;
use std::path::PathBuf;

/// How a specification is read.
#[derive(Clone, Debug)]
pub struct Options {
    pub dialect: Dialect,
    /// The unit of the timestamps, needed where the specification uses units of time.
    pub base_time: Option<TimeBase>,
    /// Where the file is, if it is one; `include` is relative to it.
    pub path: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options { dialect: Dialect::Tessla12, base_time: None, path: None }
    }
}

impl Options {
    /// The options for a text, with its dialect: a first line `-- dialect: 2018` chooses the old one.
    pub fn for_text(text: &str) -> Options {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        let old = first.trim_start_matches(['-', '#', ' ']).trim() == "dialect: 2018";
        let comment = first.trim_start().starts_with("--") || first.trim_start().starts_with('#');
        let dialect = if old && comment { Dialect::Tessla2018 } else { Dialect::Tessla12 };
        Options { dialect, ..Options::default() }
    }
}
