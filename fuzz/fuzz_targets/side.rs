//! Any bytes as each of the files beside the events of a recording.
#![no_main]

use foretrace_testkit::fuzz::beside_events;

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| {
    let names = ["modules", "threads", "run", "customs", "benign"];
    beside_events(&[(names[usize::from(input.0) % names.len()], input.1)]);
});
