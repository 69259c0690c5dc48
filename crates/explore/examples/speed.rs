//! How fast the search is with programs of the tiny language: `cargo run --release -p foretrace-explore --example speed`.

use foretrace_explore::tiny::{Machine, Program, classics};
use foretrace_explore::{Budget, Executor, Goes, Optimal, Plan, run};
use std::time::Instant;

/// The time of a complete search, and of the same number of executions without one.
fn measure(name: &str, program: &Program) {
    let (mut search, mut machine, mut budget) = (Optimal::new(), Machine::new(program), Budget::unlimited());
    let begun = Instant::now();
    let _ = run(&mut search, &mut machine, &mut budget, |_, _| Goes::On);
    let whole = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    (0..budget.done()).for_each(|_| drop(machine.execute(&Plan::new(Vec::new()))));
    let executing = begun.elapsed().as_secs_f64();
    let (many, counts) = (budget.done() as f64, search.counts());
    println!(
        "{name:24} {many:>8} executions of {:>4.0} steps: {:>9.0} a second; the search alone {:>9.0} a second",
        counts.steps as f64 / many,
        many / whole,
        many / (whole - executing).max(1e-9),
    );
}

fn main() {
    measure("readers(13)", &classics::readers(13));
    measure("readers(16)", &classics::readers(16));
    measure("lastzero(12)", &classics::lastzero(12));
    measure("indexer(15)", &classics::indexer(15));
    measure("ticket lock, 4 threads", &classics::ticket_lock(4));
    measure("MCS lock, 3 threads", &classics::mcs_lock(3));
    measure("semaphore, 4 threads", &classics::semaphore(4, 2));
    measure("bounded buffer, 8 items", &classics::bounded_buffer(8));
    measure("philosophers, 6", &classics::philosophers(6));
}
