//! The directory a recording is written to.

use crate::trust::SEAL;
use anyhow::{Context, bail};
use foretrace_event::layout::MAGIC;
use foretrace_trace::Recording;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Where a recording goes if nobody says otherwise.
pub const DEFAULT: &str = "foretrace.ft";

/// The files of a recording; with the directory of forked processes, all that may lie in one.
const FILES: [&str; 9] = ["events", "open", "modules", "threads", "customs", "strings", "run", "environment", SEAL];
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
        let is_word = name.to_str().is_some_and(|name| name.starts_with(UNWRITTEN));
        let ours =
            FILES.iter().any(|file| name == *file) && kind.is_file() || (name == CHILDREN || is_word) && kind.is_dir();
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
    foretrace_file::open(file).and_then(|mut file| file.read_exact(&mut read)).is_ok() && read == start
}

/// Did the program make a thread, and so record anything?
pub fn has_events(directory: &Path) -> bool {
    directory.join("events").metadata().is_ok_and(|file| file.len() > 0)
}

/// How the runtime reports that it could not write: a directory with this name and the number of the error.
const UNWRITTEN: &str = "unwritten.";

/// Why the runtime could not begin the recording, if it could not.
pub fn unwritten(directory: &Path) -> Option<io::Error> {
    let names = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut errors = names.filter_map(|name| name.to_str()?.strip_prefix(UNWRITTEN)?.parse().ok());
    errors.next().map(io::Error::from_raw_os_error)
}

/// Is this the recording of a program that made no thread?
pub fn is_without_events(path: &Path) -> bool {
    path.join("run").is_file() && !has_events(path)
}

/// The recording of the process that was started, if another one came first and was recorded in its place.
pub fn of_process(directory: &Path, process: u32) -> PathBuf {
    let own = directory.join(CHILDREN).join(process.to_string());
    // One that becomes another program is recorded as both; the first is the one that was asked for.
    let is_first = || Recording::open(directory).is_ok_and(|recording| recording.header().pid == u64::from(process));
    if has_events(&own) && !is_first() { own } else { directory.to_owned() }
}

/// The recordings of forked processes, by process.
pub fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join(CHILDREN)).into_iter().flatten().flatten();
    let mut children: Vec<_> = entries.map(|entry| entry.path()).collect();
    children.sort();
    children
}
