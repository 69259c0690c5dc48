//! The search of a space whose layers are known: wide enough that successors are sorted, and taken in several rounds.

use super::*;
use crate::budget::{Budget, Spilling};

const SIDE: u64 = 30;
/// Wide keys, so that a layer is more than a round.
const W: usize = 16;

/// Four counters, each from zero to its end; some states are wrong.
struct Grid {
    wrong: fn(&[u64]) -> bool,
    looks_back: bool,
    /// Counters may also go down, to states that were found before.
    down: bool,
}

impl Space<W> for Grid {
    type Breach = u64;
    type Scratch = Vec<[u64; W]>;

    fn initial(&self) -> [u64; W] {
        [0; W]
    }

    fn scratch(&self) -> Self::Scratch {
        Vec::new()
    }

    fn looks_back(&self) -> bool {
        self.looks_back
    }

    fn expand(
        &self,
        key: &[u64; W],
        scratch: &mut Self::Scratch,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> Option<u64> {
        scratch.clear();
        for i in (0..4).filter(|&i| key[i] + 1 < SIDE) {
            let mut next = *key;
            next[i] += 1;
            scratch.push(next);
        }
        for i in (0..4).filter(|&i| self.down && key[i] > 0) {
            let mut next = *key;
            next[i] -= 1;
            scratch.push(next);
        }
        if self.looks_back {
            assert!(seen(key) && !scratch.iter().any(seen), "what was seen is what lies before");
        }
        out(scratch);
        (self.wrong)(&key[..4]).then_some(key[3])
    }
}

fn run_on(threads: usize, grid: &Grid, max_states: u64) -> Result<Search<W, u64>, Limit> {
    run(grid, &Meter::new(Budget { threads, max_states, ..Budget::default() }), &|_| {})
}

#[test]
fn every_state_is_found_at_its_depth_on_any_number_of_threads() {
    for threads in [1, 2] {
        let grid = Grid { wrong: |_| false, looks_back: threads == 2, down: false };
        let found = run_on(threads, &grid, u64::MAX).unwrap_or_else(|limit| panic!("{limit}"));
        assert_eq!(found.progress.states, SIDE.pow(4));
        assert_eq!(found.progress.transitions, 4 * SIDE.pow(3) * (SIDE - 1));
        assert_eq!(u64::from(found.progress.depth), 4 * (SIDE - 1));
        let mut count = 0;
        for depth in 0..=found.progress.depth {
            for key in found.shards.iter().flat_map(|s| s.layer(depth)) {
                assert_eq!(key[..4].iter().sum::<u64>(), u64::from(depth));
                count += 1;
            }
        }
        assert_eq!(count, SIDE.pow(4));
    }
}

#[test]
fn of_the_first_breaches_the_least_is_told_on_any_number_of_threads() {
    let grid = Grid { wrong: |at| at.iter().sum::<u64>() >= 50 && at.contains(&7), looks_back: false, down: false };
    let told = |threads| {
        let found = run_on(threads, &grid, u64::MAX).unwrap_or_else(|limit| panic!("{limit}"));
        (found.progress, found.breaches.first().cloned())
    };
    let one = told(1);
    assert_eq!(one.1.as_ref().map(|(key, breach)| (&key[..4], *breach)), Some((&[0, 7, 14, 29][..], 29)));
    for threads in [2, 3, 8] {
        let other = told(threads);
        assert_eq!((one.0.states, one.0.depth, &one.1), (other.0.states, other.0.depth, &other.1));
    }
}

#[test]
fn a_bound_on_states_is_met_alike_on_any_number_of_threads() {
    let grid = Grid { wrong: |at| at.iter().sum::<u64>() == 12, looks_back: false, down: false };
    for most in [5, 400, 1819, 1820, 5000] {
        let told =
            |threads| run_on(threads, &grid, most).map(|found| found.breaches).map_err(|limit| limit.to_string());
        let one = told(1);
        // 1820 states have a sum of at most 12.
        assert_eq!(one.is_ok(), most >= 1820, "{most}: {one:?}");
        assert!([2, 3, 8].into_iter().all(|threads| told(threads) == one));
    }
}

/// Files of states do not change the answer: neither how many states there are, nor which one breaks the property, nor
/// how it is reached.
#[test]
fn states_in_files_are_known_and_paths_lead_through_them() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let never: fn(&[u64]) -> bool = |_| false;
    let once: fn(&[u64]) -> bool = |at| at.iter().sum::<u64>() == 60 && at[0] == 9;
    for (wrong, threads, from) in [(never, 2, 20 << 20), (once, 1, 8 << 20)] {
        let grid = Grid { wrong, looks_back: false, down: true };
        let to = Spilling { directory: directory.path().to_owned(), max_disk: 4 << 30, from };
        let meter = Meter::new(Budget { threads, spill: Some(to), ..Budget::default() });
        let plain = run_on(threads, &grid, u64::MAX).unwrap_or_else(|limit| panic!("{limit}"));
        let spilt = run(&grid, &meter, &|_| {}).unwrap_or_else(|limit| panic!("{limit}"));
        assert_eq!((plain.progress.states, &plain.breaches), (spilt.progress.states, &spilt.breaches));
        assert!(spilt.written.iter().all(|w| !w.is_empty()) && spilt.progress.bytes < plain.progress.bytes);
        let successors = |key: &[u64; W], out: &mut dyn FnMut([u64; W])| {
            grid.expand(key, &mut Vec::new(), &|_| false, &mut |next| next.iter().for_each(|n| out(*n)));
        };
        for (last, _) in &plain.breaches {
            let path = |found: &Search<W, u64>| found.path(successors, *last, &meter).unwrap_or_default();
            assert_eq!(path(&plain), path(&spilt));
            assert_eq!(path(&spilt).len(), 61);
        }
    }
}

#[test]
fn files_have_a_bound_and_a_directory_that_is_missing_is_named() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let grid = Grid { wrong: |_| false, looks_back: false, down: true };
    let limit = |directory: &std::path::Path| {
        let to = Spilling { directory: directory.to_owned(), max_disk: 4 << 20, from: 1 << 20 };
        let meter = Meter::new(Budget { spill: Some(to), ..Budget::default() });
        run(&grid, &meter, &|_| {}).err().map(|limit| limit.to_string()).unwrap_or_default()
    };
    assert_eq!(limit(directory.path()), "more than 4 MB of files; raise --max-disk");
    assert!(limit(&directory.path().join("missing")).contains("No such file"));
}
