//! A search that is saved as text goes on as if nothing had happened; and how far it is.

use foretrace_explore::tiny::{Machine, Program, classics, random_program};
use foretrace_explore::{Budget, Choice, Executor, Finished, Goes, Knuth, Optimal, Random, Search, Walk, Walks, run};
use std::collections::BTreeSet;

/// Runs a search for so many executions.
fn schedules(program: &Program, search: &mut Optimal, most: u64) -> (BTreeSet<Vec<Choice>>, Option<Finished>) {
    let mut schedules = BTreeSet::new();
    let mut budget = Budget::unlimited().executions(most);
    let finished = run(search, &mut Machine::new(program), &mut budget, |_, execution| {
        assert!(schedules.insert(execution.choices()));
        Goes::On
    });
    (schedules, finished.ok())
}

#[test]
fn a_search_goes_on_where_it_was() {
    for seed in 0..400 {
        let program = random_program(seed);
        let (whole, finished) = schedules(&program, &mut Optimal::new(), 300);
        if finished != Some(Finished::Exhausted) {
            continue;
        }
        let mut search = Optimal::new();
        let (mut parts, mut again) = (BTreeSet::new(), Some(Finished::Spent));
        while again == Some(Finished::Spent) {
            search = search.to_string().parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{search}"));
            let (part, finished) = schedules(&program, &mut search, 3);
            parts.extend(part);
            again = finished;
        }
        assert_eq!(parts, whole, "seed {seed}");
        assert_eq!(search.counts().classes as usize, whole.len());
    }
}

/// An executor is interrupted in the middle of an execution: its plan comes again, and nothing is counted twice.
#[test]
fn a_plan_that_was_not_run_to_its_end_comes_again() {
    for seed in 0..200 {
        let program = random_program(seed);
        let (whole, finished) = schedules(&program, &mut Optimal::new(), 200);
        if finished != Some(Finished::Exhausted) {
            continue;
        }
        let (mut search, mut parts) = (Optimal::new(), BTreeSet::new());
        while let Some(plan) = search.next() {
            search = search.to_string().parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{search}"));
            assert_eq!(search.next().as_ref(), Some(&plan), "seed {seed}");
            let Ok(execution) = Machine::new(&program).execute(&plan);
            assert!(parts.insert(execution.choices()), "seed {seed}");
            search.learn(&execution);
        }
        assert_eq!((parts, search.counts().classes as usize), (whole.clone(), whole.len()), "seed {seed}");
    }
}

#[test]
fn a_search_below_a_state_is_saved_with_it() {
    let program = classics::lastzero(4);
    let prefix = vec![Choice::of(foretrace_explore::ThreadId(2)); 2];
    let (whole, _) = schedules(&program, &mut Optimal::below(prefix.clone()), 1_000);
    let mut search = Optimal::below(prefix);
    let (first, _) = schedules(&program, &mut search, 3);
    let mut search: Optimal = search.to_string().parse().expect("what was written is read");
    let (rest, finished) = schedules(&program, &mut search, 1_000);
    assert_eq!(finished, Some(Finished::Exhausted));
    assert_eq!(first.union(&rest).cloned().collect::<BTreeSet<_>>(), whole);
}

#[test]
fn every_cut_and_many_flips_are_an_error_or_a_search() {
    let program = random_program(37);
    let mut search = Optimal::new();
    schedules(&program, &mut search, 5);
    let text = search.to_string();
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let whole = text[..at].parse::<Optimal>().is_ok();
        assert!(!whole || at + 1 >= text.len(), "cut at {at}");
    }
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let mut bytes = text.clone().into_bytes();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = b" 0123456789.:abf\n"[random.below(17) as usize];
        let Ok(mut search) = String::from_utf8(bytes).expect("ASCII").parse::<Optimal>() else { continue };
        let mut budget = Budget::unlimited().executions(3);
        let _ = run(&mut search, &mut Machine::new(&program), &mut budget, |_, _| Goes::On);
    }
}

#[test]
fn messages_name_the_line() {
    let error = "foretrace search 1\ncounts 1 2\n".parse::<Optimal>().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "line 2 of the saved search: counts; start the search anew");
    assert!("".parse::<Optimal>().is_err());
}

#[test]
fn progress_reaches_one_and_the_estimate_the_truth() {
    for (program, classes) in
        [(classics::readers(8), 256.0), (classics::lastzero(7), 320.0), (classics::semaphore(3, 2), 66.0)]
    {
        let (mut search, mut last) = (Optimal::new(), 0.0);
        let mut machine = Machine::new(&program);
        loop {
            let mut budget = Budget::unlimited().executions(1);
            match run(&mut search, &mut machine, &mut budget, |_, _| Goes::On) {
                Ok(Finished::Exhausted) => break,
                _ => last = search.progress().estimate().expect("an execution was run"),
            }
        }
        assert!((last - classes).abs() < 1e-6, "{last} instead of {classes}");
    }
}

#[test]
fn knuth_estimates_the_interleavings() {
    let program = classics::ticket_lock(2);
    let (mut knuth, mut budget) = (Knuth::default(), Budget::unlimited().executions(2_000));
    assert_eq!(knuth.interleavings(), None);
    let _ = run(&mut Walks::new(Walk::Uniform, 1), &mut Machine::new(&program), &mut budget, |_, execution| {
        knuth.add(execution);
        Goes::On
    });
    let estimate = knuth.interleavings().expect("executions were added");
    assert!((27.0..33.0).contains(&estimate), "{estimate} instead of 30");
}
