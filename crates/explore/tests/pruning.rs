//! Pruning never loses a race or a deadlock, and the paper's example goes as the paper says.

mod oracle;

use foretrace_explore::tiny::{
    Expr, Instr, Machine, Place, Program, Reg, random_branching_program, random_locking_program, random_program,
};
use foretrace_explore::{Choice, End, Executor, ObjectId, Optimal, Property, Pruning, RaceSeen, Search, ThreadId};
use oracle::{Seen, everything, explore, explore_with};
use std::collections::BTreeSet;

/// The paper's Figure 1: `x++` under f1, `y++` under f2, `z++` under f1; and `z++; c = x` under f1, then `if (c == 0) y++` under f1.
fn figure_1() -> Program {
    let (r, c, at) = (Reg(0), Reg(1), |number: i64| Place(Expr::Const(number)));
    let add = |variable: i64| [Instr::Read(r, at(variable)), Instr::Write(at(variable), Expr::Reg(r) + 1)];
    let under = |mutex: u32, variable: i64| {
        let [read, write] = add(variable);
        [Instr::Lock(mutex), read, write, Instr::Unlock(mutex)]
    };
    let first = [under(1, 0), under(2, 1), under(1, 2)].concat();
    let mut second = vec![Instr::Lock(1)];
    second.extend(add(2));
    second.extend([Instr::Read(c, at(0)), Instr::Unlock(1), Instr::Lock(1)]);
    second.push(Instr::JumpIf(Expr::Reg(c).is(0).is(0), second.len() + 3));
    second.extend(add(1));
    second.push(Instr::Unlock(1));
    Program::new(3, vec![first, second])
}

fn pruned(property: Property) -> Optimal {
    Optimal::pruned(Pruning::new(property))
}

fn explore_pruned(program: &Program, search: &mut Optimal, most: u64) -> Option<Seen> {
    explore_with(Machine::with_table(program), search, most)
}

/// Which places race on which variable, in whatever order.
fn pairs(races: &BTreeSet<RaceSeen>) -> BTreeSet<(ObjectId, u64, u64)> {
    let pair = |race: &RaceSeen| {
        let (a, b) = (race.first_place, race.second_place);
        (race.object, a.min(b), a.max(b))
    };
    races.iter().map(pair).collect()
}

fn deadlocks(seen: &Seen) -> bool {
    seen.outcomes.iter().any(|(.., end)| *end == End::Deadlock)
}

#[test]
fn after_the_first_execution_of_figure_1_the_second_thread_goes_first() {
    let program = figure_1();
    let mut search = pruned(Property::Races);
    let plan = search.next().expect("a first execution");
    let Ok(execution) = Machine::with_table(&program).execute(&plan);
    search.learn(&execution);
    assert!(execution.races.is_empty(), "the race is behind the branch");
    let upcoming: Vec<Vec<Choice>> = std::iter::from_fn(|| search.next()).map(|plan| plan.prefix).take(9).collect();
    assert_eq!(upcoming, [[Choice::of(ThreadId(1))]], "s0.backtrack = {{2}}, and nothing else");
}

#[test]
fn figure_1_races_with_and_without_pruning() {
    let program = figure_1();
    let plain = explore(&program, &mut Optimal::new(), 1_000).expect("few classes");
    let mut search = pruned(Property::Races);
    let seen = explore_pruned(&program, &mut search, 1_000).expect("fewer");
    assert_eq!(pairs(&seen.races), pairs(&plain.races));
    assert!(!seen.races.is_empty());
    assert!(seen.executions <= plain.executions, "{} of {}", seen.executions, plain.executions);
    let counts = search.pruning().expect("it prunes");
    assert!(counts.skipped > 0 && counts.clean > 0 && counts.checks >= counts.clean);
}

/// Without a table, what the other side of the branch does is not known, and less is pruned.
#[test]
fn without_a_table_the_answer_is_conservative() {
    let program = figure_1();
    let mut search = pruned(Property::Races);
    let seen = explore(&program, &mut search, 1_000).expect("few classes");
    let with = explore_pruned(&program, &mut pruned(Property::Races), 1_000).expect("fewer");
    assert_eq!(pairs(&seen.races), pairs(&with.races));
    assert!(seen.executions > with.executions, "{} and {}", seen.executions, with.executions);
}

fn compare(make: fn(u64) -> Program, seeds: u64) -> (u64, u64, u64) {
    let (mut with, mut without, mut racy) = (0, 0, 0);
    for seed in 0..seeds {
        let program = make(seed);
        let Some(plain) = explore(&program, &mut Optimal::new(), 400) else { continue };
        for property in [Property::Races, Property::RacesAndDeadlocks] {
            let seen = explore_pruned(&program, &mut pruned(property), 10_000).expect("it ends");
            assert_eq!(pairs(&seen.races), pairs(&plain.races), "seed {seed}, {property:?}: {program:?}");
            if property == Property::RacesAndDeadlocks {
                assert_eq!(deadlocks(&seen), deadlocks(&plain), "seed {seed}: {program:?}");
            }
            (with, without) = (with + u64::from(seen.executions), without + u64::from(plain.executions));
        }
        racy += u64::from(!plain.races.is_empty());
    }
    (with, without, racy)
}

#[test]
fn programs_of_locks_and_branches() {
    let (with, without, racy) = compare(random_locking_program, 2_000);
    println!("{with} executions instead of {without}, {racy} programs race");
    assert!(racy > 100 && with < without);
}

#[test]
fn programs_of_branches_in_branches_whose_accesses_are_invisible() {
    let (with, without, racy) = compare(random_branching_program, 1_000);
    println!("{with} executions instead of {without}, {racy} programs race");
    assert!(racy > 100 && with < without);
}

#[test]
fn programs_of_all_primitives() {
    let (_, _, racy) = compare(random_program, 1_000);
    assert!(racy > 100, "{racy}");
}

#[test]
fn the_oracle_agrees_on_small_programs() {
    let mut compared = 0;
    for seed in 0..600 {
        let program = random_locking_program(seed);
        let Some(all) = everything(&program, 2_000) else { continue };
        let seen = explore_pruned(&program, &mut pruned(Property::Races), 10_000).expect("it ends");
        assert_eq!(pairs(&seen.races), pairs(&all.races), "seed {seed}: {program:?}");
        compared += 1;
    }
    assert!(compared > 300, "{compared}");
}
