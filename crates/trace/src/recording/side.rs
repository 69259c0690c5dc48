//! The small files beside `events`: mapped files, thread names, and the command that was run.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::RecordingError;

/// A mapped file of the recorded program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// An address less this is an address in the file.
    pub bias: u64,
    /// Its build id in hexadecimal; empty if it has none.
    pub build_id: String,
    /// Where it was.
    pub path: PathBuf,
}

/// Reads a side file; a missing one counts as empty.
fn read(path: &Path) -> Result<String, RecordingError> {
    match foretrace_file::read(path, foretrace_file::LONGEST_TEXT) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(RecordingError::Io { path: path.to_owned(), source }),
    }
}

/// Parses each line. A last line without an end, which was being written when the program died, is skipped.
fn lines<T>(path: &Path, expected: &'static str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, RecordingError> {
    let text = read(path)?;
    let mut values = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match parse(line.trim_end_matches(['\n', '\r'])) {
            Some(value) => values.push(value),
            None if !line.ends_with('\n') => {}
            None => return Err(RecordingError::SideFile { path: path.to_owned(), line: index + 1, expected }),
        }
    }
    Ok(values)
}

/// The addresses at which the program has declared races to be harmless.
pub(super) fn benign(path: &Path) -> Result<Vec<Range<u64>>, RecordingError> {
    lines(path, "start end", |line| {
        let (start, end) = line.split_once(' ')?;
        Some(u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?)
    })
}

/// The module map, by address.
pub(super) fn modules(path: &Path) -> Result<Vec<Module>, RecordingError> {
    let mut modules = lines(path, "start end bias build-id path", |line| {
        let mut fields = line.splitn(5, ' ');
        let mut number = || u64::from_str_radix(fields.next()?.trim_start_matches("0x"), 16).ok();
        let (start, end, bias) = (number()?, number()?, number()?);
        let build_id = fields.next()?.trim_matches('-').to_owned();
        Some(Module { start, end, bias, build_id, path: fields.next()?.into() })
    })?;
    modules.sort_by(|a, b| (a.start, &a.path).cmp(&(b.start, &b.path)));
    modules.dedup();
    Ok(modules)
}

/// Thread names by number.
pub(super) fn threads(path: &Path) -> Result<BTreeMap<u32, String>, RecordingError> {
    let names = lines(path, "id name", |line| {
        let (id, name) = line.split_once(' ')?;
        Some((id.parse().ok()?, name.to_owned()))
    })?;
    Ok(names.into_iter().collect())
}

/// Names of the user's own events by address.
pub(super) fn customs(path: &Path) -> Result<BTreeMap<u64, String>, RecordingError> {
    let names = lines(path, "address name", |line| {
        let (address, name) = line.split_once(' ')?;
        Some((u64::from_str_radix(address, 16).ok()?, name.to_owned()))
    })?;
    Ok(names.into_iter().collect())
}

/// Texts that the user's own events carry, by number.
pub(super) fn strings(path: &Path) -> Result<BTreeMap<u64, String>, RecordingError> {
    let texts = lines(path, "number text", |line| {
        let (number, text) = line.split_once(' ')?;
        Some((u64::from_str_radix(number, 16).ok()?, unescaped(text)))
    })?;
    Ok(texts.into_iter().collect())
}

/// `\n` is a line break, and a backslash before another character is left out.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => out.push(c),
        }
    }
    out
}

/// What was run, and how it ended.
pub(super) fn run(path: &Path) -> Result<BTreeMap<String, String>, RecordingError> {
    let pairs = lines(path, "key=value", |line| {
        let (key, value) = line.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    })?;
    Ok(pairs.into_iter().collect())
}
