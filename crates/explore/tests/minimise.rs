//! What a failing schedule needs.

use foretrace_explore::minimise::many_preemptions;
use foretrace_explore::tiny::{Expr, Instr, Machine, Place, Program, Reg, classics, random_program};
use foretrace_explore::{
    Budget, Choice, DepthFirst, End, Execution, Executor, Goes, Minimised, OpKind, Plan, Policy, Walk, Walks, minimise,
    run,
};

fn failing(execution: &Execution) -> bool {
    execution.end.fails()
}

/// The first failing schedule that random walks find.
fn found(program: &Program) -> Option<Vec<Choice>> {
    let mut schedule = None;
    let mut budget = Budget::unlimited().executions(500);
    let _ = run(&mut Walks::new(Walk::Uniform, 1), &mut Machine::new(program), &mut budget, |_, execution| {
        if !failing(execution) {
            return Goes::On;
        }
        schedule = Some(execution.choices());
        Goes::NoFurther
    });
    schedule
}

fn minimised(program: &Program) -> Minimised {
    let schedule = found(program).expect("it fails");
    let mut budget = Budget::unlimited().executions(20_000);
    minimise(&mut Machine::new(program), &schedule, &failing, &mut budget).ok().flatten().expect("it fails again")
}

/// Each constraint as thread and step, before thread and step.
fn orders(minimised: &Minimised) -> Vec<[u32; 4]> {
    let order =
        |c: &foretrace_explore::Constraint| [c.first.thread.0, c.first.index, c.second.thread.0, c.second.index];
    minimised.constraints.iter().map(order).collect()
}

/// Two threads add one without a lock; a third waits for both and looks.
fn lost_update() -> Program {
    let (r, at) = (Reg(0), |number: i64| Place(Expr::Const(number)));
    let add = vec![Instr::Yield, Instr::Load(r, at(0)), Instr::Store(at(0), Expr::Reg(r) + 1), Instr::Yield];
    let mut main: Vec<Instr> = [Instr::Create(1), Instr::Create(2), Instr::Join(1), Instr::Join(2)].into();
    main.extend([Instr::Load(r, at(0)), Instr::Assert(Expr::Reg(r).is(2))]);
    Program::new(1, vec![main, add.clone(), add])
}

#[test]
fn a_lost_update_needs_one_preemption_and_two_orders() {
    let minimised = minimised(&lost_update());
    assert_eq!((minimised.preemptions, minimised.fewest, minimised.checked), (1, true, true));
    // One thread's store (its fourth step: start, yield, load, store) comes between the other's load and store.
    assert_eq!(minimised.constraints.len(), 2, "{:?}", minimised.constraints);
    let orders = orders(&minimised);
    let (one, other) = if orders[0][0] == 1 { (1, 2) } else { (2, 1) };
    assert!(orders.contains(&[one, 3, other, 4]) && orders.contains(&[other, 4, one, 4]), "{orders:?}");
    let inflection = minimised.inflection.expect("it does not always fail");
    let step = &minimised.execution.steps[inflection.decision];
    assert!(inflection.proved);
    assert_eq!(step.operation.kind, OpKind::Load, "both have read: it is certain");
}

#[test]
fn a_deadlock_needs_both_first_locks() {
    let minimised = minimised(&classics::philosophers(2));
    assert_eq!((minimised.preemptions, minimised.fewest), (1, true));
    assert_eq!(minimised.execution.end, End::Deadlock);
    let mut orders = orders(&minimised);
    orders.sort_unstable();
    assert_eq!(orders, [[0, 1, 1, 2], [1, 1, 0, 2]]);
    assert_eq!(minimised.inflection.map(|inflection| inflection.decision), Some(1));
}

#[test]
fn what_always_fails_needs_nothing() {
    let program = Program::new(1, vec![vec![Instr::Yield, Instr::Assert(Expr::Const(0))], vec![Instr::Yield]]);
    let minimised = minimised(&program);
    assert_eq!((minimised.preemptions, minimised.prescribed, minimised.constraints.len()), (0, 0, 0));
    assert_eq!(minimised.inflection, None);
}

/// Against every interleaving: the fewest preemptions, and the first decision after which all fail.
#[test]
fn random_failures() {
    let mut compared = 0;
    for seed in 0..2_000 {
        let program = random_program(seed);
        let mut all = Vec::new();
        let mut budget = Budget::unlimited().executions(400);
        let finished = run(&mut DepthFirst::default(), &mut Machine::new(&program), &mut budget, |_, execution| {
            all.push(execution.clone());
            Goes::On
        });
        let some = all.iter().any(failing) && !all.iter().all(failing);
        if !some || finished.ok() != Some(foretrace_explore::Finished::Exhausted) {
            continue;
        }
        let Some(schedule) = found(&program) else { continue };
        let mut budget = Budget::unlimited().executions(50_000);
        let minimised = minimise(&mut Machine::new(&program), &schedule, &failing, &mut budget).ok().flatten();
        let minimised = minimised.unwrap_or_else(|| panic!("seed {seed}: it does not fail again"));
        let fewest = all.iter().filter(|e| failing(e)).map(|e| many_preemptions(&e.steps)).min();
        assert_eq!((Some(minimised.preemptions), minimised.fewest), (fewest, true), "seed {seed}");
        check_inflection(&all, &minimised, seed);
        check_again(&program, &minimised, seed);
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}

fn check_inflection(all: &[Execution], minimised: &Minimised, seed: u64) {
    let choices = minimised.execution.choices();
    let all_fail =
        |length: usize| all.iter().filter(|execution| execution.choices().starts_with(&choices[..length])).all(failing);
    let first = (0..=choices.len()).find(|&length| all_fail(length)).and_then(|length| length.checked_sub(1));
    assert_eq!(minimised.inflection.map(|inflection| inflection.decision), first, "seed {seed}");
}

/// The prescribed beginning is enough, and the constraints hold in the failing execution.
fn check_again(program: &Program, minimised: &Minimised, seed: u64) {
    let choices = minimised.execution.choices();
    let plan = Plan { policy: Policy::Stay, ..Plan::new(choices[..minimised.prescribed].to_vec()) };
    let again = Machine::new(program).execute(&plan);
    assert_eq!(again.as_ref(), Ok(&minimised.execution), "seed {seed}");
}
