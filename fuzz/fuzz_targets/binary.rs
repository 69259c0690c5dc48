//! Any bytes as a binary trace of a stream monitor.
#![no_main]

use foretrace_fuzz::monitor;
use foretrace_stream::input::{BinaryReader, Undeclared};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let reader = BinaryReader { name: "fuzz", undeclared: Undeclared::Ignore };
    monitor(|engine, out| drop(reader.run(bytes, engine, out)));
});
