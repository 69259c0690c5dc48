//! Any text as a stream specification: it compiles or says why not.
#![no_main]

use foretrace_stream::{Options, compile};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = compile("fuzz", text, &Options::for_text(text));
});
