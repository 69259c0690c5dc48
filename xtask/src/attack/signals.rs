//! Signals to the tool at a random moment.

use super::ground::Ground;
use foretrace_testkit::Random;
use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [&str; 5] = ["INT", "TERM", "HUP", "QUIT", "PIPE"];

const COMMANDS: [&[&str]; 4] = [
    &["check", "--findings", "signalled", "--recording", "good.ft"],
    &["check", "--findings", "signalled", "--", "./prog"],
    &["record", "-o", "signalled.ft", "./prog"],
    &["csp", "--timeout", "20s", "good.csp"],
];

/// One signal to one command, after up to sixty milliseconds. It must end, and leave no directory of its own.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (signal, words) = (*random.choose(&SIGNALS), *random.choose(&COMMANDS));
    let mut command = Command::new(ground.tool());
    command.args(words).current_dir(ground.path("")).env("TMPDIR", ground.temporary());
    command.env("FORETRACE_CACHE", ground.path("cache"));
    let said = ground.path("said");
    let log = fs::File::create(&said).and_then(|log| Ok((log.try_clone()?, log)));
    let (out, err) = log.map_err(|error| error.to_string())?;
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    std::thread::sleep(Duration::from_micros(u64::from(random.below(60_000))));
    let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    let Some(status) = end(&mut child) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("SIG{signal} to foretrace {words:?}: it does not end"));
    };
    let text = String::from_utf8_lossy(&fs::read(&said).unwrap_or_default()).into_owned();
    let what = format!("SIG{signal} to foretrace {words:?}: {status}: {text}");
    // The program has a race: nothing that looked at all of it can call it fine.
    let all_clear = words[0] == "check" && status.success();
    if all_clear || text.contains("panicked at") {
        return Err(what);
    }
    ground.nothing_left().map_err(|left| format!("{what}{left}"))
}

/// How it ends, if it does so within a minute.
fn end(child: &mut Child) -> Option<ExitStatus> {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}
