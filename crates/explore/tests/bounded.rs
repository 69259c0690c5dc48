//! Bounded searches against every interleaving, and the usual search.

mod oracle;

use foretrace_explore::tiny::Program;
use foretrace_explore::tiny::{Machine, classics, random_program};
use foretrace_explore::{
    Bounded, Budget, Choice, Climb, Cost, DepthFirst, End, Finished, Goes, Part, Search, Shares, Step, Walk, Walks, run,
};
use oracle::{everything, explore};
use std::collections::BTreeMap;

/// What a schedule costs, by the definition.
fn cost(kind: Cost, steps: &[Step]) -> u32 {
    let of = |at: usize| {
        let (step, previous) = (&steps[at], at.checked_sub(1).map(|at| steps[at].thread));
        let current = previous.unwrap_or_default();
        match kind {
            Cost::Preemptions => {
                u32::from(step.thread != current && previous.is_some() && step.enabled.contains(current))
            }
            Cost::Delays => {
                let (before, after): (Vec<_>, Vec<_>) = step.enabled.iter().partition(|&thread| thread < current);
                after.into_iter().chain(before).position(|thread| thread == step.thread).unwrap() as u32
            }
        }
    };
    (0..steps.len()).map(of).sum()
}

/// How often each schedule was run, and the bounds at which that happened first.
fn schedules(program: &Program, search: &mut dyn Search) -> Option<BTreeMap<Vec<Choice>, Vec<Step>>> {
    let mut schedules = BTreeMap::new();
    let mut budget = Budget::unlimited().executions(2_000);
    let finished = run(search, &mut Machine::new(program), &mut budget, |_, execution| {
        assert!(!matches!(execution.end, End::Diverged { .. } | End::AllAsleep));
        schedules.insert(execution.choices(), execution.steps.clone());
        Goes::On
    });
    (finished.ok() == Some(Finished::Exhausted)).then_some(schedules)
}

#[test]
fn a_bound_runs_all_schedules_within_it() {
    let mut compared = 0;
    for seed in 0..400 {
        let program = random_program(seed);
        let Some(all) = schedules(&program, &mut DepthFirst::default()) else { continue };
        for (kind, bound) in [(Cost::Delays, 0), (Cost::Delays, 2), (Cost::Preemptions, 0), (Cost::Preemptions, 1)] {
            let within = all.iter().filter(|(_, steps)| cost(kind, steps) <= bound).map(|(choices, _)| choices);
            let Some(seen) = schedules(&program, &mut Bounded::new(kind, bound)) else { continue };
            assert!(seen.keys().eq(within), "seed {seed}, {kind:?} {bound}: {program:?}");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn without_a_bound_everything_is_run() {
    for seed in 0..200 {
        let program = random_program(seed);
        let Some(all) = schedules(&program, &mut DepthFirst::default()) else { continue };
        let mut search = Bounded::new(Cost::Delays, u32::MAX);
        let Some(seen) = schedules(&program, &mut search) else { continue };
        assert!(search.is_complete() && seen.keys().eq(all.keys()), "seed {seed}");
    }
}

/// Two threads that take two locks in opposite orders deadlock after one delay, and not without.
#[test]
fn the_simplest_failing_schedule_comes_first() {
    let program = classics::philosophers(2);
    let mut search = Bounded::new(Cost::Delays, 9);
    let mut budget = Budget::unlimited();
    let finished = run(&mut search, &mut Machine::new(&program), &mut budget, |_, execution| {
        if execution.end.fails() { Goes::NoFurther } else { Goes::On }
    });
    assert_eq!((finished.ok(), search.bound()), (Some(Finished::Stopped), 1));
}

#[test]
fn the_usual_search_climbs_and_ends_when_all_classes_were_run() {
    let program = classics::lastzero(4);
    let mut search = Climb::new(Shares { delays: 1, simple: 1_000, ..Shares::default() }, 1);
    let seen = explore(&program, &mut search, 10_000).expect("it ends");
    let all = everything(&program, 1_000_000).expect("few interleavings");
    assert_eq!((search.part(), search.counts().classes), (Part::Done, 28));
    assert_eq!(seen.outcomes, all.outcomes);
}

#[test]
fn the_usual_search_goes_on_at_random() {
    let program = classics::indexer(15);
    let shares = Shares { delays: 1, simple: 20, complete: Some(50), until: None };
    let mut search = Climb::new(shares, 1);
    assert!(explore(&program, &mut search, 200).is_none());
    assert_eq!((search.part(), search.counts().classes), (Part::Random, 50));
}

/// Each random strategy finds the rare deadlock of three philosophers within a few hundred walks, and the same one again.
#[test]
fn random_walks_find_a_deadlock_and_repeat_themselves() {
    let program = classics::philosophers(3);
    for walk in [Walk::Uniform, Walk::Pct { depth: 3 }, Walk::Pos, Walk::Surw] {
        let first = || {
            let (mut budget, mut found) = (Budget::unlimited().executions(1_000), Vec::new());
            let _ = run(&mut Walks::new(walk, 7), &mut Machine::new(&program), &mut budget, |_, execution| {
                if execution.end != End::Deadlock {
                    return Goes::On;
                }
                found = execution.choices();
                Goes::NoFurther
            });
            (budget.done(), found)
        };
        let (many, found) = first();
        assert!(!found.is_empty(), "{walk:?}: no deadlock in {many} walks");
        assert_eq!(first(), (many, found), "{walk:?}");
    }
}
