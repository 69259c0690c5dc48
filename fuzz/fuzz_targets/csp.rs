//! Any text as a CSP_M script: it loads or says why not.
#![no_main]

use foretrace_csp::script::{Script, with_stack};

libfuzzer_sys::fuzz_target!(|text: &str| {
    with_stack(|| drop(Script::load("fuzz.csp", text, Vec::new())));
});
