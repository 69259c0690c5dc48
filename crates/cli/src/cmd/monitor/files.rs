//! The files of a recording that is being written.

use foretrace_event::layout::HEADER_SIZE;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The files of the recording.
pub struct Files {
    pub events: File,
    pub open: File,
}

impl Files {
    /// The files, once the program has made them and `open` has its header.
    pub fn open(directory: &Path) -> Option<Files> {
        let open = |name: &str| OpenOptions::new().read(true).write(true).open(directory.join(name)).ok();
        let files = Files { events: open("events")?, open: open("open")? };
        (files.open.metadata().ok()?.len() >= HEADER_SIZE as u64).then_some(files)
    }
}

/// Bytes of a file.
pub fn bytes(file: &File, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}
