//! Any bytes as a module of the program, with symbols and debug information.
#![no_main]

use foretrace_testkit::fuzz::as_module;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| as_module(bytes));
