//! Any text as the command of a finding.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| foretrace::readers::words(text));
