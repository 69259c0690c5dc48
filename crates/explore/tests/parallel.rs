//! Several executors find what one finds, in the same order.

use foretrace_explore::tiny::{Machine, Never, Program, classics, random_program};
use foretrace_explore::{
    Bounded, Budget, Choice, Climb, Cost, Execution, Executor, Finished, Goes, Optimal, Plan, Random, Search, Shares,
    Walk, Walks, run, run_parallel,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An executor that takes its time, another each time.
struct Slow<'a> {
    machine: Machine<'a>,
    random: Random,
    most: u64,
    executions: &'a AtomicU64,
}

impl Executor for Slow<'_> {
    type Error = Never;

    fn execute(&mut self, plan: &Plan) -> Result<Execution, Never> {
        self.executions.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(self.random.below(self.most)));
        self.machine.execute(plan)
    }
}

fn slow<'a>(program: &'a Program, many: u64, most: u64, executions: &'a AtomicU64) -> Vec<Slow<'a>> {
    let slow = |seed| Slow { machine: Machine::new(program), random: Random::new(seed), most, executions };
    (0..many).map(slow).collect()
}

fn compare(program: &Program, search: &dyn Fn() -> Box<dyn Search>, most: u64) {
    let mut one: Vec<Vec<Choice>> = Vec::new();
    let mut budget = Budget::unlimited().executions(most);
    let first = run(&mut *search(), &mut Machine::new(program), &mut budget, |_, execution| {
        one.push(execution.choices());
        Goes::On
    });
    let (mut many, executions) = (Vec::new(), AtomicU64::new(0));
    let mut budget = Budget::unlimited().executions(most);
    let second = run_parallel(&mut *search(), &mut slow(program, 4, 60, &executions), &mut budget, |_, execution| {
        many.push(execution.choices());
        Goes::On
    });
    assert_eq!((first.ok(), one), (second.ok(), many));
}

#[test]
fn the_same_executions_in_the_same_order() {
    for seed in 0..60 {
        compare(&random_program(seed), &|| Box::new(Optimal::new()), 100);
    }
    let program = classics::lastzero(5);
    compare(&program, &|| Box::new(Optimal::new()), 1_000);
    compare(&program, &|| Box::new(Bounded::new(Cost::Delays, 1)), 300);
    compare(&program, &|| Box::new(Walks::new(Walk::Pct { depth: 2 }, 3)), 100);
    let shares = Shares { delays: 1, simple: 30, complete: Some(20), until: None };
    compare(&program, &|| Box::new(Climb::new(shares, 3)), 100);
}

/// How much is run in vain depends on how fast executors are; it is printed like the time, and not judged.
#[test]
fn executors_are_kept_busy() {
    let program = classics::lastzero(7);
    for many in [1, 2, 4, 8] {
        let (executions, mut budget, begun) = (AtomicU64::new(0), Budget::unlimited(), Instant::now());
        let mut executors = slow(&program, many, 400, &executions);
        let finished = run_parallel(&mut Optimal::new(), &mut executors, &mut budget, |_, _| Goes::On);
        assert_eq!((finished.ok(), budget.done()), (Some(Finished::Exhausted), 320));
        let run = executions.load(Ordering::Relaxed);
        assert!(run >= 320, "{run} executions for 320 classes");
        println!("{many} executors: {run} executions for 320 classes in {:?}", begun.elapsed());
    }
}

#[test]
fn the_first_failure_is_the_same_and_ends_the_search() {
    let program = classics::philosophers(4);
    let first = |executors: u64| {
        let (executions, mut found) = (AtomicU64::new(0), None);
        let mut executors = slow(&program, executors, 50, &executions);
        let _ = run_parallel(&mut Optimal::new(), &mut executors, &mut Budget::unlimited(), |_, execution| {
            found = execution.end.fails().then(|| execution.choices());
            if found.is_some() { Goes::NoFurther } else { Goes::On }
        });
        found.expect("they can starve")
    };
    assert_eq!(first(1), first(5));
}
