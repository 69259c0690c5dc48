//! Frames of a stack with the text of their lines.

use foretrace_report::{Excerpt, Frame};
use foretrace_run::Modules;
use foretrace_trace::{Location, Symbols};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where lines of source are looked for, and those files that have been read.
pub(crate) struct Sources {
    base: PathBuf,
    files: RefCell<BTreeMap<PathBuf, Option<Vec<String>>>>,
}

impl Sources {
    /// Relative names are taken from `base`.
    pub(crate) fn new(base: PathBuf) -> Self {
        Self { base, files: RefCell::default() }
    }

    /// The calls of a stack, innermost first, without those around the program's own.
    pub(crate) fn stack(&self, pcs: &[u64], symbols: &Symbols, modules: &Modules) -> Vec<Frame> {
        let frames = |pc: u64| symbols.frames(pc).into_iter().map(move |location| (pc, location));
        let mut stack: Vec<Frame> =
            pcs.iter().copied().flat_map(frames).map(|(pc, location)| self.frame(pc, location, modules)).collect();
        if let Some(last) = stack.iter().rposition(|frame| frame.file.is_some()) {
            stack.truncate(last + 1);
        }
        stack
    }

    /// The innermost call at an address that is in the program's own source: a place in a header of the system says nothing.
    pub(crate) fn place(&self, pc: u64, symbols: &Symbols, modules: &Modules) -> Option<Frame> {
        let frames = (pc != 0).then(|| symbols.frames(pc))?;
        frames.into_iter().map(|location| self.frame(pc, location, modules)).find(Frame::is_own)
    }

    fn frame(&self, pc: u64, location: Location, modules: &Modules) -> Frame {
        let (module, offset) = modules.locate(pc);
        let source = location.file.as_deref().and_then(|file| self.line(file, location.line));
        Frame {
            function: location.function,
            file: location.file.map(|file| file.display().to_string()),
            line: location.line,
            column: location.column,
            source,
            module: module.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            offset,
        }
    }

    fn line(&self, file: &Path, line: u32) -> Option<String> {
        self.of_file(file, |lines| lines.get((line as usize).checked_sub(1)?).cloned())?
    }

    fn of_file<T>(&self, file: &Path, of: impl FnOnce(&[String]) -> T) -> Option<T> {
        let path = self.base.join(file);
        let mut files = self.files.borrow_mut();
        files.entry(path).or_insert_with_key(|path| read(path)).as_deref().map(of)
    }

    /// The lines around these places, so many before and after each, without a line twice.
    pub(crate) fn excerpts(&self, places: &BTreeSet<(&str, u32)>, context: u32) -> Vec<Excerpt> {
        let mut ranges: Vec<(&str, u32, u32)> = Vec::new();
        for (file, line) in places {
            let (from, to) = (line.saturating_sub(context).max(1), line.saturating_add(context));
            match ranges.last_mut() {
                Some((known, _, end)) if known == file && from <= end.saturating_add(1) => *end = to,
                _ => ranges.push((file, from, to)),
            }
        }
        let excerpt = |(file, from, to): (&str, u32, u32)| {
            let some = |lines: &[String]| {
                let last = (to as usize).min(lines.len());
                lines.get(from as usize - 1..last).unwrap_or_default().iter().map(|line| shortened(line)).collect()
            };
            let lines: Vec<String> = self.of_file(Path::new(file), some)?;
            (!lines.is_empty()).then(|| Excerpt { file: file.to_owned(), first: from, lines })
        };
        ranges.into_iter().take(EXCERPTS).filter_map(excerpt).collect()
    }
}

/// At most so many excerpts are made for a finding.
const EXCERPTS: usize = 100;
/// Lines are cut after so many characters in excerpts.
const WIDEST: usize = 400;

fn shortened(line: &str) -> String {
    line.chars().take(WIDEST).collect()
}

fn read(path: &Path) -> Option<Vec<String>> {
    let bytes = foretrace_file::read(path, foretrace_file::LONGEST_TEXT).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}
