//! The Common Trace Format, version 1.8: a directory with metadata as text and events as bits.
//!
//! An event of the trace is an event of the stream with its name, of the type `CTF`; `CTF.getInt` and `CTF.getString` look
//! into it. Timestamps are nanoseconds since the origin of the trace's first clock.
//!
//! **Deviations.** The value of an enumeration is found by `CTF.getInt`, its label by `CTF.getString`; TeSSLa, which reads
//! traces with Trace Compass, gives neither.
//!
//! **What it misses.** Traces with several clocks, compressed or encrypted metadata, version 2, and event classes that a variant of a
//! variant chooses by another enumeration's overlapping ranges: the first label counts.
mod bits;
mod decode;
mod file;
mod layout;
mod lexer;
mod parser;
mod types;

use super::Names;
use super::Undeclared;
use crate::engine::{Engine, RunError, Sink, Time};
use crate::ty::Ty;
use crate::value::Value;
use file::StreamFile;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::rc::Rc;
use types::Layout;

/// Longer metadata are not read.
const MAX_METADATA: u64 = 16 << 20;
/// The number that each packet of packetised metadata begins with.
const METADATA_MAGIC: u32 = 0x75D1_1D57;
/// Bytes before the text of such a packet.
const METADATA_HEAD: usize = 37;

#[derive(Debug, thiserror::Error)]
pub enum CtfProblem {
    #[error("metadata, line {line}: {what}")]
    Metadata { line: usize, what: String },
    #[error("the metadata are not text")]
    NotText,
    #[error("a packet does not begin with the number of CTF")]
    NotAPacket,
    #[error("the trace ends in the middle of a packet or an event")]
    CutOff,
    #[error("a packet or an event is too large")]
    TooLarge,
    #[error("the metadata have no stream {0}")]
    NoStream(u128),
    #[error("the metadata have no event {id} of stream {stream}")]
    NoEvent { stream: u64, id: u64 },
    #[error("an event `{0}` takes no bits")]
    NoBits(String),
    #[error("no earlier field `{0}` says which variant it is")]
    NoVariant(String),
    #[error("no earlier field `{0}` says how long a sequence is")]
    NoLength(String),
    #[error("an event has a time before the beginning of time")]
    BeforeTime,
    #[error("input `{stream}` has events of type {found}; events of a CTF trace are of type CTF or Unit")]
    BadType { stream: String, found: String },
    #[error("the trace has no events of input `{0}`, and never can")]
    NoInput(String),
    #[error("the specification has no input `{0}`")]
    Undeclared(String),
    #[error("{0}")]
    Run(#[from] RunError),
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
}

/// An event of a trace.
pub struct CtfEvent {
    pub time: Time,
    pub name: Rc<str>,
    pub value: Value,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtfSummary {
    pub events: u64,
    /// Events that the tracer had no room for.
    pub discarded: u64,
}

/// Whether a directory is a trace in this format.
pub fn is_trace(path: &Path) -> bool {
    path.join("metadata").is_file()
}

/// Reads a trace into an engine.
pub struct CtfReader {
    pub undeclared: Undeclared,
}

impl CtfReader {
    /// Reads everything; a problem is told with the file that has it.
    pub fn run(
        &self,
        path: &Path,
        engine: &mut Engine,
        sink: &mut impl Sink,
    ) -> Result<CtfSummary, (String, CtfProblem)> {
        let at = |path: &Path| path.display().to_string();
        let metadata = path.join("metadata");
        let layout = Rc::new(read_layout(&metadata).map_err(|problem| (at(&metadata), problem))?);
        check_inputs(engine, &layout).map_err(|problem| (at(path), problem))?;
        let mut files = Vec::new();
        for file in stream_files(path).map_err(|problem| (at(path), problem.into()))? {
            let input = File::open(&file).map_err(|problem| (at(&file), problem.into()))?;
            files.push((at(&file), StreamFile::new(BufReader::new(input), layout.clone())));
        }
        self.merge(files, engine, sink)
    }

    /// Hands the events of all files over in the order of their times; at one time, in the order of the files.
    fn merge(
        &self,
        mut files: Vec<(String, StreamFile<BufReader<File>>)>,
        engine: &mut Engine,
        sink: &mut impl Sink,
    ) -> Result<CtfSummary, (String, CtfProblem)> {
        let names = Names::new(&engine.plan().inputs);
        let mut heads = Vec::new();
        for (name, file) in &mut files {
            heads.push(file.next().map_err(|problem| (name.clone(), problem))?);
        }
        let mut events = 0;
        while let Some(at) = earliest(&heads) {
            let (name, file) = &mut files[at];
            let next = file.next().map_err(|problem| (name.clone(), problem))?;
            let event = std::mem::replace(&mut heads[at], next).expect("it is the earliest");
            self.hand_over(event, &names, engine, sink).map_err(|problem| (name.clone(), problem))?;
            events += 1;
            if engine.stopped() {
                break;
            }
        }
        Ok(CtfSummary { events, discarded: files.iter().map(|(_, file)| file.discarded).sum() })
    }

    fn hand_over(
        &self,
        event: CtfEvent,
        names: &Names,
        engine: &mut Engine,
        sink: &mut impl Sink,
    ) -> Result<(), CtfProblem> {
        let Some(input) = names.find(&event.name) else {
            return match self.undeclared {
                Undeclared::Ignore => Ok(engine.advance(event.time, sink)?),
                Undeclared::Reject => Err(CtfProblem::Undeclared(event.name.to_string())),
            };
        };
        let value = if engine.plan().inputs[input].ty == Ty::Unit { Value::Unit } else { event.value };
        Ok(engine.push(event.time, input, value, sink)?)
    }
}

fn earliest(heads: &[Option<CtfEvent>]) -> Option<usize> {
    let times = heads.iter().enumerate().filter_map(|(at, head)| Some((head.as_ref()?.time, at)));
    times.min().map(|(_, at)| at)
}

/// The inputs of a specification must be events that the trace may have.
fn check_inputs(engine: &Engine, layout: &Layout) -> Result<(), CtfProblem> {
    for input in &engine.plan().inputs {
        if !matches!(input.ty, Ty::Ctf | Ty::Unit) {
            return Err(CtfProblem::BadType { stream: input.name.to_string(), found: input.ty.to_string() });
        }
        if !layout.events.iter().any(|event| event.name == input.name) {
            return Err(CtfProblem::NoInput(input.name.to_string()));
        }
    }
    Ok(())
}

fn read_layout(path: &Path) -> Result<Layout, CtfProblem> {
    let bytes = foretrace_file::read(path, MAX_METADATA).map_err(std::io::Error::other)?;
    let text = String::from_utf8(unpacked(bytes)?).map_err(|_| CtfProblem::NotText)?;
    Layout::parse(&text)
}

/// The text of metadata, which may come in packets.
fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, CtfProblem> {
    let word = |bytes: &[u8], big: bool| {
        let word: [u8; 4] = bytes.try_into().expect("four bytes");
        if big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
    };
    let Some(big) =
        bytes.get(..4).and_then(|magic| [false, true].into_iter().find(|big| word(magic, *big) == METADATA_MAGIC))
    else {
        return Ok(bytes);
    };
    let (mut text, mut rest) = (Vec::new(), &bytes[..]);
    while !rest.is_empty() {
        let head = rest.get(..METADATA_HEAD).ok_or(CtfProblem::CutOff)?;
        let (content, whole) = (word(&head[24..28], big) as usize / 8, word(&head[28..32], big) as usize / 8);
        if word(&head[..4], big) != METADATA_MAGIC || head[32..34] != [0, 0] {
            return Err(CtfProblem::NotText);
        }
        if content < METADATA_HEAD || whole < content || whole > rest.len() {
            return Err(CtfProblem::CutOff);
        }
        text.extend_from_slice(&rest[METADATA_HEAD..content]);
        rest = &rest[whole..];
    }
    Ok(text)
}

/// The binary files of a trace, by name; what begins with a point, the metadata and directories are none.
fn stream_files(path: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if !hidden && name != "metadata" && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
