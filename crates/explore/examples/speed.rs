//! How fast the search is with programs of the tiny language: `cargo run --release -p foretrace-explore --example speed`.

use foretrace_explore::tiny::{Machine, Program, classics};
use foretrace_explore::{Budget, Executor, Goes, Optimal, Plan, run};

/// The processor time of this thread in seconds, so that others on the machine do not count.
fn now() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times.split_whitespace().next().and_then(|time| time.parse::<f64>().ok());
    nanoseconds.expect("the kernel keeps the times of threads") / 1e9
}

/// The time of a complete search, and of the same number of executions without one.
fn measure(name: &str, program: &Program) {
    let (mut search, mut machine, mut budget) = (Optimal::new(), Machine::new(program), Budget::unlimited());
    let begun = now();
    let _ = run(&mut search, &mut machine, &mut budget, |_, _| Goes::On);
    let whole = now() - begun;
    let begun = now();
    (0..budget.done()).for_each(|_| drop(machine.execute(&Plan::new(Vec::new()))));
    let executing = now() - begun;
    let (many, counts) = (budget.done() as f64, search.counts());
    println!(
        "{name:24} {many:>8} executions of {:>4.0} steps: {:>9.0} a second; the search alone {:>9.0} a second",
        counts.steps as f64 / many,
        many / whole,
        many / (whole - executing).max(1e-9),
    );
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    for (name, program) in programs().into_iter().filter(|(name, _)| name.starts_with(&only)) {
        measure(name, &program);
    }
}

fn programs() -> Vec<(&'static str, Program)> {
    vec![
        ("readers(13)", classics::readers(13)),
        ("readers(16)", classics::readers(16)),
        ("lastzero(12)", classics::lastzero(12)),
        ("indexer(15)", classics::indexer(15)),
        ("ticket lock, 4 threads", classics::ticket_lock(4)),
        ("MCS lock, 3 threads", classics::mcs_lock(3)),
        ("semaphore, 4 threads", classics::semaphore(4, 2)),
        ("bounded buffer, 8 items", classics::bounded_buffer(8)),
        ("philosophers, 6", classics::philosophers(6)),
    ]
}
