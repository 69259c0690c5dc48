//! Folding `open` into `events` when the recorded program is gone.

use foretrace_event::layout::{CHUNK_HEADER_SIZE, ChunkKind, HEADER_SIZE, UNIT, chunk, header};
use foretrace_event::table::{ENTRY_SIZE, PLACE, TAG};
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::chunks::Chunk;
use super::live::{Hidden, refuse_live};
use super::{Recording, RecordingError};

/// Moves what was still being written into the `events` file of a recording, and removes `open`. Does nothing where
/// there is none.
///
/// # Errors
/// If the recording cannot be read, or not written to, or if a process still writes it.
pub fn fold(directory: &Path) -> Result<(), RecordingError> {
    let open = directory.join("open");
    if !open.exists() {
        return Ok(());
    }
    refuse_live(&open, Hidden::Writes)?;
    let recording = Recording::open(directory)?;
    let events = directory.join("events");
    append(&recording, &events).map_err(|source| RecordingError::Io { path: events, source })?;
    fs::remove_file(&open).map_err(|source| RecordingError::Io { path: open, source })
}

fn append(recording: &Recording, events: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(events)?;
    let mut next = end(recording, file.seek(SeekFrom::End(0))?);
    file.set_len(next)?;
    for thread in &recording.threads {
        for found in thread.records.iter().chain(&thread.tables) {
            let bytes = recording.bytes(found);
            if found.file != 1 || is_empty(found, bytes) {
                continue;
            }
            // A copy that was being written when the program died is written again where it stands.
            let place = found.replaces.map_or(next, |start| (start - CHUNK_HEADER_SIZE) as u64);
            file.seek(SeekFrom::Start(place))?;
            next = next.max(place + copy(&mut file, found, bytes)?);
        }
    }
    let mut head = recording.files[1].1.get()[..HEADER_SIZE].to_vec();
    head[header::NEXT..header::NEXT + 8].copy_from_slice(&next.to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)
}

/// Where chunks may be added: after all that was written, and after room that was taken but not filled, which a chunk
/// that begins before it may reach into.
fn end(recording: &Recording, length: u64) -> u64 {
    const LARGEST_CHUNK: u64 = 1 << 20;
    let header = &recording.files[1].1.get()[header::APPEND..];
    let taken = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
    length.max(taken.min(length + LARGEST_CHUNK)).next_multiple_of(UNIT as u64)
}

/// A chunk without records, or a table without lines.
fn is_empty(found: &Chunk, bytes: &[u8]) -> bool {
    let content = &bytes[found.start..found.end];
    match found.kind {
        ChunkKind::Records => content.is_empty(),
        ChunkKind::Table => content.chunks_exact(ENTRY_SIZE).all(|entry| entry[TAG..PLACE] == [0; 4]),
    }
}

/// Writes a chunk in the room it needs, and says how much that is.
fn copy(file: &mut fs::File, found: &Chunk, bytes: &[u8]) -> io::Result<u64> {
    let content = &bytes[found.start..found.end];
    let capacity = (CHUNK_HEADER_SIZE + content.len()).next_multiple_of(UNIT);
    let mut copy = bytes[found.start - CHUNK_HEADER_SIZE..found.end].to_vec();
    copy[chunk::CAPACITY..chunk::CAPACITY + 4].copy_from_slice(&(capacity as u32).to_le_bytes());
    copy.resize(capacity, 0);
    file.write_all(&copy)?;
    Ok(capacity as u64)
}
