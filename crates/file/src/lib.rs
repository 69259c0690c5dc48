//! Opens and reads untrusted files.
//!
//! Recordings, findings, scripts, specifications and suppression lists may come from a colleague, from a build server, or
//! from an attacker. Opening a FIFO blocks until somebody writes to it, a device may never end, and a file may be larger
//! than memory. This crate opens only regular files, without blocking, up to a length that the caller gives. Inputs
//! that may be streams (standard input, a FIFO that the user names) are read by the line or as a whole, both up to a
//! maximum length. Messages show the part of a line around a place ([`excerpt()`]), because a line may be as long as its file.
//!
//! *What it misses*: a file may change while it is read. Readers therefore copy the bytes they examine and check their
//! bounds. Nothing is mapped into memory, because a mapped file that shrinks kills the process.
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

mod excerpt;

pub use excerpt::excerpt;

use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The longest file that is read as text: scripts, specifications, suppression lists, side files of recordings.
pub const LONGEST_TEXT: u64 = 256 << 20;

/// The longest line, in bytes, that is read from a stream.
pub const LONGEST_LINE: u64 = 4 << 20;

/// Opens a regular file for reading. For anything else, the error names what it is.
///
/// # Errors
/// If it cannot be opened, or is a directory, a FIFO, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a FIFO or a device may have side effects, so its type is checked first, and again once it is open.
    regular(&rustix::fs::stat(path)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    regular(&rustix::fs::fstat(&file)?)?;
    Ok(file)
}

/// Reads a regular file of at most `longest` bytes.
///
/// # Errors
/// As [`open`], and if the file is longer.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > longest {
        return Err(too_long("", longest));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read.
    read_up_to(file, longest, &mut bytes)?;
    Ok(bytes)
}

/// Reads a stream of at most `longest` bytes to its end.
///
/// # Errors
/// If it cannot be read, or is longer.
pub fn stream(input: impl Read, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_up_to(input, longest, &mut bytes)?;
    Ok(bytes)
}

/// Reads a line of at most [`LONGEST_LINE`] bytes, with its line end, and replaces the contents of `line`. Returns
/// whether there was a line.
///
/// # Errors
/// If it cannot be read, or is longer.
pub fn line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', line)?;
    if read as u64 > LONGEST_LINE { Err(too_long("the line is ", LONGEST_LINE)) } else { Ok(read > 0) }
}

fn read_up_to(input: impl Read, longest: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = input.take(longest + 1).read_to_end(bytes)?;
    if read as u64 > longest { Err(too_long("", longest)) } else { Ok(()) }
}

fn too_long(what: &str, longest: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("{what}longer than {longest} bytes"))
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

fn regular(status: &rustix::fs::Stat) -> io::Result<()> {
    match what_else(FileType::from_raw_mode(status.st_mode)) {
        None => Ok(()),
        Some(what) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("this is {what}; a regular file is needed")))
        }
    }
}

/// The name of a file type other than a regular file.
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

    /// Files of `/proc` claim to be empty, and are not.
    #[test]
    fn what_a_file_says_of_its_length_is_only_a_hint() {
        let status = read(Path::new("/proc/self/status"), 1 << 20).expect("it can be read");
        assert!(status.starts_with(b"Name:"));
        assert!(read(Path::new("/proc/self/status"), 10).is_err());
    }

    #[test]
    fn streams_and_lines_have_a_greatest_length() {
        assert_eq!(stream(&b"abcd"[..], 4).expect("four bytes"), b"abcd");
        assert_eq!(stream(io::repeat(0), 9).expect_err("it never ends").to_string(), "longer than 9 bytes");
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let refusal = line(&mut endless, &mut Vec::new()).expect_err("the line never ends");
        assert_eq!(refusal.to_string(), format!("the line is longer than {LONGEST_LINE} bytes"));
    }

    #[test]
    fn lines_come_one_after_the_other() {
        let (mut input, mut buffer) = (&b"one\n\nthree"[..], Vec::new());
        for expected in [&b"one\n"[..], b"\n", b"three"] {
            assert!(line(&mut input, &mut buffer).expect("memory can be read"));
            assert_eq!(buffer, expected);
        }
        assert!(!line(&mut input, &mut buffer).expect("memory can be read"));
    }

    #[test]
    fn text_is_utf8() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let file = scratch.path().join("file");
        std::fs::write(&file, b"ab\xff").expect("a scratch file can be written");
        assert_eq!(text(&file).expect_err("it is not text").to_string(), "byte 2 is not UTF-8");
    }
}
