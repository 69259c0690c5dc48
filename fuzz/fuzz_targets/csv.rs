//! Any bytes as comma-separated values for a stream monitor.
#![no_main]

use foretrace_fuzz::monitor;
use foretrace_stream::input::{CsvReader, Undeclared};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let reader = CsvReader { name: "fuzz", undeclared: Undeclared::Ignore };
    monitor(|engine, out| drop(reader.run(bytes, engine, out)));
});
