//! A compiler's arguments: for any arguments, the wrapper plans a command or returns an error, keeps the user's
//! arguments in order, and handles response files that name each other.

use super::random::Random;
use foretrace_cc::{Compiler, Family, Runtime, plan};
use std::ffi::OsString;
use std::path::Path;

const WORDS: [&str; 28] = [
    "-c",
    "-o",
    "a.c",
    "b.cc",
    "x.o",
    "-x",
    "c",
    "none",
    "c-header",
    "-E",
    "-shared",
    "-r",
    "-static",
    "-Wl,-z,defs",
    "-Wl,",
    "-fsanitize=thread",
    "-fsanitize=address,undefined",
    "-fno-sanitize=all",
    "-g",
    "-gz",
    "@0",
    "@1",
    "@2",
    "-",
    "--",
    "-Xlinker",
    "-flto",
    "s.S",
];

/// One call.
pub fn once(random: &mut Random) {
    let files: Vec<String> = (0..3).map(|_| text(random)).collect();
    let args: Vec<OsString> = words(random).into_iter().map(OsString::from).collect();
    let family = *random.choose(&[Family::Gcc, Family::Clang]);
    let compiler = Compiler { command: vec!["cc".into()], family };
    let read = |file: &Path| files.get(file.to_str()?.parse::<usize>().ok()?).cloned();
    let runtime = Runtime::in_directory(Path::new("/runtime"));
    if let Ok(command) = plan(&compiler, &runtime, &args, &read) {
        let mut rest = command.iter();
        assert!(args.iter().all(|arg| rest.any(|word| word == arg)), "an argument is lost: {args:?} in {command:?}");
    }
}

fn words(random: &mut Random) -> Vec<String> {
    (0..random.below(8)).map(|_| word(random)).collect()
}

fn word(random: &mut Random) -> String {
    match random.below(8) {
        0 => (0..random.below(6)).map(|_| char::from(random.next() as u8)).collect(),
        _ => (*random.choose(&WORDS)).to_owned(),
    }
}

fn text(random: &mut Random) -> String {
    let separators = [" ", "\n", "\\", "'", "\"", "\t"];
    let mut text = String::new();
    for word in words(random) {
        text += &word;
        text.push_str(random.choose::<&str>(&separators));
    }
    text
}
