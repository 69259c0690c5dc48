//! The standard input of a program: the same in every run.

mod bounded;

pub use bounded::Copied;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::FileType;

/// What a program reads from its standard input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Input {
    /// Nothing at all.
    #[default]
    Nothing,
    /// A file, from this byte on.
    File(PathBuf, u64),
    /// The content of this file, through a pipe.
    Piped(PathBuf),
}

/// Our own standard input, opened again: with a separate position, even if the file has been renamed or removed.
const OWN: &str = "/proc/self/fd/0";

impl Input {
    /// Prepares the first run of a program, which reads our own standard input, so that later runs can read the same.
    /// Input from a pipe passes through `copy`.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn first(command: &mut Command, copy: &Path) -> io::Result<Self> {
        Self::of_own(|own| {
            let (reader, writer) = io::pipe()?;
            let copy_to = File::create(copy)?;
            command.stdin(reader);
            std::thread::spawn(move || pass_on(own.lock(), writer, copy_to));
            Ok(Self::Piped(copy.to_owned()))
        })
    }

    /// Our own standard input for many runs, which all read the same: a file as it is, a pipe as a copy of what comes before
    /// its end or a long pause, and nothing else.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub fn own(copy: &Path) -> io::Result<(Self, Copied)> {
        let mut copied = Copied::Whole;
        let input = Self::of_own(|own| {
            copied = bounded::copy(own, &mut File::create(copy)?, bounded::Limits::default())?;
            Ok(Self::File(copy.to_owned(), 0))
        })?;
        Ok((input, copied))
    }

    /// Our own standard input: a file from where it stands, a pipe as the caller stores it, and nothing else.
    fn of_own(store: impl FnOnce(io::Stdin) -> io::Result<Self>) -> io::Result<Self> {
        let own = io::stdin();
        let kind = rustix::fs::fstat(own.as_fd()).map(|status| FileType::from_raw_mode(status.st_mode));
        match kind {
            Ok(FileType::RegularFile) => {
                let at = rustix::fs::seek(own.as_fd(), rustix::fs::SeekFrom::Current(0))?;
                Ok(Self::File(PathBuf::from(OWN), at))
            }
            Ok(FileType::Fifo) if !own.is_terminal() => store(own),
            _ => Ok(Self::Nothing),
        }
    }

    /// Our own standard input under a path that another process can open, if it is a file: for a later run.
    pub fn own_file() -> Self {
        let at = rustix::fs::seek(io::stdin(), rustix::fs::SeekFrom::Current(0));
        match (std::fs::read_link(OWN), at) {
            (Ok(path), Ok(at)) if path.is_file() => Self::File(path, at),
            _ => Self::Nothing,
        }
    }

    /// Connects it to a command.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn give(&self, command: &mut Command) -> io::Result<()> {
        match self {
            Self::Nothing => command.stdin(Stdio::null()),
            Self::File(path, from) => command.stdin(opened(path, *from)?),
            Self::Piped(path) => {
                let mut content = foretrace_file::open(path)?;
                let (reader, mut writer) = io::pipe()?;
                // The thread ends at the latest when the program and the command have ended, and with them the other
                // end of the pipe.
                std::thread::spawn(move || io::copy(&mut content, &mut writer));
                command.stdin(reader)
            }
        };
        Ok(())
    }

    /// Copies it to a permanent place; the contents stay the same.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn keep(&self, copy: &Path) -> io::Result<Self> {
        match self {
            Self::Nothing => Ok(Self::Nothing),
            Self::File(path, from) => {
                io::copy(&mut opened(path, *from)?, &mut File::create(copy)?)?;
                Ok(Self::File(copy.to_owned(), 0))
            }
            Self::Piped(path) => {
                std::fs::copy(path, copy)?;
                Ok(Self::Piped(copy.to_owned()))
            }
        }
    }
}

impl Input {
    /// Its description, for [`Input::from_words`].
    pub fn words(&self) -> Vec<OsString> {
        match self {
            Self::Nothing => vec!["nothing".into()],
            Self::File(path, from) => vec!["file".into(), from.to_string().into(), path.into()],
            Self::Piped(path) => vec!["pipe".into(), path.into()],
        }
    }

    /// The input with this description.
    ///
    /// # Errors
    /// If the description is not valid.
    pub fn from_words(words: &[OsString]) -> Result<Self, NoInput> {
        let is = |word: &OsString, name: &str| word == name;
        match words {
            [kind] if is(kind, "nothing") => Ok(Self::Nothing),
            [kind, path] if is(kind, "pipe") => Ok(Self::Piped(path.into())),
            [kind, from, path] if is(kind, "file") => {
                let from = from.to_str().and_then(|from| from.parse().ok()).ok_or(NoInput)?;
                Ok(Self::File(path.into(), from))
            }
            _ => Err(NoInput),
        }
    }

    /// The file that it comes from.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Nothing => None,
            Self::File(path, _) | Self::Piped(path) => Some(path),
        }
    }

    /// The same from another file.
    pub fn moved(self, to: impl FnOnce(&Path) -> PathBuf) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::File(path, from) => Self::File(to(&path), from),
            Self::Piped(path) => Self::Piped(to(&path)),
        }
    }
}

/// The description is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("is not an input: expected `nothing`, `file BYTE PATH` or `pipe PATH`")]
pub struct NoInput;

fn opened(path: &Path, from: u64) -> io::Result<File> {
    let mut file = foretrace_file::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    Ok(file)
}

/// Passes data on as it arrives. If the program stops reading, it stops too.
fn pass_on(mut from: impl Read, mut to: impl Write, mut copy: impl Write) {
    let mut buffer = [0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if copy.write_all(&buffer[..count]).is_err() || to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(input: &Input) -> String {
        let mut command = Command::new("cat");
        input.give(&mut command).unwrap();
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    #[test]
    fn every_run_reads_the_same() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, copy) = (scratch.path().join("file"), scratch.path().join("copy"));
        std::fs::write(&file, "first\nsecond\n").unwrap();
        for (input, content) in [
            (Input::Nothing, ""),
            (Input::File(file.clone(), 6), "second\n"),
            (Input::Piped(file.clone()), "first\nsecond\n"),
        ] {
            let kept = input.keep(&copy).unwrap();
            assert_eq!(Input::from_words(&kept.words()), Ok(kept.clone()));
            for _ in 0..2 {
                assert_eq!((reads(&input).as_str(), reads(&kept).as_str()), (content, content), "{input:?}");
            }
        }
    }

    #[test]
    fn what_is_no_input_is_refused() {
        for text in ["", "file", "file x", "file -1 x", "file 1", "nothing more", "pipe", "socket x"] {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            assert_eq!(Input::from_words(&words), Err(NoInput), "{text}");
        }
    }

    #[test]
    fn who_reads_no_more_is_given_no_more() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        std::fs::write(&file, vec![0; 1 << 20]).unwrap();
        let mut command = Command::new("true");
        Input::Piped(file).give(&mut command).unwrap();
        assert!(command.status().unwrap().success());
        let mut copy = Vec::new();
        pass_on(&b"passed on"[..], io::sink(), &mut copy);
        assert_eq!(copy, b"passed on");
    }
}
