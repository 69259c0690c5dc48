//! The figures of the paper as texts, with its answers.

use foretrace_cssa::{Analysis, Extent, Goal, Model, Options, Verdict, goals};
use foretrace_ctp::{Ctp, text};
use foretrace_order::Budget;

fn figure(name: &str) -> Ctp {
    let path = format!("{}/../../tests/symbolic/{name}.ctp", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text::parse(&source).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// How many of the goals can happen.
fn count(ctp: &Ctp, goals: &[Goal], options: Options) -> usize {
    let mut analysis = Analysis::new(ctp, options).unwrap();
    let yes = |goal: &&Goal| matches!(analysis.ask(goal, &Budget::default()), Verdict::Yes(_));
    goals.iter().filter(yes).count()
}

fn assertions(name: &str, options: Options) -> usize {
    let ctp = figure(name);
    count(&ctp, &goals::assertions(&ctp), options)
}

fn violations(name: &str, options: Options) -> usize {
    let ctp = figure(name);
    let (_, triples) = goals::triples(&ctp, &goals::marked_regions(&ctp));
    count(&ctp, &triples.into_iter().map(goals::Triple::goal).collect::<Vec<_>>(), options)
}

const WHOLE: Options = Options { extent: Extent::Whole, model: Model::Exact, switches: 0, proof: false };
const PREFIX: Options = Options { extent: Extent::Prefix, ..WHOLE };
const CONSTRAINED: Options = Options { model: Model::Constrained, ..PREFIX };
const RELAXED: Options = Options { model: Model::Relaxed, ..PREFIX };

#[test]
fn figure_1_is_predicted_but_not_by_the_maximal_causal_model() {
    assert_eq!(assertions("figure1", PREFIX), 1);
    assert_eq!(assertions("figure1", WHOLE), 1);
    assert_eq!(assertions("figure1", CONSTRAINED), 0);
}

#[test]
fn figure_1_needs_two_context_switches() {
    let ctp = figure("figure1");
    let options = Options { switches: 2, ..WHOLE };
    let mut analysis = Analysis::new(&ctp, options).unwrap();
    let goal = &goals::assertions(&ctp)[0];
    for (switches, expected) in [(0, false), (1, false), (2, true)] {
        let bound = foretrace_cssa::Switches::AtMost(switches);
        let verdict = analysis.ask_within(goal, bound, &Budget::default());
        assert_eq!(matches!(verdict, Verdict::Yes(_)), expected, "{switches}: {verdict:?}");
    }
}

#[test]
fn figure_5_needs_a_prefix() {
    assert_eq!(violations("figure5", WHOLE), 0);
    assert_eq!(violations("figure5", PREFIX), 1);
}

#[test]
fn figure_7_is_predicted_by_both_models() {
    assert_eq!(assertions("figure7", PREFIX), 1);
    assert_eq!(assertions("figure7", CONSTRAINED), 1);
}

#[test]
fn figure_9_is_serialisable_and_the_relaxed_model_does_not_see_it_in_the_first_example() {
    assert_eq!(violations("figure9a", PREFIX), 0);
    assert!(violations("figure9a", RELAXED) > 0);
    assert_eq!(violations("figure9b", PREFIX), 0);
}

#[test]
fn figure_11_fails_on_some_paths() {
    assert_eq!(assertions("figure11", PREFIX), 1);
    assert_eq!(assertions("figure11", WHOLE), 1);
}
