//! Any bytes as the `events` file of a recording.
#![no_main]

use std::path::Path;

use foretrace_testkit::fuzz::accepted;
use foretrace_trace::{Recording, check};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(recording) = Recording::from_vec(Path::new("events"), bytes.to_vec(), None) {
        let _ = check::recording(&recording);
        if let Ok(trace) = recording.trace() {
            accepted(&trace);
        }
    }
});
