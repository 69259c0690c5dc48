//! Broken files and special files in place of every file that the tool reads.

use super::ground::{Ground, SPOILT, judge, told};
use foretrace_testkit::Random;
use foretrace_testkit::fuzz::mutate;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file to spoil, the whole that it is part of, and the commands that read it; `@` stands for the whole.
struct Reader {
    whole: &'static str,
    parts: &'static [&'static str],
    commands: &'static [&'static str],
}

const RECORDING: &[&str] = &["events", "modules", "threads", "run", "environment", "seal"];

const READERS: &[Reader] = &[
    Reader {
        whole: "good.ft",
        parts: RECORDING,
        commands: &[
            "trace info @",
            "trace dump @",
            "trace dump --raw @",
            "predict @",
            "trace convert @ --to text",
            "check --budget 5s --recording @",
            "monitor locks.tessla @",
        ],
    },
    Reader { whole: "good.trace", parts: &[""], commands: &["predict --max-states 20000 @", "trace dump @"] },
    Reader {
        whole: "good.std",
        parts: &[""],
        commands: &["predict --max-states 20000 @", "trace convert @ --to text"],
    },
    Reader { whole: "good.csp", parts: &[""], commands: &["csp --timeout 5s @"] },
    Reader { whole: "good.tessla", parts: &[""], commands: &["monitor @ good.events"] },
    Reader { whole: "good.events", parts: &[""], commands: &["monitor good.tessla @"] },
    Reader { whole: "good.csv", parts: &[""], commands: &["monitor good.tessla @"] },
    Reader { whole: "good.supp", parts: &[""], commands: &["check --recording good.ft --suppressions @"] },
    Reader { whole: "finding", parts: &["finding", "schedule"], commands: &["replay @"] },
];

/// A copy of what a reader reads, the part of it that is to be spoilt, and a command that reads it.
fn target(ground: &Ground, random: &mut Random) -> (PathBuf, Vec<String>) {
    let reader = random.choose(READERS);
    let good = if reader.whole == "finding" { ground.finding() } else { ground.path(reader.whole) };
    let ending = Path::new(reader.whole).extension().unwrap_or_default().to_string_lossy();
    // A finding names its recording by a path that begins at its own folder.
    let copy = match reader.whole {
        "finding" => format!("foretrace-findings/{SPOILT}"),
        _ => format!("{SPOILT}.{ending}"),
    };
    let whole = ground.copy(&good, &copy);
    let part = *random.choose(reader.parts);
    let file = if part.is_empty() { whole } else { whole.join(part) };
    let command = random.choose(reader.commands);
    (file, command.split(' ').map(|word| if word == "@" { copy.clone() } else { word.to_owned() }).collect())
}

/// Every command must understand the whole files, or the attack would attack nothing but the reader of arguments.
pub fn check_whole(ground: &Ground) -> Result<(), String> {
    for reader in READERS {
        let finding = ground.finding().to_string_lossy().into_owned();
        let whole = if reader.whole == "finding" { &finding } else { reader.whole };
        for command in reader.commands {
            let words: Vec<&str> = command.split(' ').map(|word| if word == "@" { whole } else { word }).collect();
            let ran = ground.run(&words);
            if !matches!(ran.status.code(), Some(0 | 1)) {
                return Err(format!("{words:?} does not work on the whole file: {}", told(&ran)));
            }
        }
    }
    Ok(())
}

/// One file with some of its bytes changed.
pub fn mutated(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (file, words) = target(ground, random);
    let spoilt = mutate(random, &fs::read(&file).unwrap_or_default());
    fs::write(&file, spoilt).map_err(|error| error.to_string())?;
    judge(&format!("{} changed, {words:?}", file.display()), &ground.run(&words))
}

/// What may stand where a regular file is expected.
const SPECIAL: [&str; 8] = ["fifo", "directory", "device", "loop", "nothing", "empty", "hole", "unreadable"];

/// One special file in place of a regular one.
pub fn special(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let (file, words) = target(ground, random);
    // Events may come from a FIFO, and then they are waited for.
    let events = file.ends_with(format!("{SPOILT}.events")) || file.ends_with(format!("{SPOILT}.csv"));
    let kind = *random.choose(if events { &SPECIAL[1..] } else { &SPECIAL });
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir_all(&file);
    let made = match kind {
        "fifo" => Command::new("mkfifo").arg(&file).status().map(drop),
        "directory" => fs::create_dir(&file),
        "device" => symlink("/dev/zero", &file),
        "loop" => symlink(&file, &file),
        "nothing" => Ok(()),
        "empty" => fs::write(&file, ""),
        "hole" => fs::File::create(&file).and_then(|made| made.set_len(1 << 40)),
        _ => symlink("/proc/self/mem", &file),
    };
    made.map_err(|error| error.to_string())?;
    let ran = ground.run(&words);
    let _ = fs::remove_dir_all(&file);
    judge(&format!("{kind} as {}, {words:?}", file.display()), &ran)
}
