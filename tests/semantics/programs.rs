//! One test a theme: every program of `tests/semantics/<theme>`, built and recorded every way.

use crate::build::{Way, build};
use crate::events::{Filter, Variable, events};
use crate::expect::Program;
use crate::run::recorded;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Events = BTreeMap<u32, Vec<String>>;

/// The programs of a theme.
pub fn sources(theme: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics").join(theme);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    let is_program = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name.ends_with(".c") || name.ends_with(".cc")) && !name.starts_with("plugin")
    };
    files.retain(is_program);
    files.sort();
    files
}

/// Runs a theme's programs, and fails with all that is wrong.
fn check(theme: &str) {
    let chosen = std::env::var("PROGRAM").ok();
    let sources = sources(theme).into_iter();
    let sources = sources.filter(|path| chosen.as_ref().is_none_or(|name| path.ends_with(name)));
    let complaints: Vec<_> = sources.flat_map(|source| check_program(&source)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_program(source: &Path) -> Vec<String> {
    let mut program = Program::read(source);
    let mut complaints = Vec::new();
    for way in program.ways.clone() {
        let scratch = tempfile::tempdir().expect("a scratch directory can be made");
        let outcome = std::panic::catch_unwind(|| record(&program, way, scratch.path()));
        let Ok(found) = outcome else {
            complaints.push(format!("{} ({}): see above", source.display(), way.name()));
            continue;
        };
        if program.any {
            continue;
        }
        if blesses() && way == program.ways[0] {
            program.bless(&found);
            program = Program::read(source);
        }
        let expected = shown(&program, way);
        complaints
            .extend(differences(&expected, &found).map(|text| format!("{} ({}){text}", source.display(), way.name())));
    }
    complaints
}

fn blesses() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

fn filter(program: &Program, way: Way) -> Filter<'_> {
    Filter { keep: &program.keep, sync_only: way == Way::Preload }
}

/// What the program's comments say, as far as this way shows it.
fn shown(program: &Program, way: Way) -> Events {
    let filter = filter(program, way);
    let name = |event: &String| event.split(' ').next().unwrap_or_default().to_owned();
    let kept = |events: &Vec<String>| events.iter().filter(|event| filter.shows(&name(event))).cloned().collect();
    program.threads.iter().map(|(thread, events)| (*thread, kept(events))).collect()
}

fn record(program: &Program, way: Way, scratch: &Path) -> Events {
    let executable = build(program, way, scratch);
    let directory = scratch.join("recording");
    let argument = scratch.to_str().expect("scratch directories have plain names");
    let (recording, outcome) = recorded(&executable, &[argument], &directory);
    assert_eq!(outcome.code(), program.exit, "{}: {}", program.path.display(), outcome.stderr);
    assert_eq!(outcome.stderr, "", "{}", program.path.display());
    let mut variables = Variable::parse(&outcome.stdout);
    variables.extend(Variable::named(&program.show, &executable, &recording));
    let names = if blesses() && way == program.ways[0] { Events::new() } else { shown(program, way) };
    events(&recording, &variables, &filter(program, way), &names)
}

fn differences(expected: &Events, found: &Events) -> Option<String> {
    let threads: std::collections::BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let none = Vec::new();
    let mut text = String::new();
    for thread in threads {
        let (expected, found) = (expected.get(thread).unwrap_or(&none), found.get(thread).unwrap_or(&none));
        if expected != found {
            text +=
                &format!("\n  t{thread} expected: {}\n  t{thread}    found: {}", expected.join("; "), found.join("; "));
        }
    }
    (!text.is_empty()).then_some(text)
}

macro_rules! themes {
    ($($theme:ident)*) => {$(
        #[test]
        fn $theme() {
            check(stringify!($theme));
        }
    )*};
}

themes!(annotations atomics barriers c11 channels conditions cxx libc memory modules mutexes once processes rwlocks semaphores
    signals threads);
