//! Optimal reduction against every interleaving, on random programs.

mod oracle;

use foretrace_explore::tiny::{random_cancelling_program, random_failing_program, random_program};
use foretrace_explore::{End, OpKind, Optimal};
use oracle::{everything, explore};

/// More of them with `PROGRAMS=50000 cargo test --release`.
fn many_programs(usual: u64) -> u64 {
    std::env::var("PROGRAMS").map_or(usual, |many| many.parse().expect("a number"))
}

#[test]
fn one_execution_of_each_class() {
    let many = many_programs(1_000);
    let (mut compared, mut classes) = (0, 0);
    for seed in 0..many {
        let program = random_program(seed);
        let Some(all) = everything(&program, 2_000) else { continue };
        let seen =
            explore(&program, &mut Optimal::new(), 2_000).unwrap_or_else(|| panic!("seed {seed}: more than all"));
        assert_eq!(seen.diverged, 0, "seed {seed}: {program:?}");
        assert_eq!(seen.outcomes, all.outcomes, "seed {seed}: {program:?}");
        assert_eq!(seen.races, all.races, "seed {seed}: {program:?}");
        assert!(seen.classes.keys().eq(all.classes.keys()), "seed {seed}: {program:?}");
        assert_eq!(seen.asleep, 0, "seed {seed}: {program:?}");
        assert_eq!(seen.executions as usize, all.classes.len(), "seed {seed}: {program:?}");
        (compared, classes) = (compared + 1, classes + all.classes.len());
    }
    assert!(compared > 400 && classes > 3 * compared, "{compared} programs, {classes} classes");
}

/// Executions that end early are not complete, so there are fewer of them than classes; but every failure, every race and
/// every way to end is found.
#[test]
fn programs_that_fail_or_exit() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..many_programs(1_000) {
        let program = random_failing_program(seed);
        let Some(all) = everything(&program, 2_000) else { continue };
        let seen =
            explore(&program, &mut Optimal::new(), 2_000).unwrap_or_else(|| panic!("seed {seed}: more than all"));
        assert_eq!((seen.diverged, seen.asleep), (0, 0), "seed {seed}: {program:?}");
        assert_eq!(seen.failures, all.failures, "seed {seed}: {program:?}");
        assert_eq!(seen.races, all.races, "seed {seed}: {program:?}");
        let whole = |end: &End| !matches!(end, End::Crashed { .. });
        let complete = |seen: &oracle::Seen| {
            seen.outcomes
                .iter()
                .filter(|(_, _, end)| whole(end))
                .map(|(.., end)| end.clone())
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(complete(&seen), complete(&all), "seed {seed}: {program:?}");
        (compared, failing) = (compared + 1, failing + usize::from(!all.failures.is_empty()));
    }
    assert!(compared > 400 && failing > 200, "{compared} programs, {failing} of them fail");
}

/// Threads that are cancelled, and futexes. What a futex finds in its word, and whether a thread still waits when it is cancelled,
/// is not known before it is run, so a few executions are redundant.
#[test]
fn programs_that_cancel() {
    let (mut compared, mut cancelled) = (0, 0);
    let (mut redundant, mut classes) = (0, 0);
    for seed in 0..many_programs(2_000) {
        let program = random_cancelling_program(seed);
        let Some(all) = everything(&program, 2_000) else { continue };
        let seen =
            explore(&program, &mut Optimal::new(), 2_000).unwrap_or_else(|| panic!("seed {seed}: more than all"));
        assert_eq!(seen.diverged, 0, "seed {seed}: {program:?}");
        assert_eq!((&seen.outcomes, &seen.races), (&all.outcomes, &all.races), "seed {seed}: {program:?}");
        assert!(seen.classes.keys().eq(all.classes.keys()), "seed {seed}: {program:?}");
        let more = seen.executions as usize - all.classes.len();
        (redundant, classes) = (redundant + more, classes + all.classes.len());
        let notices = |class: &oracle::Class| class.iter().any(|(.., kind)| *kind == OpKind::Cancelled);
        (compared, cancelled) = (compared + 1, cancelled + usize::from(all.classes.keys().any(notices)));
    }
    assert!(compared > 800 && cancelled > 90, "{compared} programs, {cancelled} with a cancelled thread");
    assert!(redundant * 100 < classes, "{redundant} redundant executions for {classes} classes");
}

/// With less memory than it needs the search finds the same; some executions are redundant.
#[test]
fn a_forgetful_search_finds_the_same() {
    let (mut executions, mut asleep, mut classes) = (0, 0, 0);
    for seed in 0..many_programs(700) {
        let program = random_program(seed);
        let Some(all) = everything(&program, 1_000) else { continue };
        let mut search = Optimal::new().remember((seed % 4) as usize);
        let seen = explore(&program, &mut search, 10_000).unwrap_or_else(|| panic!("seed {seed}: it does not end"));
        assert_eq!((&seen.outcomes, &seen.races), (&all.outcomes, &all.races), "seed {seed}: {program:?}");
        assert_eq!(seen.diverged, 0, "seed {seed}: {program:?}");
        assert!(seen.classes.keys().eq(all.classes.keys()), "seed {seed}: {program:?}");
        (executions, asleep, classes) =
            (executions + seen.executions, asleep + seen.asleep, classes + all.classes.len());
    }
    println!("{executions} executions, {asleep} of them cut off, for {classes} classes");
    assert!(classes > 500 && (executions as usize) < 2 * classes, "{executions} executions for {classes} classes");
}
