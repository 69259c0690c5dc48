//! Limits of the system while a program is recorded, checked or replayed.

use super::ground::{Ground, judge, told};
use foretrace_testkit::Random;

/// Limits, and whether the recording cannot be made under them: then nothing may be called fine.
const LIMITS: [(&str, bool); 10] = [
    ("--fsize=0", true),
    ("--fsize=1", true),
    ("--fsize=4096", true),
    ("--fsize=20000", false),
    ("--nofile=6", false),
    ("--nofile=12", false),
    ("--as=300000000", false),
    ("--stack=65536", false),
    ("--data=20000000", false),
    ("--memlock=0", false),
];

const COMMANDS: [&[&str]; 4] = [
    &["check", "--findings", "limited", "--", "./prog"],
    &["check", "--budget", "5s", "--recording", "good.ft", "--findings", "limited"],
    &["predict", "good.ft"],
    &["csp", "good.csp"],
];

/// One command under one limit.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (limit, hopeless) = *random.choose(&LIMITS);
    let words = *random.choose(&COMMANDS);
    let ran = ground.limited(&[limit]).arg(ground.tool()).args(words).output().map_err(|error| error.to_string())?;
    let what = format!("prlimit {limit} foretrace {words:?}");
    // The loader itself cannot start a program in too little memory.
    let could_not_start = ran.status.code() == Some(127);
    if !could_not_start {
        judge(&what, &ran)?;
    }
    if hopeless && words.contains(&"./prog") && ran.status.code() == Some(0) {
        return Err(format!("{what}: all clear, though nothing could be recorded: {}", told(&ran)));
    }
    Ok(())
}
