//! Accesses kept apart by place are the accesses written one by one: over the random loops of [`crate::loops`], in builds
//! of both compilers.

use crate::loops::{ARENA, program};
use crate::run::{finish, foretrace, open};
use foretrace_event::wire::Record;
use foretrace_trace::Recording;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bytes read and written in a segment, by line and place.
type Segment = BTreeMap<(u64, u64), (u64, u64)>;

/// The segments of the second thread. Places are counted from the lowest one, because the program lies elsewhere each time.
fn segments(recording: &Recording) -> Vec<Segment> {
    let mut segments = vec![Segment::new()];
    for entry in recording.records(1) {
        match entry.expect("the recording is whole").record {
            Record::Sync(_) => segments.push(Segment::new()),
            Record::Access(access) if ARENA.contains(&(access.line * 64)) => {
                let last = segments.last_mut().expect("there is always one");
                let bytes = last.entry((access.line, access.pc)).or_default();
                *bytes = (bytes.0 | access.reads, bytes.1 | access.writes);
            }
            Record::Access(_) => {}
        }
    }
    let lowest = segments.iter().flat_map(|segment| segment.keys()).map(|(_, pc)| *pc).min().unwrap_or(0);
    let moved =
        |segment: Segment| segment.into_iter().map(|((line, pc), bytes)| ((line, pc - lowest), bytes)).collect();
    segments.into_iter().map(moved).collect()
}

fn build(source: &Path, compiler: &str) -> PathBuf {
    let built = source.with_extension(compiler);
    let mut command = foretrace(&["cc", "--compiler", compiler, "-O1", "-g", "-pthread"]);
    command.arg(source).arg("-o").arg(&built).env("FORETRACE_LOOPS", "0");
    let outcome = finish(&mut command, &built.with_extension("built"));
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    built
}

fn record(program: &Path, settings: &str, directory: &Path) -> Vec<Segment> {
    std::fs::create_dir_all(directory).expect("a scratch directory can be made");
    let mut command = Command::new(program);
    command.env("FORETRACE_RUNTIME", format!("record {settings} dir={}", directory.display()));
    command.env("FORETRACE_TOOL", std::process::id().to_string());
    let outcome = finish(&mut command, directory);
    assert_eq!(outcome.code(), 0, "{settings}: {}", outcome.stderr);
    segments(&open(directory))
}

#[test]
fn accesses_by_place_are_those_written_one_by_one() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let source = scratch.path().join("loops.c");
    std::fs::write(&source, program(4)).expect("a scratch file can be written");
    for compiler in ["gcc", "clang-19"] {
        let program = build(&source, compiler);
        let directory = |name: &str| scratch.path().join(format!("{compiler}-{name}.ft"));
        let by_place = record(&program, "locations=1", &directory("place"));
        let one_by_one = record(&program, "every=1 locations=1", &directory("every"));
        assert!(by_place.iter().flatten().count() > 1000, "{compiler}: the loops touch memory");
        assert_eq!(by_place.len(), one_by_one.len(), "{compiler}");
        for (segment, (by_place, one_by_one)) in by_place.iter().zip(&one_by_one).enumerate() {
            assert_eq!(by_place, one_by_one, "{compiler}: segment {segment}");
        }
    }
}
