//! Any words as the standard input that a finding names.
#![no_main]

use std::ffi::OsString;

use foretrace_replay::Input;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
    if let Ok(input) = Input::from_words(&words) {
        assert_eq!(Input::from_words(&input.words()), Ok(input));
    }
});
