//! The directory a recording is written to, and the file in it that tells what was run.

use anyhow::{Context, bail};
use foretrace_event::layout::MAGIC;
use foretrace_replay::Input;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

/// Where a recording goes if nobody says otherwise.
pub const DEFAULT: &str = "foretrace.ft";

/// The files of a recording; with the directory of forked processes, all that may lie in one.
const FILES: [&str; 6] = ["events", "open", "modules", "threads", "customs", "run"];
/// Recordings of forked processes, one directory each.
const CHILDREN: &str = "children";

/// A new, empty directory for a recording. One that stands there already is replaced; anything else is left alone.
pub fn prepare(directory: &Path) -> anyhow::Result<PathBuf> {
    if directory.symlink_metadata().is_ok() {
        refuse_other(directory)?;
        fs::remove_dir_all(directory).with_context(|| format!("cannot replace {}", directory.display()))?;
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    directory.canonicalize().with_context(|| format!("cannot create {}", directory.display()))
}

/// What is replaced is deleted, so it must be a recording beyond doubt: nothing else in it, and one of its files ours.
fn refuse_other(directory: &Path) -> anyhow::Result<()> {
    let advice = "choose another place with -o";
    let Ok(entries) = fs::read_dir(directory) else {
        bail!("{} exists and is not a recording; {advice}", directory.display());
    };
    let mut empty = true;
    for entry in entries {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let ours = FILES.iter().any(|file| name == *file) && kind.is_file() || name == CHILDREN && kind.is_dir();
        if !ours {
            bail!("{} is not a recording: it holds {}; {advice}", directory.display(), name.display());
        }
        empty = false;
    }
    if !empty && !begins_with(&directory.join("run"), b"version=") && !begins_with(&directory.join("events"), &MAGIC) {
        bail!("{} is not a recording of ours; {advice}", directory.display());
    }
    Ok(())
}

fn begins_with(file: &Path, start: &[u8]) -> bool {
    let mut read = vec![0; start.len()];
    fs::File::open(file).and_then(|mut file| file.read_exact(&mut read)).is_ok() && read == start
}

/// Did the program make a thread, and so record anything?
pub fn has_events(directory: &Path) -> bool {
    directory.join("events").metadata().is_ok_and(|file| file.len() > 0)
}

/// Is this the recording of a program that made no thread?
pub fn is_without_events(path: &Path) -> bool {
    path.join("run").is_file() && !has_events(path)
}

/// The recordings of forked processes, by process.
pub fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join(CHILDREN)).into_iter().flatten().flatten();
    let mut children: Vec<_> = entries.map(|entry| entry.path()).collect();
    children.sort();
    children
}

/// What was run, and how it went.
pub struct Run<'a> {
    /// The program and its arguments.
    pub command: &'a [std::ffi::OsString],
    /// How the runtime came into it.
    pub way: &'a str,
    /// When it began.
    pub started: SystemTime,
    /// What it read, as far as it can be read again.
    pub input: Input,
    /// How it ended, and after how long.
    pub ended: Option<(ExitStatus, Duration)>,
}

impl Run<'_> {
    /// Writes the file `run`: one `key=value` a line.
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let path = directory.join("run");
        fs::write(&path, self.text()).with_context(|| format!("cannot write {}", path.display()))
    }

    fn text(&self) -> String {
        use std::os::unix::process::ExitStatusExt;
        let mut text = String::new();
        let mut line = |key: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{key}={value}").expect("a string takes all that is written to it");
        };
        line("version", &env!("CARGO_PKG_VERSION"));
        line("command", &self.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        line("directory", &std::env::current_dir().unwrap_or_default().display());
        line("way", &self.way);
        line("input", &self.input);
        let since = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        line("started", &since.as_secs());
        if let Some((status, duration)) = &self.ended {
            match (status.code(), status.signal()) {
                (Some(code), _) => line("exit", &code),
                (None, signal) => line("signal", &signal.unwrap_or_default()),
            }
            line("milliseconds", &duration.as_millis());
        }
        text
    }
}

/// A word as a shell reads it, on one line.
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy().replace('\n', "\\n");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// The words of a line that [`quoted`] made.
pub fn unquoted(line: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take().map(OsString::from)),
            '\\' if !quoted => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    words
}

#[cfg(test)]
mod tests {
    use super::{quoted, unquoted};

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        let words = ["a.c", "", "a b", "it's"].map(|word| quoted(word.as_ref()));
        assert_eq!(words, ["a.c", "''", "'a b'", "'it'\\''s'"]);
        assert_eq!(unquoted(&words.join(" ")), ["a.c", "", "a b", "it's"]);
    }
}
