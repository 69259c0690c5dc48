//! Folds `open` into `events` when the recorded program has ended.

use foretrace_event::layout::{CHUNK_HEADER_SIZE, ChunkKind, HEADER_SIZE, UNIT, chunk, header};
use foretrace_event::table::{ENTRY_SIZE, PLACE, TAG};
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::chunks::{Chunk, LARGEST_CHUNK};
use super::live::{Hidden, refuse_live};
use super::{Recording, RecordingError};

/// Moves the unfinished chunks into the `events` file of a recording, and removes `open`. Does nothing if there is no
/// `open`.
///
/// # Errors
/// If the recording cannot be read or written, or if a process still writes it.
pub fn fold(directory: &Path) -> Result<(), RecordingError> {
    let open = directory.join("open");
    if !open.exists() {
        return Ok(());
    }
    refuse_live(&open, Hidden::Writes)?;
    let recording = Recording::open(directory)?;
    append(&recording, &directory.join("events"))?;
    fs::remove_file(&open).map_err(|source| RecordingError::Io { path: open, source })
}

fn append(recording: &Recording, events: &Path) -> Result<(), RecordingError> {
    let failed = |source| RecordingError::Io { path: events.to_owned(), source };
    let mut file = OpenOptions::new().write(true).open(events).map_err(failed)?;
    let mut head = recording.files[1].1.read(0..HEADER_SIZE).map_err(failed)?;
    let mut next = end(&head, file.seek(SeekFrom::End(0)).map_err(failed)?);
    file.set_len(next).map_err(failed)?;
    for thread in &recording.threads {
        for found in thread.records.iter().chain(&thread.tables).filter(|found| found.file == 1) {
            let bytes = recording.read(found, found.start - CHUNK_HEADER_SIZE..found.end)?;
            if !is_empty(found, &bytes) {
                // A copy that was being written when the program died is overwritten in place.
                let place = found.replaces.map_or(next, |start| (start - CHUNK_HEADER_SIZE) as u64);
                next = next.max(place + write(&mut file, place, bytes).map_err(failed)?);
            }
        }
    }
    head[header::NEXT..header::NEXT + 8].copy_from_slice(&next.to_le_bytes());
    file.write_all_at(&head, 0).map_err(failed)
}

/// Where chunks may be added: after everything written, and after reserved but unfilled space, into which a chunk that
/// begins before it may extend.
fn end(head: &[u8], length: u64) -> u64 {
    let taken = &head[header::APPEND..header::APPEND + 8];
    let taken = u64::from_le_bytes(taken.try_into().expect("eight bytes"));
    length.max(taken.min(length + LARGEST_CHUNK as u64)).next_multiple_of(UNIT as u64)
}

/// A chunk without records, or a table without lines. The bytes are those of the chunk with its header.
fn is_empty(found: &Chunk, bytes: &[u8]) -> bool {
    let content = &bytes[CHUNK_HEADER_SIZE..];
    match found.kind {
        ChunkKind::Records => content.is_empty(),
        ChunkKind::Table => content.chunks_exact(ENTRY_SIZE).all(|entry| entry[TAG..PLACE] == [0; 4]),
    }
}

/// Writes a chunk, and returns how much space it takes.
fn write(file: &mut fs::File, place: u64, mut chunk: Vec<u8>) -> io::Result<u64> {
    let capacity = chunk.len().next_multiple_of(UNIT);
    chunk[chunk::CAPACITY..chunk::CAPACITY + 4].copy_from_slice(&(capacity as u32).to_le_bytes());
    chunk.resize(capacity, 0);
    file.write_all_at(&chunk, place)?;
    Ok(capacity as u64)
}
