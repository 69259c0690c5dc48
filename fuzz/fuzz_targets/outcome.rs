//! Any text as what a replay says.
#![no_main]

use foretrace_run::Outcome;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = Outcome::parse(text);
});
