//! Any text as a list of suppressions.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| foretrace::readers::suppressions(text));
