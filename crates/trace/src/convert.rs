//! Conversion: opens a trace in any form and writes it in any other.

mod record;
pub mod std_form;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use foretrace_event::layout::MAGIC;

use crate::note::Note;
use crate::recording::{Recording, RecordingError};
use crate::symbols::Symbols;
use crate::text::{self, TextErrors};
use crate::trace::Trace;
pub use record::record;

/// The longest text trace that is read: it is parsed in memory.
const LONGEST_TRACE: u64 = 4 << 30;

/// The forms of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A recording.
    Binary,
    /// One event a line.
    Text,
    /// The form of the RAPID tools.
    Std,
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "binary" => Ok(Self::Binary),
            "text" => Ok(Self::Text),
            "std" => Ok(Self::Std),
            other => Err(format!("unknown form {other}; there are binary, text and std")),
        }
    }
}

/// Why a trace of some form cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// A recording.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A text or STD trace; the message has a line for each error.
    #[error("{}", prefixed(path, errors))]
    Text {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        errors: TextErrors,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Neither a recording nor text.
    #[error("{}: byte {byte}: neither a recording nor a text trace", path.display())]
    NeitherForm {
        /// Which file.
        path: PathBuf,
        /// The first byte that is not text.
        byte: usize,
    },
}

fn prefixed(path: &Path, errors: &TextErrors) -> String {
    let lines: Vec<_> = errors.0.iter().map(|error| format!("{}: {error}", path.display())).collect();
    lines.join("\n")
}

/// Reads a trace of any form: a recording is recognised by its directory or first bytes, an STD trace by its bars.
/// Objects of recordings get the names of the program's variables.
///
/// # Errors
/// If it cannot be read; the message has one line for each error, with its position.
pub fn open(path: &Path) -> Result<Trace, ConvertError> {
    let failed = |source| ConvertError::Io { path: path.to_owned(), source };
    if path.is_dir() || is_recording(path).map_err(failed)? {
        let recording = Recording::open(path)?;
        let mut trace = recording.trace()?;
        Symbols::new(&recording).name(&mut trace);
        return Ok(trace);
    }
    let text = String::from_utf8(foretrace_file::read(path, LONGEST_TRACE).map_err(failed)?)
        .map_err(|error| ConvertError::NeitherForm { path: path.to_owned(), byte: error.utf8_error().valid_up_to() })?;
    let read = if is_std(&text) { std_form::parse(&text) } else { text::parse(&text) };
    read.map_err(|errors| ConvertError::Text { path: path.to_owned(), errors })
}

fn is_recording(path: &Path) -> io::Result<bool> {
    let mut start = [0; MAGIC.len()];
    let read = io::Read::read(&mut foretrace_file::open(path)?, &mut start)?;
    Ok(read > 0 && start[..read] == MAGIC[..read] && read == MAGIC.len())
}

fn is_std(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.contains('|'))
}

/// Writes a trace in a form; a recording becomes a directory. The notes list what the form could not express.
///
/// # Errors
/// If writing fails.
pub fn write(trace: &Trace, form: Form, path: &Path) -> Result<Vec<Note>, ConvertError> {
    let failed = |source| ConvertError::Io { path: path.to_owned(), source };
    if form == Form::Binary {
        fs::create_dir_all(path).map_err(failed)?;
        let file = File::create(path.join("events")).map_err(failed)?;
        record(trace, BufWriter::new(file)).map_err(failed)?;
        record::side_files(trace, path).map_err(failed)?;
        return Ok(Vec::new());
    }
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    let notes = print(trace, form, &mut out).map_err(failed)?;
    out.flush().map_err(failed)?;
    Ok(notes)
}

/// Writes a trace as text or in the STD form.
///
/// # Errors
/// If writing fails, or if the form is a recording, which is not text.
pub fn print(trace: &Trace, form: Form, out: &mut dyn Write) -> io::Result<Vec<Note>> {
    match form {
        Form::Text => text::print(trace, out).map(|()| Vec::new()),
        Form::Std => std_form::print(trace, out),
        Form::Binary => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "a recording is a directory: name one with -o"))
        }
    }
}
