//! Is a recording still being written? A daemon goes on after the program that started it has ended.

use foretrace_event::layout::header;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::{fs, io};

use super::RecordingError;

/// How to treat a process with the writer's process id whose mappings cannot be read. It may be the writer, which has
/// hidden itself, or a later process of another user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hidden {
    /// It counts as the writer: the recording must not be changed while it writes.
    Writes,
    /// It does not count as the writer: reading does no harm.
    DoesNot,
}

/// Refuses a recording that a process is writing.
pub(super) fn refuse_live(open: &Path, hidden: Hidden) -> Result<(), RecordingError> {
    match writer(open, hidden) {
        Some(process) => Err(RecordingError::BeingWritten { path: open.to_owned(), process }),
        None => Ok(()),
    }
}

/// The process that writes to this `open` file: the one that its header names, if it has the file mapped. A later
/// process with the same id does not have it mapped.
fn writer(open: &Path, hidden: Hidden) -> Option<u64> {
    let mut process = [0; 8];
    let file = foretrace_file::open(open).ok()?;
    file.read_exact_at(&mut process, header::PID as u64).ok()?;
    let process = u64::from_le_bytes(process);
    let inode = file.metadata().ok()?.ino();
    // The first thread may have ended before the others; its memory map is then empty.
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let mut maps = threads.map(|thread| fs::read(thread.path().join("maps")));
    // A thread that has ended since then is not hidden.
    let is_hidden = |error: io::Error| hidden == Hidden::Writes && error.kind() == io::ErrorKind::PermissionDenied;
    let writes = maps.any(|maps| maps.map_or_else(is_hidden, |maps| names(&maps, open, inode)));
    writes.then_some(process)
}

/// Does a list of mappings name the file?
fn names(maps: &[u8], open: &Path, inode: u64) -> bool {
    let is_it = |line: &str| {
        let mut fields = line.split_ascii_whitespace().skip(4);
        fields.next().is_some_and(|field| field.parse() == Ok(inode)) || fields.next().map(Path::new) == Some(open)
    };
    String::from_utf8_lossy(maps).lines().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::id;

    fn open_file(scratch: &Path, process: u32) -> std::path::PathBuf {
        let open = scratch.join("open");
        let mut bytes = vec![0; 4096];
        bytes[header::PID..header::PID + 4].copy_from_slice(&process.to_le_bytes());
        fs::write(&open, bytes).expect("a scratch file can be written");
        open
    }

    #[test]
    fn a_process_that_does_not_have_the_file_mapped_does_not_write_it() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        assert_eq!(writer(&open_file(scratch.path(), id()), Hidden::Writes), None, "it is not mapped");
        assert_eq!(writer(&open_file(scratch.path(), 1 << 30), Hidden::Writes), None, "there is no such process");
    }

    #[test]
    fn a_mapping_names_a_file_by_its_inode_or_its_path() {
        let maps = b"7f00-7f01 rw-s 00000000 fe:00 4711 /tmp/a.ft/open\n7f02-7f03 r-xp 00000000 fe:00 12 /bin/sh\n";
        assert!(names(maps, Path::new("/elsewhere/open"), 4711));
        assert!(names(maps, Path::new("/tmp/a.ft/open"), 1));
        assert!(!names(maps, Path::new("/tmp/b.ft/open"), 1));
    }
}
