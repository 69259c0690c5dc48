//! Limits of the system while a program is recorded, checked or replayed.

use super::ground::{Ground, judge_answer};
use foretrace_testkit::Random;

/// Limits under which the program itself can still make its threads.
const LIMITS: [&str; 12] = [
    "--fsize=0",
    "--fsize=1",
    "--fsize=4096",
    "--fsize=20000",
    "--nofile=6",
    "--nofile=12",
    "--as=300000000",
    "--as=600000000",
    "--stack=65536",
    "--data=60000000",
    "--memlock=0",
    "--nproc=1",
];

/// Commands, and the exit code of each where nothing stands in its way.
const COMMANDS: [(&[&str], i32); 5] = [
    (&["check", "--findings", "limited", "--", "./prog"], 1),
    (&["check", "--budget", "5s", "--recording", "good.ft", "--findings", "limited"], 1),
    (&["predict", "good.ft"], 1),
    (&["csp", "good.csp"], 1),
    (&["monitor", "good.tessla", "good.events"], 0),
];

/// One command under one limit.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let limit = *random.choose(&LIMITS);
    let (words, code) = *random.choose(&COMMANDS);
    let ran = ground.limited(&[limit]).arg(ground.tool()).args(words).output().map_err(|error| error.to_string())?;
    // The loader itself cannot start a program in too little memory.
    if ran.status.code() == Some(127) {
        return Ok(());
    }
    judge_answer(&format!("prlimit {limit} foretrace {words:?}"), &ran, code)
}
