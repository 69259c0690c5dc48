//! The files that a run left on disk, decoded as they are read and never held in memory as a whole.

mod bytes;
mod chunks;
mod error;
mod fold;
mod limits;
mod live;
mod merged;
mod records;
mod side;
mod writer;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;
pub use chunks::Header;
use chunks::{Chunk, ThreadChunks};
pub use error::{Damage, RecordingError};
pub use fold::fold;
use foretrace_event::layout::Flags;
use foretrace_event::wire::Record;
pub use limits::Limits;
pub use merged::Merged;
pub use records::{Entry, Records};
pub use side::Module;
pub use writer::RecordingWriter;

use crate::note::Note;

/// An opened recording.
#[derive(Debug)]
pub struct Recording {
    /// `events`, and `open` if there is one.
    files: Vec<(PathBuf, Bytes)>,
    header: Header,
    threads: Vec<ThreadChunks>,
    modules: Vec<Module>,
    benign: Vec<Range<u64>>,
    names: BTreeMap<u32, String>,
    customs: BTreeMap<u64, String>,
    strings: BTreeMap<u64, String>,
    run: BTreeMap<String, String>,
    notes: Vec<Note>,
    /// The sync records of each thread that were undone.
    undone: OnceLock<Vec<Vec<u64>>>,
    limits: Limits,
}

/// A thread of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedThread<'a> {
    /// Its number while it ran.
    pub id: u32,
    /// Its name, if it had one.
    pub name: Option<&'a str>,
}

impl Recording {
    /// Opens a recording: its directory, or its `events` file.
    ///
    /// # Errors
    /// If it cannot be read, is not a recording, is still being written, or its chunks are malformed.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let events = if path.is_dir() { path.join("events") } else { path.to_owned() };
        let directory = events.parent().unwrap_or(Path::new("."));
        let mut files = vec![(events.clone(), open_file(&events)?)];
        let open = directory.join("open");
        if events.ends_with("events") && open.exists() {
            live::refuse_live(&open, live::Hidden::DoesNot)?;
            files.push((open.clone(), open_file(&open)?));
        }
        let mut recording = Self::from_files(files)?;
        recording.modules = side::modules(&directory.join("modules"))?;
        recording.benign = side::benign(&directory.join("benign"))?;
        recording.names = side::threads(&directory.join("threads"))?;
        recording.customs = side::customs(&directory.join("customs"))?;
        recording.strings = side::strings(&directory.join("strings"))?;
        recording.run = side::run(&directory.join("run"))?;
        Ok(recording)
    }

    /// Reads the bytes of an `events` file, and of the `open` file beside it if there is one; `path` is for errors.
    ///
    /// # Errors
    /// If they are not a recording, or its chunks are malformed.
    pub fn from_vec(path: &Path, events: Vec<u8>, open: Option<Vec<u8>>) -> Result<Self, RecordingError> {
        let mut files = vec![(path.to_owned(), Bytes::Owned(events))];
        files.extend(open.map(|bytes| (path.with_file_name("open"), Bytes::Owned(bytes))));
        Self::from_files(files)
    }

    fn from_files(files: Vec<(PathBuf, Bytes)>) -> Result<Self, RecordingError> {
        let parts: Vec<_> = files.iter().map(|(path, bytes)| (path.as_path(), bytes)).collect();
        let headers: Result<Vec<_>, _> = parts.iter().map(|(path, bytes)| chunks::read_header(path, bytes)).collect();
        let header = *headers?.last().expect("at least one file");
        let mut notes = header_notes(&header);
        let threads = chunks::find(&parts, &header, &mut notes)?;
        Ok(Self {
            files,
            header,
            threads,
            modules: Vec::new(),
            benign: Vec::new(),
            names: BTreeMap::new(),
            customs: BTreeMap::new(),
            strings: BTreeMap::new(),
            run: BTreeMap::new(),
            notes,
            undone: OnceLock::new(),
            limits: Limits::default(),
        })
    }

    /// The same recording; reading it fails once a limit is reached.
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    fn stopped(&self) -> RecordingError {
        RecordingError::Stopped { path: self.path().to_owned() }
    }

    /// Where its `events` file is.
    pub fn path(&self) -> &Path {
        &self.files[0].0
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of its `events` file.
    pub fn size(&self) -> u64 {
        self.files[0].1.len() as u64
    }

    /// The threads that left records, by number.
    pub fn threads(&self) -> impl ExactSizeIterator<Item = RecordedThread<'_>> + '_ {
        self.threads.iter().map(|thread| RecordedThread { id: thread.id, name: self.thread_name(thread.id) })
    }

    /// The name of the thread with this number.
    pub fn thread_name(&self, number: u32) -> Option<&str> {
        self.names.get(&number).map(String::as_str)
    }

    /// The kind of the user's events whose name is at this address: the first address with the same name, and the name.
    /// Only the address if the name is unknown.
    pub(crate) fn custom(&self, address: u64) -> (u64, Option<&str>) {
        let Some(name) = self.customs.get(&address) else { return (address, None) };
        let first = self.customs.iter().find(|(_, other)| *other == name);
        (first.map_or(address, |(first, _)| *first), Some(name))
    }

    /// A text that the user's own events carry; its number if the text is unknown.
    pub(crate) fn string(&self, number: u64) -> Cow<'_, str> {
        self.strings.get(&number).map_or_else(|| Cow::Owned(format!("string {number:#x}")), |text| text.into())
    }

    /// Adds a text that the user's own events carry, as the file `strings` has it.
    pub fn with_string(mut self, number: u64, text: &str) -> Self {
        self.strings.insert(number, text.to_owned());
        self
    }

    /// The records of the thread with this index in [`Recording::threads`].
    pub fn records(&self, index: usize) -> Records<'_> {
        Records::new(self, &self.threads[index], self.undone(index))
    }

    /// Passes all records to `each`, thread by thread, with the thread's index. This includes undone records: which
    /// ones were undone is known only afterwards, and is remembered for later reads.
    ///
    /// # Errors
    /// If a record cannot be decoded.
    pub fn scan(&self, mut each: impl FnMut(usize, &Record)) -> Result<(), RecordingError> {
        let mut undone = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            undone.push(records::scan(self, thread, |record| each(index, record))?);
        }
        self.undone.get_or_init(|| undone);
        Ok(())
    }

    /// The undone sync records of a thread. If a thread cannot be read to its end, none.
    fn undone(&self, index: usize) -> &[u64] {
        let scan = |thread| records::scan(self, thread, |_| ()).unwrap_or_default();
        &self.undone.get_or_init(|| self.threads.iter().map(scan).collect())[index]
    }

    /// The records of all threads in the order of their stamps.
    pub fn merged(&self) -> Merged<'_> {
        Merged::new(self)
    }

    /// The mapped files of the recorded program, by address.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The addresses on which the program has declared races to be harmless.
    pub fn benign(&self) -> &[Range<u64>] {
        &self.benign
    }

    /// The mapped files of a program that may still run, whose recording is in this directory; by address.
    ///
    /// # Errors
    /// If their list cannot be read or is malformed.
    pub fn modules_in(directory: &Path) -> Result<Vec<Module>, RecordingError> {
        side::modules(&directory.join("modules"))
    }

    /// The names of the user's own events by address.
    pub fn event_names(&self) -> &BTreeMap<u64, String> {
        &self.customs
    }

    /// The names of the user's own events of a recording that need not be complete yet.
    ///
    /// # Errors
    /// If their list cannot be read or is malformed.
    pub fn event_names_in(directory: &Path) -> Result<BTreeMap<u64, String>, RecordingError> {
        side::customs(&directory.join("customs"))
    }

    /// What was run, and how it ended.
    pub fn run(&self) -> &BTreeMap<String, String> {
        &self.run
    }

    /// What is missing.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Reads a range of the file that a chunk is in.
    fn read(&self, chunk: &Chunk, range: std::ops::Range<usize>) -> Result<Vec<u8>, RecordingError> {
        let (path, bytes) = &self.files[chunk.file];
        bytes.read(range).map_err(|source| RecordingError::Io { path: path.clone(), source })
    }
}

fn header_notes(header: &Header) -> Vec<Note> {
    let flags = header.flags;
    let notes = [
        (!flags.has(Flags::CLOSED)).then_some(Note::NotClosed),
        flags.has(Flags::LIMIT).then_some(Note::SizeLimit),
        flags.has(Flags::NO_SPACE).then_some(Note::DiskFull),
        (header.lost > 0).then_some(Note::Lost(header.lost)),
    ];
    notes.into_iter().flatten().collect()
}

fn open_file(path: &Path) -> Result<Bytes, RecordingError> {
    Bytes::open(path).map_err(|source: io::Error| RecordingError::Io { path: path.to_owned(), source })
}
