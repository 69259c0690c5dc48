//! Optimal reduction against every interleaving, on random programs.

mod oracle;

use foretrace_explore::Optimal;
use foretrace_explore::tiny::random_program;
use oracle::{everything, explore};

#[test]
fn one_execution_of_each_class() {
    // More of them with `PROGRAMS=50000 cargo test --release`.
    let many = std::env::var("PROGRAMS").map_or(2_000, |many| many.parse().expect("a number"));
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
    assert!(compared > 800 && classes > 3 * compared, "{compared} programs, {classes} classes");
}
