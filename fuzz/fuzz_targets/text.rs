//! Any text as a text trace.
#![no_main]

use foretrace_testkit::fuzz::accepted;
use foretrace_trace::text;

libfuzzer_sys::fuzz_target!(|source: &str| {
    if let Ok(trace) = text::parse(source) {
        accepted(&trace);
    }
});
