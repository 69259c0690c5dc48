//! The recorded program is killed at a random moment; what it left must be readable.

use super::ground::{Ground, judge, told};
use foretrace_testkit::Random;
use std::process::{Command, Stdio};
use std::time::Duration;

/// One kill. The program is the only child of `record`.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let words = ["record", "-o", "killed.ft", "sh", "-c", "exec ./prog"];
    let mut record = ground.command(&words);
    let mut child = record.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    std::thread::sleep(Duration::from_micros(u64::from(random.below(30_000))));
    for process in descendants(child.id()) {
        let _ = Command::new("kill").args(["-s", "KILL", &process]).stderr(Stdio::null()).status();
    }
    child.wait().map_err(|error| error.to_string())?;
    if !ground.path("killed.ft/events").exists() {
        return Ok(());
    }
    for words in [["trace", "info", "killed.ft"], ["predict", "killed.ft", "--stats"]] {
        let ran = ground.run(&words);
        let text = told(&ran);
        // The tool itself may have been killed before it had made the recording.
        let empty = text.contains("no events") || text.contains("ends within its header") || text.contains("byte 0");
        judge(&format!("foretrace {words:?} of a killed program"), &ran)?;
        if ran.status.code() == Some(2) && !empty {
            return Err(format!("foretrace {words:?} cannot read what a killed program left: {text}"));
        }
    }
    Ok(())
}

/// The processes below this one that are not of the tool itself: the deepest.
fn descendants(process: u32) -> Vec<String> {
    let children = |of: &str| {
        let file = format!("/proc/{of}/task/{of}/children");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut deepest = Vec::new();
    let mut layer = vec![process.to_string()];
    while !layer.is_empty() {
        layer = layer.iter().flat_map(|of| children(of)).collect();
        if !layer.is_empty() {
            deepest.clone_from(&layer);
        }
    }
    deepest
}
