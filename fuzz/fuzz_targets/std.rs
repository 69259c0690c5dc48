//! Any text as an STD trace.
#![no_main]

use foretrace_testkit::fuzz::accepted;
use foretrace_trace::convert::std_form;

libfuzzer_sys::fuzz_target!(|source: &str| {
    if let Ok(trace) = std_form::parse(source) {
        accepted(&trace);
    }
});
