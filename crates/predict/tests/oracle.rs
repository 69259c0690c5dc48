//! Predictions against the brute-force oracle, on random small traces with every primitive: racy intervals, racy pairs
//! and deadlocks must be equal, with all reductions and with each one off, and every witness must pass the judge.
//!
//! `FORETRACE_TRACES` sets the number of traces and `FORETRACE_SEED` the seed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use foretrace_event::{EventId, IntervalId};
use foretrace_finding::{Candidate, Rung, Witness};
use foretrace_judge::judge;
use foretrace_predict::{Detail, Options, Prediction, Predictor, Reductions, predict};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_testkit::oracle::{Answers, Oracle};
use foretrace_trace::Trace;

fn listing(trace: &Trace) -> String {
    trace.observed().map(|id| format!("{}[{}] {:?}\n", id.thread, id.index, trace.event(id))).collect()
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// All reductions, then each one off.
fn reductions() -> Vec<(&'static str, Reductions)> {
    let all = Reductions::default();
    vec![
        ("all", all),
        ("no weak order", Reductions { weak_order: false, ..all }),
        ("no locksets", Reductions { locksets: false, ..all }),
        ("no same segment", Reductions { same_segment: false, ..all }),
        ("no closure", Reductions { closure: false, ..all }),
        ("no partial order", Reductions { partial_order: false, ..all }),
    ]
}

struct Case<'a> {
    name: String,
    trace: &'a Trace,
    answers: &'a Answers,
}

impl Case<'_> {
    fn options(&self, reductions: Reductions, detail: Detail) -> Options {
        Options { reductions, detail, optimistic: false, jobs: 1, ..Options::default() }
    }

    fn check(&self, reductions: Reductions) {
        let by_interval = predict(self.trace, &self.options(reductions, Detail::Intervals), &());
        assert_eq!(by_interval.undecided, [], "{}", self.name);
        let intervals: BTreeSet<IntervalId> = by_interval.races.iter().flat_map(intervals).collect();
        assert_eq!(intervals, self.answers.racy_intervals(), "{}: intervals\n{}", self.name, listing(self.trace));
        let by_event = predict(self.trace, &self.options(reductions, Detail::Events), &());
        assert_eq!(pairs(&by_event), self.answers.races, "{}: pairs\n{}", self.name, listing(self.trace));
        self.check_deadlocks(&by_interval);
        for found in by_interval.races.iter().chain(&by_interval.deadlocks).chain(&by_event.races) {
            self.judge(&found.witness);
        }
    }

    /// Every predicted deadlock is part of one of the oracle's, and each of the oracle's has a predicted part.
    fn check_deadlocks(&self, prediction: &Prediction) {
        let cores: Vec<Vec<EventId>> = prediction.deadlocks.iter().map(|found| stuck(&found.witness)).collect();
        let within = |core: &[EventId], whole: &[EventId]| core.iter().all(|event| whole.contains(event));
        for core in &cores {
            let real = self.answers.deadlocks.iter().any(|whole| within(core, whole));
            assert!(real, "{}: no such deadlock {core:?}\n{}", self.name, listing(self.trace));
        }
        for whole in &self.answers.deadlocks {
            let found = cores.iter().any(|core| within(core, whole));
            assert!(found, "{}: missed deadlock {whole:?}, found {cores:?}\n{}", self.name, listing(self.trace));
        }
    }

    fn judge(&self, witness: &Witness) {
        if let Err(objection) = judge(self.trace, witness) {
            panic!("{}: {objection}\n{witness:?}\n{}\n{}", self.name, witness.schedule, listing(self.trace));
        }
    }
}

fn intervals(found: &foretrace_predict::Predicted) -> Vec<IntervalId> {
    let Candidate::Race(race) = &found.witness.candidate else { panic!("not a race") };
    std::iter::once(race.interval).chain(found.also.iter().copied()).collect()
}

fn pairs(prediction: &Prediction) -> BTreeSet<(IntervalId, EventId, EventId)> {
    let of = |found: &foretrace_predict::Predicted| match found.witness.candidate {
        Candidate::Race(race) => (race.interval, race.first, race.second),
        Candidate::Deadlock(_) | Candidate::Violation(_) => panic!("not a race"),
    };
    prediction.races.iter().map(of).collect()
}

fn stuck(witness: &Witness) -> Vec<EventId> {
    match &witness.candidate {
        Candidate::Deadlock(deadlock) => deadlock.events().collect(),
        Candidate::Race(_) | Candidate::Violation(_) => panic!("not a deadlock"),
    }
}

fn random_trace(seed: u64) -> Trace {
    let mut random = Random::new(seed);
    let shape = Shape { events: 8 + random.below(17), ..Shape::default() };
    generate::trace(&mut random, &shape)
}

/// Does something for every seed, on all cores.
fn for_seeds(seeds: std::ops::Range<u64>, each: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let seed = next.fetch_add(1, Ordering::Relaxed)
                    && seeds.contains(&seed)
                {
                    each(seed);
                }
            });
        }
    });
}

/// Every trace with all reductions, and with each one off.
#[test]
fn predictions_equal_the_oracle() {
    let (first, count) = (number("FORETRACE_SEED", 0), number("FORETRACE_TRACES", 20_000));
    let all = reductions();
    let checked = AtomicU64::new(0);
    for_seeds(first..first + count, |seed| {
        let trace = random_trace(seed);
        let answers = Oracle::new(&trace).explore();
        for (name, reductions) in &all {
            let name = format!("seed {seed}, {name}");
            Case { name, trace: &trace, answers: &answers }.check(*reductions);
            checked.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(checked.into_inner(), count * all.len() as u64);
}

#[test]
fn every_rung_passes_the_judge() {
    let optimistic = AtomicU64::new(0);
    for_seeds(0..number("FORETRACE_TRACES", 20_000) / 10, |seed| {
        let trace = random_trace(seed);
        let options = Options { jobs: 1, ..Options::default() };
        let predictor = Predictor::new(&trace, &options);
        let prediction = predictor.predict(&());
        for found in prediction.races.iter().chain(&prediction.deadlocks) {
            let ladder: Vec<_> = predictor.witnesses(&found.witness).collect();
            assert!(ladder.windows(2).all(|pair| pair[0].rung <= pair[1].rung), "seed {seed}");
            let fails = found.witness.schedule.steps().iter().any(|step| step.fails);
            assert_eq!(found.witness.rung == Rung::Optimistic, fails, "seed {seed}");
            let deadlock = matches!(found.witness.candidate, Candidate::Deadlock(_));
            optimistic.fetch_add(u64::from(fails && deadlock), Ordering::Relaxed);
            for witness in ladder {
                if let Err(objection) = judge(&trace, &witness) {
                    panic!("seed {seed}: {objection}\n{witness:?}\n{}\n{}", witness.schedule, listing(&trace));
                }
            }
        }
    });
    assert!(optimistic.into_inner() > 0, "no deadlock behind an operation that fails");
}
