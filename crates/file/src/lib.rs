//! Opens and reads files that nobody vouches for.
//!
//! Recordings, findings, scripts, specifications and suppression lists may come from a colleague, from a build server, or
//! from an attacker. Opening a FIFO blocks until somebody writes to it, a device may never end, and a file may be larger
//! than memory. This crate decides what is opened at all: regular files, without blocking, up to a length that the caller
//! names.
//!
//! *What it misses*: a file may change while it is read. Readers therefore copy the bytes they look at and check their
//! bounds; nothing is mapped into memory, because a mapped file that shrinks ends the process.
//!
//! ```
//! let scratch = tempfile::tempdir()?;
//! let path = scratch.path().join("trace");
//! std::fs::write(&path, "t1 lock m\n")?;
//! assert_eq!(foretrace_file::read(&path, 1024)?, b"t1 lock m\n");
//! assert!(foretrace_file::read(&path, 4).is_err(), "longer than the reader is prepared for");
//! assert!(foretrace_file::open(scratch.path()).is_err(), "a directory is not a file");
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest file that is read as text: scripts, specifications, suppression lists, side files of recordings.
pub const LONGEST_TEXT: u64 = 256 << 20;

/// Opens a regular file for reading. The error of anything else says what it is.
///
/// # Errors
/// If it cannot be opened, or is a directory, a FIFO, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(name_sockets)?);
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    match what_else(kind) {
        None => Ok(file),
        Some(what) => Err(refused(what)),
    }
}

/// Reads a regular file of at most `longest` bytes.
///
/// # Errors
/// As [`open`], and if the file is longer.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_long = || io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {longest} bytes"));
    let length = file.metadata()?.len();
    if length > longest {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read.
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest { Err(too_long()) } else { Ok(bytes) }
}

/// Reads a regular file of at most [`LONGEST_TEXT`] bytes as UTF-8.
///
/// # Errors
/// As [`read`], and if a byte is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let not_text = |error: std::string::FromUtf8Error| {
        let byte = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("byte {byte} is not UTF-8"))
    };
    String::from_utf8(read(path, LONGEST_TEXT)?).map_err(not_text)
}

/// The kernel opens no socket; its own word for that ("no such device or address") helps nobody.
fn name_sockets(error: rustix::io::Errno) -> io::Error {
    if error == rustix::io::Errno::NXIO { refused("a socket") } else { error.into() }
}

/// What a file is that is not a regular one.
fn what_else(kind: FileType) -> Option<&'static str> {
    match kind {
        FileType::RegularFile => None,
        FileType::Directory => Some("a directory"),
        FileType::Fifo => Some("a FIFO"),
        FileType::Socket => Some("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
        _ => Some("not a regular file"),
    }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("this is {what}; a regular file is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    fn refusal(path: &Path) -> String {
        open(path).expect_err("it is refused").to_string()
    }

    #[test]
    fn only_regular_files_are_opened_and_nothing_blocks() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let (fifo, socket) = (scratch.path().join("fifo"), scratch.path().join("socket"));
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).expect("a FIFO can be made");
        let _listener = UnixListener::bind(&socket).expect("a socket can be made");
        assert_eq!(refusal(&fifo), "this is a FIFO; a regular file is needed");
        assert_eq!(refusal(&socket), "this is a socket; a regular file is needed");
        assert_eq!(refusal(Path::new("/dev/zero")), "this is a device; a regular file is needed");
        assert_eq!(refusal(scratch.path()), "this is a directory; a regular file is needed");
    }

    #[test]
    fn links_are_followed_to_what_they_name() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let (link, file) = (scratch.path().join("link"), scratch.path().join("file"));
        symlink("/dev/zero", &link).expect("a link can be made");
        assert_eq!(refusal(&link), "this is a device; a regular file is needed");
        std::fs::remove_file(&link).expect("it is there");
        std::fs::write(&file, "x").expect("a scratch file can be written");
        symlink(&file, &link).expect("a link can be made");
        assert_eq!(text(&link).expect("it is a regular file"), "x");
    }

    #[test]
    fn a_file_of_the_greatest_length_is_read_and_a_longer_one_is_not() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let file = scratch.path().join("file");
        std::fs::write(&file, "abcd").expect("a scratch file can be written");
        assert_eq!(read(&file, 4).expect("four bytes"), b"abcd");
        assert_eq!(read(&file, 3).expect_err("it is too long").to_string(), "longer than 3 bytes");
    }

    /// Files of `/proc` say that they are empty, and are not.
    #[test]
    fn what_a_file_says_of_its_length_is_only_a_hint() {
        let status = read(Path::new("/proc/self/status"), 1 << 20).expect("it can be read");
        assert!(status.starts_with(b"Name:"));
        assert!(read(Path::new("/proc/self/status"), 10).is_err());
    }

    #[test]
    fn text_is_utf8() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let file = scratch.path().join("file");
        std::fs::write(&file, b"ab\xff").expect("a scratch file can be written");
        assert_eq!(text(&file).expect_err("it is not text").to_string(), "byte 2 is not UTF-8");
    }
}
