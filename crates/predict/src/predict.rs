//! All checks of a trace, on all cores, with answers in a stable order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use foretrace_causality::LockGraph;
use foretrace_event::EventId;
use foretrace_finding::{Candidate, Deadlock, Race, Rung, Schedule, Witness};
use foretrace_trace::Trace;

use crate::analysis::Analysis;
use crate::budget::Unknown;
use crate::deadlocks::{self, CycleDecided};
use crate::ladder::Climb;
use crate::optimistic;
use crate::options::Options;
use crate::prediction::{Predicted, Prediction, Question, Undecided, Watch};
use crate::property;
use crate::races::{self, Answer, Check, Decided};

/// A trace, with everything computed about it so far: ask for a prediction, then for witnesses of its candidates.
#[derive(Debug)]
pub struct Predictor<'a> {
    analysis: Analysis<'a>,
}

/// Of the other pairs of accesses to one memory, at most this many are searched for if no simpler way leads to them.
const SEARCHED_PAIRS: usize = 8;

impl<'a> Predictor<'a> {
    /// Computes nothing yet.
    pub fn new(trace: &'a Trace, options: &'a Options) -> Self {
        Self { analysis: Analysis::new(trace, options) }
    }

    /// Looks for races and deadlocks.
    pub fn predict(&self, watch: &dyn Watch) -> Prediction {
        let (trace, options) = (self.analysis.trace, self.analysis.options);
        let mut prediction = Prediction::default();
        let events = trace.stats();
        (prediction.stats.events, prediction.stats.sync) = (events.events, events.events - events.accesses);
        if options.races {
            find_races(&self.analysis, watch, &mut prediction);
        }
        if options.deadlocks {
            find_deadlocks(&self.analysis, watch, &mut prediction);
        }
        property::find(&self.analysis, watch, &mut prediction);
        prediction
    }

    /// The witnesses of a predicted candidate, nearest to the recorded run first: the known one, and then others. Each
    /// is computed when it is asked for.
    pub fn witnesses<'b>(&'b self, nearest: &'b Witness) -> impl Iterator<Item = Witness> + 'b {
        let climbs = nearest.rung != Rung::Optimistic && nearest.candidate.violation().is_none();
        let others = climbs.then(|| Climb::from(&self.analysis, nearest));
        std::iter::once(nearest.clone()).chain(others.into_iter().flatten())
    }

    /// Other pairs of places that may race in the memory of this race, each with its nearest witness; nearest to the
    /// recorded run first. At most this many pairs are tried, and a few of them are searched for.
    pub fn other_pairs(&self, race: &Race, most: usize) -> Vec<Witness> {
        let analysis = &self.analysis;
        let checks = races::checks_by_place(analysis, race.interval);
        let mut searches = SEARCHED_PAIRS;
        let nearest = |check: &Check| {
            let pairs = check.first_pairs(analysis).into_iter();
            let pairs: Vec<Race> = pairs.map(|(one, other)| Race::new(race.interval, one, other)).collect();
            let climb = |other: &Race| Climb::new(analysis, Candidate::Race(*other), None);
            let others = || pairs.iter().filter(|other| *other != race);
            others().find_map(|other| climb(other).near()).or_else(|| {
                let other = others().next()?;
                searches = usize::checked_sub(searches, 1)?;
                climb(other).searched()
            })
        };
        let mut witnesses: Vec<Witness> = checks.iter().take(most).filter_map(nearest).collect();
        witnesses.sort_by_key(|witness| witness.rung);
        witnesses
    }

    /// Schedules at whose end both events are next, whatever they are; nearest to the recorded run first.
    pub fn meetings(&self, one: EventId, other: EventId) -> impl Iterator<Item = Schedule> + '_ {
        Climb::to_meeting(&self.analysis, one, other).map(|witness| witness.schedule)
    }
}

/// Looks for races and deadlocks, once.
pub fn predict(trace: &Trace, options: &Options, watch: &dyn Watch) -> Prediction {
    Predictor::new(trace, options).predict(watch)
}

fn find_races(analysis: &Analysis<'_>, watch: &dyn Watch, prediction: &mut Prediction) {
    watch.phase("collecting accesses", 0);
    let checks = races::checks(analysis, &mut prediction.stats);
    watch.phase("checking races", checks.len());
    let nearest = |check: &Check, decided: &Decided| {
        race_of(check, decided).and_then(|race| Climb::new(analysis, Candidate::Race(race), None).next())
    };
    for (check, decided) in checks.iter().zip(decide_races(analysis, &checks, watch)) {
        note_race(check, &decided, nearest(check, &decided), prediction);
    }
    if analysis.options.optimistic && analysis.options.budget.interrupted().is_none() {
        watch.phase("letting operations fail", 0);
        let of = |found: &Predicted| {
            let Candidate::Race(race) = found.witness.candidate else { return Vec::new() };
            let others = found.also.iter().map(move |&interval| Race { interval, ..race });
            std::iter::once(race).chain(others).map(Candidate::Race).collect()
        };
        let known: Vec<Candidate> = prediction.races.iter().flat_map(of).collect();
        let witnesses = optimistic::races(analysis, &known).into_iter();
        prediction.races.extend(witnesses.map(|witness| Predicted { witness, also: Vec::new() }));
    }
}

/// Decides checks by ideals first, and then by search; similar checks are searched one after the other.
fn decide_races(analysis: &Analysis<'_>, checks: &[Check], watch: &dyn Watch) -> Vec<Decided> {
    let jobs = analysis.options.jobs;
    let mut decided = in_parallel(jobs, checks, &|check| {
        let decided = races::by_ideal(analysis, check);
        decided.iter().for_each(|_| watch.step());
        decided
    });
    let open: Vec<usize> = (0..checks.len()).filter(|number| decided[*number].is_none()).collect();
    let asked: Vec<&Check> = open.iter().map(|number| &checks[*number]).collect();
    let groups = races::alike(analysis, &asked);
    let answers = in_parallel(jobs, &groups, &|group| {
        let checks: Vec<&Check> = group.iter().map(|number| asked[*number]).collect();
        let decided = races::search_alike(analysis, &checks);
        decided.iter().for_each(|_| watch.step());
        decided
    });
    for (number, answer) in groups.into_iter().flatten().zip(answers.into_iter().flatten()) {
        decided[open[number]] = Some(answer);
    }
    decided.into_iter().map(|decided| decided.expect("ideals or searches answer each check")).collect()
}

fn race_of(check: &Check, decided: &Decided) -> Option<Race> {
    match decided.answer {
        Answer::ByIdeal(a, b) | Answer::BySearch(a, b) => Some(Race::new(check.intervals[0], a, b)),
        Answer::No | Answer::Unknown(_) => None,
    }
}

fn note_race(check: &Check, decided: &Decided, witness: Option<Witness>, prediction: &mut Prediction) {
    let stats = &mut prediction.stats;
    stats.states += decided.states;
    match decided.answer {
        Answer::ByIdeal(..) => stats.by_ideal += 1,
        Answer::BySearch(..) | Answer::No => stats.by_search += 1,
        Answer::Unknown(why) => {
            prediction.undecided.push(Undecided { question: Question::Race(check.intervals[0]), why });
        }
    }
    if let Some(witness) = witness {
        prediction.races.push(Predicted { witness, also: check.intervals[1..].to_vec() });
    }
}

fn find_deadlocks(analysis: &Analysis<'_>, watch: &dyn Watch, prediction: &mut Prediction) {
    watch.phase("building the lock graph", 0);
    let graph = LockGraph::new(analysis.trace, analysis.must_order().sections());
    let mut cycles = Vec::new();
    let whole = graph.cycles(analysis.options.cycles, &mut |cycle| cycles.push(cycle.clone()));
    if !whole {
        let why = Unknown::Cycles(cycles.len());
        prediction.undecided.push(Undecided { question: Question::Cycles, why });
    }
    watch.phase("checking lock cycles", cycles.len());
    let answers = in_parallel(analysis.options.jobs, &cycles, &|cycle| {
        let requests: Vec<_> = cycle.iter().map(|&number| &graph.requests()[number]).collect();
        let decided = deadlocks::decide_cycle(analysis, &requests);
        let witness = decided.answer.clone().ok().flatten().and_then(|(deadlock, _)| nearest(analysis, deadlock, None));
        watch.step();
        (decided, witness)
    });
    prediction.stats.cycles = cycles.len() as u64;
    for (cycle, (decided, witness)) in cycles.iter().zip(answers) {
        let first = cycle.iter().map(|&number| graph.requests()[number].thread).zip(cycle);
        let events = first.map(|(thread, &number)| EventId {
            thread: foretrace_event::ThreadId::from_index(thread),
            index: graph.requests()[number].events[0],
        });
        note_cycle(events.collect(), decided, witness, prediction);
    }
    if !deadlocks::only_cycles(analysis) {
        find_dead_ends(analysis, watch, prediction);
    }
    if analysis.options.optimistic && analysis.options.budget.interrupted().is_none() {
        watch.phase("letting operations fail", 0);
        let known: Vec<Deadlock> =
            prediction.deadlocks.iter().filter_map(|found| deadlock_of(&found.witness)).collect();
        let witnesses = optimistic::deadlocks(analysis, &known).into_iter();
        prediction.deadlocks.extend(witnesses.map(|witness| Predicted { witness, also: Vec::new() }));
    }
}

fn nearest(analysis: &Analysis<'_>, deadlock: Deadlock, known: Option<Witness>) -> Option<Witness> {
    Climb::new(analysis, Candidate::Deadlock(deadlock), known).next()
}

fn note_cycle(events: Vec<EventId>, decided: CycleDecided, witness: Option<Witness>, prediction: &mut Prediction) {
    prediction.stats.states += decided.states;
    match decided.answer {
        Ok(Some((_, by_ideal))) => prediction.stats.cycles_by_ideal += u64::from(by_ideal),
        Ok(None) => {}
        Err(why) => prediction.undecided.push(Undecided { question: Question::Cycle(events), why }),
    }
    prediction.deadlocks.extend(witness.map(|witness| Predicted { witness, also: Vec::new() }));
}

fn find_dead_ends(analysis: &Analysis<'_>, watch: &dyn Watch, prediction: &mut Prediction) {
    watch.phase("searching for dead ends", 0);
    let known: Vec<Deadlock> = prediction.deadlocks.iter().filter_map(|found| deadlock_of(&found.witness)).collect();
    let ends = deadlocks::dead_ends(analysis, &known);
    prediction.stats.states += ends.states;
    if let Some(why) = ends.unknown {
        prediction.undecided.push(Undecided { question: Question::DeadEnds, why });
    }
    for met in ends.met {
        let candidate = Candidate::Deadlock(met.deadlock.clone());
        let known = Witness { candidate, rung: Rung::Free, schedule: met.schedule };
        let witness = nearest(analysis, met.deadlock, Some(known)).expect("a witness is already known");
        prediction.deadlocks.push(Predicted { witness, also: Vec::new() });
    }
}

fn deadlock_of(witness: &Witness) -> Option<Deadlock> {
    match &witness.candidate {
        Candidate::Deadlock(deadlock) => Some(deadlock.clone()),
        Candidate::Race(_) | Candidate::Violation(_) => None,
    }
}

/// Answers questions on several cores; the answers are in the order of the questions.
fn in_parallel<Q: Sync, A: Send>(jobs: usize, questions: &[Q], answer: &(dyn Fn(&Q) -> A + Sync)) -> Vec<A> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let workers = if jobs == 0 { cores } else { jobs }.min(questions.len());
    if workers < 2 {
        return questions.iter().map(answer).collect();
    }
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<(usize, A)>> = Mutex::new(Vec::with_capacity(questions.len()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(question) = questions.get(index)
                {
                    let found = answer(question);
                    answers.lock().expect("no worker panics while it holds this").push((index, found));
                }
            });
        }
    });
    let mut answers = answers.into_inner().expect("no worker panics while it holds this");
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
