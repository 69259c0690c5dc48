//! Known numbers of classes, and textbook algorithms against every interleaving.

mod oracle;

use foretrace_explore::tiny::classics;
use foretrace_explore::tiny::{Machine, Program};
use foretrace_explore::{Budget, End, Finished, Goes, Optimal, run};
use oracle::{everything, explore};

/// The number of executions of a complete search.
fn classes(program: &Program) -> u64 {
    let (mut search, mut machine, mut budget) = (Optimal::new(), Machine::new(program), Budget::unlimited());
    let finished = run(&mut search, &mut machine, &mut budget, |_, execution| {
        assert_eq!(execution.end, End::Completed { code: 0 });
        Goes::On
    });
    assert_eq!(finished.ok(), Some(Finished::Exhausted));
    assert_eq!(budget.done(), search.counts().classes);
    budget.done()
}

#[test]
fn readers() {
    (0..=13).for_each(|n| assert_eq!(classes(&classics::readers(n)), 1 << n, "readers({n})"));
}

#[test]
fn lastzero() {
    (2..=12).for_each(|n| assert_eq!(classes(&classics::lastzero(n)), (n as u64 + 3) << (n - 2), "lastzero({n})"));
}

#[test]
fn indexer() {
    (11..=15).for_each(|n| assert_eq!(classes(&classics::indexer(n)), 1 << (3 * (n - 11)), "indexer({n})"));
}

/// Every interleaving is run as well, so the numbers are not taken from the search.
#[test]
fn textbook_algorithms() {
    let table: [(&str, Program, usize); 12] = [
        ("Peterson", classics::peterson(), 12),
        ("Dekker", classics::dekker(), 19),
        ("ticket lock, 2 threads", classics::ticket_lock(2), 4),
        ("ticket lock, 3 threads", classics::ticket_lock(3), 60),
        ("MCS lock, 2 threads", classics::mcs_lock(2), 14),
        ("bounded buffer, 2 items", classics::bounded_buffer(2), 8),
        ("readers and writers, 2 readers", classics::readers_writers(2), 4),
        ("barrier, 2 threads, 2 rounds", classics::barriers(2, 2), 1),
        ("barrier, 2 threads, 1 round", classics::barriers(2, 1), 1),
        ("semaphore, 3 threads, 2 permits", classics::semaphore(3, 2), 66),
        ("work stealing", classics::work_stealing(), 7),
        ("philosophers, 3", classics::philosophers(3), 7),
    ];
    for (name, program, classes) in table {
        let all = everything(&program, 1_000_000).unwrap_or_else(|| panic!("{name}: too many interleavings"));
        let seen = explore(&program, &mut Optimal::new(), 1_000_000).unwrap_or_else(|| panic!("{name}: too many"));
        assert_eq!((&seen.outcomes, &seen.races), (&all.outcomes, &all.races), "{name}");
        assert_eq!((seen.asleep, seen.diverged), (0, 0), "{name}");
        assert_eq!((seen.executions as usize, all.classes.len()), (classes, classes), "{name}");
    }
}
