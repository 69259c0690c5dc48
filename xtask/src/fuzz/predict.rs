//! Random traces: predictions must equal those of the brute-force oracle, and every witness must pass the judge.

use foretrace_finding::Candidate;
use foretrace_judge::judge;
use foretrace_predict::{Detail, Options, Predicted, Predictor, Reductions, predict};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_testkit::oracle::Oracle;
use std::collections::BTreeSet;

/// The random trace of a seed, with random reductions.
pub fn once(seed: u64) {
    let random = &mut Random::new(seed);
    let shape = Shape { events: 8 + random.below(20), ..Shape::default() };
    let trace = generate::trace(random, &shape);
    let answers = Oracle::new(&trace).explore();
    let mut on = || !random.one_in(4);
    let reductions =
        Reductions { weak_order: on(), locksets: on(), same_segment: on(), closure: on(), partial_order: on() };
    let mut options = Options { detail: Detail::Events, reductions, jobs: 1, optimistic: false, ..Options::default() };
    let prediction = predict(&trace, &options, &());
    assert!(prediction.undecided.is_empty());
    let pairs: BTreeSet<_> = prediction.races.iter().map(pair).collect();
    assert_eq!(pairs, answers.races);
    assert_eq!(prediction.deadlocks.is_empty(), answers.deadlocks.is_empty());
    // The oracle does not cover forced failures, but their witnesses must be legal.
    options.optimistic = true;
    let predictor = Predictor::new(&trace, &options);
    let prediction = predictor.predict(&());
    for found in prediction.races.iter().chain(&prediction.deadlocks) {
        for witness in predictor.witnesses(&found.witness) {
            judge(&trace, &witness).expect("every witness passes the judge");
        }
    }
}

fn pair(found: &Predicted) -> (foretrace_event::IntervalId, foretrace_event::EventId, foretrace_event::EventId) {
    match &found.witness.candidate {
        Candidate::Race(race) => (race.interval, race.first, race.second),
        Candidate::Deadlock(_) | Candidate::Violation(_) => panic!("races are races"),
    }
}
