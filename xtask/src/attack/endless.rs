//! Inputs that never end, or whose lines never do, through pipes and FIFOs.

use super::ground::{Ground, judge};
use foretrace_testkit::Random;

/// What writes without an end.
const SOURCES: [&str; 7] = [
    "cat /dev/zero",
    "yes",
    "yes '1: a = 1'",
    "yes 1,2,3",
    "tr '\\000' x < /dev/zero",
    "(printf 'ftevent\\002'; cat /dev/zero)",
    "(printf 'ftevent\\002\\001\\003\\001a'; tr '\\000' '\\377' < /dev/zero)",
];

const COMMANDS: [&str; 7] = [
    "monitor good.tessla",
    "monitor --csv good.tessla -",
    "monitor good.tessla endless",
    "csp -",
    "csp --repl good.csp",
    "monitor /dev/stdin good.events",
    "predict /dev/stdin",
];

/// The memory that a command may have: far more than the greatest line or script takes.
const MEMORY: &str = "--as=2000000000";
/// A stream that is right and never ends is read for ever. Twice the longest line is enough, or more than the longest text
/// where the whole is read at once.
const LINES: &str = "head -c 9000000";
const TEXT: &str = "head -c 300000000";
/// Every line at a prompt is answered, which takes its time.
const QUESTIONS: &str = "head -c 3000";

/// One command, fed for as long as it reads.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (source, words) = (*random.choose(&SOURCES), *random.choose(&COMMANDS));
    let most = match words {
        "csp -" => TEXT,
        "csp --repl good.csp" if source.starts_with("yes") => QUESTIONS,
        _ => LINES,
    };
    let feed = format!("{source} 2>/dev/null | {most}");
    let script = match words.contains("endless") {
        true => format!("rm -f endless; mkfifo endless; ({feed} > endless) & \"$0\" {words} > /dev/null"),
        false => format!("{feed} | \"$0\" {words} > /dev/null"),
    };
    let mut command = ground.limited(&[MEMORY, "bash", "-c", &script]);
    let ran = command.arg(ground.tool()).output().map_err(|error| error.to_string())?;
    judge(&script, &ran)
}
