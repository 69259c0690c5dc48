//! Programs that make it hard for whoever watches them: recorded, each must do what it does by itself, and leave a
//! recording that can be read.

use super::ground::{Ground, judge, told};
use crate::run::root;
use foretrace_testkit::Random;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How a program is built: natively, or by one of the instrumenting compilers.
const WAYS: [&str; 3] = ["native", "gcc", "clang-19"];
/// What it is started under.
const CIRCUMSTANCES: [&[&str]; 4] = [&[], &["taskset", "-c", "0"], &["nice", "-n", "10"], &["setsid", "--wait"]];
/// The program that allows itself no file before its first thread has no recording.
const UNRECORDED: &str = "no_files_at_all";

/// One program, recorded or checked.
pub fn once(ground: &Ground, random: &mut Random) -> Result<(), String> {
    let source = random.choose(&sources()?).clone();
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (way, around) = (*random.choose(&WAYS), *random.choose(&CIRCUMSTANCES));
    let (native, watched) = (built(ground, &source, WAYS[0])?, built(ground, &source, way)?);
    if random.one_in(4) {
        return checked(ground, &name, &watched);
    }
    let alone = run(ground, around, &native, None)?;
    let directory = ground.path("nasty.ft");
    let recorded = run(ground, around, &watched, Some(&directory))?;
    let what = format!("{name}, {way}, {around:?}");
    if (code(&alone), &alone.stdout) != (code(&recorded), &recorded.stdout) {
        return Err(format!("{what}: by itself {}\nrecorded {}", told(&alone), told(&recorded)));
    }
    let info = ground.run(&["trace", "info", "nasty.ft"]);
    match info.status.code() {
        Some(0) => Ok(()),
        _ if name == UNRECORDED => Ok(()),
        _ => Err(format!("{what}: the recording cannot be read: {}", told(&info))),
    }
}

fn checked(ground: &Ground, name: &str, program: &Path) -> Result<(), String> {
    let words = ["check", "--budget", "2s", "--findings", "nasty-findings", "--"];
    let ran = ground.command(&words).arg(program).output().map_err(|error| error.to_string())?;
    let _ = fs::remove_dir_all(ground.path("nasty-findings"));
    judge(&format!("check of {name}"), &ran)
}

/// The programs, but for the library that one of them loads.
fn sources() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("tests/semantics/nasty");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_program =
        |path: &PathBuf| path.extension().is_some_and(|end| end == "c" || end == "cc") && !path.ends_with("plugin.c");
    let mut sources: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_program).collect();
    sources.sort();
    Ok(sources)
}

/// A program as it is built this way, with the library beside it; each is built once.
fn built(ground: &Ground, source: &Path, way: &str) -> Result<PathBuf, String> {
    let folder = ground.path(format!("nasty-{way}"));
    let program = folder.join(source.file_stem().unwrap_or_default());
    if !folder.exists() {
        fs::create_dir(&folder).map_err(|error| error.to_string())?;
        let library = source.with_file_name("plugin.c");
        compile(
            ground,
            way,
            &[library.as_path(), Path::new("-shared"), Path::new("-fPIC")],
            &folder.join("plugin.so"),
        )?;
    }
    if !program.exists() {
        compile(ground, way, &[source], &program)?;
    }
    Ok(program)
}

fn compile(ground: &Ground, way: &str, words: &[&Path], output: &Path) -> Result<(), String> {
    let is_cxx = words[0].extension().is_some_and(|end| end == "cc");
    let mut command = match (way, is_cxx) {
        ("native", true) => Command::new("g++"),
        ("native", false) => Command::new("gcc"),
        (_, true) => ground.command(&["c++", "--compiler", if way == "gcc" { "g++" } else { "clang++-19" }]),
        (_, false) => ground.command(&["cc", "--compiler", way]),
    };
    command.args(["-g", "-O1", "-pthread"]).args(words).arg("-o").arg(output);
    let ran = command.output().map_err(|error| error.to_string())?;
    if ran.status.success() { Ok(()) } else { Err(format!("{command:?}: {}", told(&ran))) }
}

/// Runs a program by itself, or records it.
fn run(ground: &Ground, around: &[&str], program: &Path, recording: Option<&Path>) -> Result<Output, String> {
    let mut command = ground.limited(around);
    if let Some(recording) = recording {
        let _ = fs::remove_dir_all(recording);
        command.arg(ground.tool()).args(["record", "-o"]).arg(recording).arg("--");
    }
    command.arg(program).output().map_err(|error| error.to_string())
}

/// The exit code; 128 and the number of the signal for a program that died by one.
fn code(ran: &Output) -> i32 {
    ran.status.code().unwrap_or_else(|| 128 + ran.status.signal().unwrap_or(0))
}
