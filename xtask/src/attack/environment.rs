//! Faults of the environment: missing and unwritable directories, variables that make no sense, closed descriptors.

use super::ground::{Ground, judge_answer, told};
use foretrace_testkit::Random;
use foretrace_testkit::fuzz::mutate;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// What a shell does before it runs the command.
const SHELL: [&str; 12] = [
    "exec <&-",
    "exec >&-",
    "exec 2>&-",
    "exec <&- >&- 2>&-",
    "exec >/dev/full",
    "exec 2>/dev/full",
    "export TMPDIR=/nowhere",
    "export TMPDIR=/proc",
    "export HOME=/proc FORETRACE_CACHE=",
    "unset HOME",
    "export PATH=/nowhere",
    "umask 777",
];

const VARIABLES: [(&str, &str); 5] = [
    ("FORETRACE_RUNTIME", "record limit=0 locations=0 follow=0 dir=/nowhere"),
    ("FORETRACE_RUNTIME", "replay dir=/nowhere"),
    ("FORETRACE_TOOL", "1"),
    ("FORETRACE_CACHE", "/proc"),
    ("FORETRACE_CC", "clang-19"),
];

/// Commands, and the exit code of each where nothing stands in its way.
const COMMANDS: [(&str, i32); 4] = [
    ("check --findings faulty -- ./prog", 1),
    ("check --budget 5s --findings faulty --recording good.ft", 1),
    ("predict good.ft", 1),
    ("trace info good.ft", 0),
];

/// One fault.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (words, code) = *random.choose(&COMMANDS);
    if random.below(3) == 0 {
        return variable(ground, random, words, code);
    }
    let before = *random.choose(&SHELL);
    let script = format!("{before}; exec \"$0\" {words}");
    let mut command = ground.limited(&["--as=8000000000", "bash", "-c", &script]);
    let ran = command.arg(ground.tool()).output().map_err(|error| error.to_string())?;
    judge_answer(&format!("{before}; foretrace {words}"), &ran, code)
}

/// A variable that is meant for the runtime, with a value that nobody gave it. What the tool says must not change.
fn variable(ground: &Ground, random: &mut Random, words: &str, code: i32) -> Result<(), String> {
    let (name, value) = *random.choose(&VARIABLES);
    let spoilt: Vec<u8> = mutate(random, value.as_bytes()).into_iter().filter(|byte| *byte != 0).collect();
    let mut plain = ground.limited(&[]);
    plain.arg("./prog").env(name, OsString::from_vec(spoilt.clone()));
    let ran = plain.output().map_err(|error| error.to_string())?;
    if ran.status.code() != Some(0) {
        return Err(format!("{name}={} ./prog: {}", String::from_utf8_lossy(&spoilt), told(&ran)));
    }
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = ground.command(&words);
    let ran = command.env(name, OsString::from_vec(spoilt.clone())).output().map_err(|error| error.to_string())?;
    judge_answer(&format!("{name}={} foretrace {words:?}", String::from_utf8_lossy(&spoilt)), &ran, code)
}
