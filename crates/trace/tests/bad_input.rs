//! Broken recordings: one clear line with the position, or a trace that says what is missing. Never a panic.

use std::io::Cursor;
use std::path::Path;

use foretrace_event::layout::{CHUNK_HEADER_SIZE, ChunkKind, HEADER_SIZE, UNIT, chunk, header};
use foretrace_event::table::{ENTRY_SIZE, PLACE, TAG, WRITES};
use foretrace_testkit::fuzz::accepted;
use foretrace_trace::convert::{self, record};
use foretrace_trace::{Note, Recording, Trace, text};

const SOURCE: &str = include_str!("../../../tests/traces/form/every_operation.trace");

fn good() -> Vec<u8> {
    let trace = text::parse(SOURCE).expect("a good trace");
    record(&trace, Cursor::new(Vec::new())).expect("memory takes all writes").into_inner()
}

/// The trace, or the message, which must be one line with a position.
fn read(events: Vec<u8>) -> Result<Trace, String> {
    let trace = Recording::from_vec(Path::new("x.ft/events"), events, None).and_then(|recording| recording.trace());
    trace.map_err(|error| {
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.starts_with("x.ft/events: byte "), "{message}");
        message
    })
}

#[track_caller]
fn refused(events: Vec<u8>, message: &str) {
    assert_eq!(read(events).map(|_| ()), Err(message.to_owned()));
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn what_is_no_recording_is_refused() {
    refused(Vec::new(), "x.ft/events: byte 0: not a Foretrace recording");
    refused(b"#!/bin/sh\n".to_vec(), "x.ft/events: byte 0: not a Foretrace recording");
    refused(b"FTRACE".to_vec(), "x.ft/events: byte 6: the file ends within its header");
    let mut newer = good();
    put(&mut newer, header::VERSION, 77);
    refused(
        newer,
        "x.ft/events: byte 8: recording version 77, but this tool reads version 4; record the program again",
    );
}

#[test]
fn impossible_chunks_are_refused_where_they_are() {
    let change = |offset, value| {
        let mut bytes = good();
        put(&mut bytes, HEADER_SIZE + offset, value);
        bytes
    };
    refused(change(chunk::KIND, 9), "x.ft/events: byte 4100: unknown kind of chunk 9");
    refused(change(chunk::THREAD, 9), "x.ft/events: byte 4104: a chunk names thread 9, but there were only 3 threads");
    refused(change(chunk::CAPACITY, 8), "x.ft/events: byte 4112: a chunk of 8 bytes is smaller than its header");
    refused(change(chunk::USED, 5000), "x.ft/events: byte 4116: a chunk of 512 bytes claims to use 5000");
    refused(change(CHUNK_HEADER_SIZE, 0x7f7f_7f7f), "x.ft/events: byte 4128: thread 0: unknown operation 0x7f");
    let mut next = good();
    put(&mut next, header::NEXT, 7);
    refused(next, "x.ft/events: byte 256: the header says the next chunk is at byte 7, within the header");
}

#[test]
fn a_recording_cut_at_any_byte_is_read_up_to_there() {
    let bytes = good();
    for cut in 0..bytes.len() {
        let read = read(bytes[..cut].to_vec());
        if cut < HEADER_SIZE {
            assert!(read.is_err(), "cut at {cut}");
            continue;
        }
        let trace = read.unwrap_or_else(|message| panic!("cut at {cut}: {message}"));
        assert!(trace.notes().contains(&Note::CutOff { byte: cut as u64 }), "cut at {cut}: {:?}", trace.notes());
        accepted(&trace);
    }
}

#[test]
fn a_recording_with_any_bit_flipped_is_refused_or_legal() {
    let bytes = good();
    let used = (0..16).chain(header::NEXT..header::NEXT + 8).chain(header::THREADS..header::LOST + 8);
    for byte in used.chain(HEADER_SIZE..bytes.len()) {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[byte] ^= 1 << bit;
            if let Ok(trace) = read(flipped) {
                accepted(&trace);
            }
        }
    }
}

/// A program that was killed while it moved a chunk left it twice; one that was killed before left a hole.
#[test]
fn chunks_that_are_there_twice_count_once_and_holes_are_skipped() {
    let bytes = good();
    let whole = read(bytes.clone()).expect("a good recording");
    let capacity =
        u32::from_le_bytes(bytes[HEADER_SIZE + 16..HEADER_SIZE + 20].try_into().expect("four bytes")) as usize;
    let mut twice = bytes.clone();
    twice.extend_from_slice(&[0; UNIT]);
    twice.extend_from_slice(&bytes[HEADER_SIZE..HEADER_SIZE + capacity]);
    let end = twice.len() as u32;
    put(&mut twice, header::NEXT, end);
    let read = read(twice).expect("the same recording");
    assert_eq!(read.stats(), whole.stats());
    assert_eq!(read.notes(), whole.notes());
}

#[test]
fn a_thread_ends_before_a_chunk_that_is_missing() {
    let mut bytes = good();
    put(&mut bytes, HEADER_SIZE + chunk::SEQUENCE, 1);
    let trace = read(bytes).expect("it still reads");
    assert!(trace.notes().contains(&Note::MissingChunk { thread: 0, sequence: 0 }));
    accepted(&trace);
}

#[test]
fn open_lines_are_the_last_segment() {
    let source = "a fork b\nb write x\na write x\n";
    let trace = text::parse(source).expect("a good trace");
    let mut bytes = record(&trace, Cursor::new(Vec::new())).expect("memory takes all writes").into_inner();
    let table = bytes.len();
    bytes.resize(table + UNIT, 0);
    put(&mut bytes, table, foretrace_event::layout::CHUNK_MAGIC);
    put(&mut bytes, table + chunk::KIND, ChunkKind::Table as u32);
    put(&mut bytes, table + chunk::THREAD, 1);
    put(&mut bytes, table + chunk::CAPACITY, UNIT as u32);
    // The line whose slot is 1, with the lowest tag.
    let entry = table + CHUNK_HEADER_SIZE + ENTRY_SIZE;
    put(&mut bytes, entry + TAG, 1);
    put(&mut bytes, entry + PLACE, 0x5000_1234);
    put(&mut bytes, entry + WRITES, 0xff);
    put(&mut bytes, header::WINDOWS + 5 * 8, 0x7000_0001);
    let end = bytes.len() as u32;
    put(&mut bytes, header::NEXT, end);
    let recording = |bytes: &Vec<u8>| Recording::from_vec(Path::new("events"), bytes.clone(), None).expect("it opens");
    let last = recording(&bytes).records(1).last().expect("it has records").expect("they are good");
    let access = last.access().expect("the open line comes last");
    assert_eq!((access.line, access.writes, access.pc), (0x401, 0xff, 0x7000_1234));
    put(&mut bytes, entry + PLACE, 0x4000_1234);
    let error = recording(&bytes).records(1).last().expect("it has records").expect_err("there is no such window");
    assert_eq!(
        error.to_string(),
        format!("events: byte {entry}: thread 1: the place of a touched line is not in the program's code")
    );
}

#[test]
fn any_form_is_opened_and_errors_name_the_file() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let write = |name: &str, content: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path
    };
    let text = convert::open(&write("a.trace", SOURCE.as_bytes())).expect("a text trace");
    let std = convert::open(&write("a.std", b"T0|w(x)|1\n")).expect("an STD trace");
    let recording = convert::open(&write("events", &good())).expect("a recording");
    assert_eq!((text.threads().len(), std.threads().len(), recording.threads().len()), (3, 1, 3));
    let path = write("bad.std", b"T0|w(x|1\nT1\n");
    let message = convert::open(&path).expect_err("a bad trace").to_string();
    let name = path.display();
    assert_eq!(
        message,
        format!("{name}: line 1, column 7: expected `)`\n{name}: line 2, column 3: expected `|` and an operation")
    );
    let path = write("noise", &[0xff, 0xfe, 0]);
    let message = convert::open(&path).expect_err("noise").to_string();
    assert_eq!(message, format!("{}: byte 0: neither a recording nor a text trace", path.display()));
}

/// A file that shrinks between opening and reading is an error of the file, and no signal ends the process.
#[test]
fn a_recording_that_shrinks_while_it_is_read_is_an_error() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("events");
    std::fs::write(&path, good()).expect("a scratch file can be written");
    let recording = Recording::open(&path).expect("a good recording");
    std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(1)).expect("it can be cut");
    let error = recording.trace().expect_err("its events are gone").to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
}

/// A chunk that claims gigabytes, in a file that is mostly a hole, costs no memory.
#[test]
fn a_chunk_larger_than_any_recorder_makes_is_refused() {
    let mut bytes = good();
    put(&mut bytes, HEADER_SIZE + chunk::CAPACITY, 1 << 31);
    refused(bytes, "x.ft/events: byte 4112: a chunk of 2147483648 bytes is larger than any recorder writes");
}
