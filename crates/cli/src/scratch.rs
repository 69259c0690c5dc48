//! Scratch directories that do not stay.
//!
//! A directory is removed when its owner is done, or when a signal ends the tool ([`remove_all`]). What `kill -9` leaves
//! behind is removed when the next one is made: its owner holds a lock on it for as long as it lives.

use anyhow::Context;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::TempDir;

/// The first part of the names of all scratch directories.
const PREFIX: &str = "foretrace-";
/// The kinds there are, which are the second part.
const KINDS: [&str; 5] = ["check-", "explore-", "replay-", "monitor-", "symbolic-"];

static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A scratch directory.
pub struct Scratch {
    directory: Option<TempDir>,
    /// Held for as long as the directory is in use.
    lock: Option<File>,
}

impl Scratch {
    /// A new one of that kind, one of [`KINDS`].
    pub fn new(kind: &str) -> anyhow::Result<Self> {
        Self::new_in(&std::env::temp_dir(), kind)
    }

    /// One that lies in memory, if the system has a place for that: whoever writes to a mapped file on a disk may have to wait
    /// for the disk.
    pub fn in_memory(kind: &str) -> anyhow::Result<Self> {
        Self::new_in(Path::new(MEMORY), kind).or_else(|_| Self::new(kind))
    }

    fn new_in(place: &Path, kind: &str) -> anyhow::Result<Self> {
        debug_assert!(KINDS.contains(&kind));
        remove_abandoned(place);
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{kind}"))
            .tempdir_in(place)
            .context("cannot create a scratch directory")?;
        let lock = hold(&directory).context("cannot create a scratch directory")?;
        OPEN.lock().expect(NO_PANIC).push(directory.path().to_owned());
        Ok(Self { directory: Some(directory), lock: Some(lock) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.as_ref().expect("it is there until it is dropped").path()
    }
}

/// Opens and locks the directory; some file systems know no locks. Without a descriptor to spare, it could not be emptied
/// later, so it is removed at once.
fn hold(directory: &TempDir) -> io::Result<File> {
    let file = File::open(directory.path()).inspect_err(|_| drop(fs::remove_dir(directory.path())))?;
    let _ = file.try_lock();
    Ok(file)
}

/// Where Linux systems keep files in memory.
const MEMORY: &str = "/dev/shm";

const NO_PANIC: &str = "nothing panics while it holds this";

impl Drop for Scratch {
    fn drop(&mut self) {
        let path = self.path().to_owned();
        OPEN.lock().expect(NO_PANIC).retain(|open| *open != path);
        // To remove what is in a directory takes a descriptor, and there may be none but this.
        self.lock = None;
        self.directory = None;
    }
}

/// Removes all that are open: the tool is about to end.
pub fn remove_all() {
    for path in OPEN.lock().expect(NO_PANIC).drain(..) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Removes our own directories whose owners are gone.
fn remove_abandoned(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).unwrap_or_default();
        let ours = KINDS.iter().any(|kind| rest.starts_with(kind)) && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// How old a directory without a lock must be before it counts as abandoned: another process may be about to lock it.
const NEW: std::time::Duration = std::time::Duration::from_secs(10);

/// Nobody holds its lock, it is not new, and it is ours: of others' directories we could not take the lock, or remove nothing.
fn is_abandoned(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > NEW)
        && !matches!(file.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir(&path).unwrap();
            let old = std::time::SystemTime::now() - 2 * NEW;
            File::open(&path).unwrap().set_modified(old).unwrap();
            path
        };
        let (left, used, other) = (make("foretrace-check-a"), make("foretrace-check-b"), make("foretrace-findings"));
        let new = place.path().join("foretrace-replay-c");
        fs::create_dir(&new).unwrap();
        let lock = File::open(&used).unwrap();
        lock.try_lock().unwrap();
        remove_abandoned(place.path());
        assert_eq!([&left, &used, &other, &new].map(|path| path.exists()), [false, true, true, true]);
    }

    #[test]
    fn a_signal_leaves_nothing() {
        let scratch = Scratch::new("check-").unwrap();
        let path = scratch.path().to_owned();
        assert!(path.is_dir());
        remove_all();
        assert!(!path.exists());
    }
}
