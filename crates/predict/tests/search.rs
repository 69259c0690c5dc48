//! The search over cuts against the brute-force oracle.

use std::collections::BTreeSet;

use foretrace_event::{Event, EventId, IntervalId, Patience};
use foretrace_predict::budget::Budget;
use foretrace_predict::model::{Program, Rules};
use foretrace_predict::search::{Mode, Query, Uses, Visit, Wish, reach, search};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_testkit::oracle::Oracle;
use foretrace_trace::Trace;

type Pairs = BTreeSet<(IntervalId, EventId, EventId)>;

/// Conflicting pairs of accesses, by definition.
fn conflicting(trace: &Trace) -> Pairs {
    let mut touches = Vec::new();
    for thread in trace.threads() {
        for (index, event) in trace.events(thread).enumerate() {
            let id = EventId { thread, index: index as u32 };
            match event {
                Event::Read(r) => touches.push((r, id, false, false)),
                Event::Write(r) => touches.push((r, id, true, false)),
                Event::AtomicLoad(a, ..) => {
                    trace.atomic(a).intervals.iter().for_each(|r| touches.push((*r, id, false, true)))
                }
                Event::AtomicStore(a, ..) | Event::AtomicRmw(a, ..) => {
                    trace.atomic(a).intervals.iter().for_each(|r| touches.push((*r, id, true, true)));
                }
                _ => {}
            }
        }
    }
    let mut pairs = Pairs::new();
    for (index, a) in touches.iter().enumerate() {
        for b in &touches[index + 1..] {
            if a.0 == b.0 && a.1.thread != b.1.thread && (a.2 || b.2) && !(a.3 && b.3) {
                pairs.insert((a.0, a.1.min(b.1), a.1.max(b.1)));
            }
        }
    }
    pairs
}

fn position(program: &Program, id: EventId) -> (usize, u32) {
    (id.thread.index(), program.position(id.thread.index(), id.index))
}

/// Races and deadlocks by searching everything.
fn everything(trace: &Trace, program: &Program, uses: &Uses) -> (Pairs, BTreeSet<Vec<EventId>>) {
    let candidates = conflicting(trace);
    let mut races = Pairs::new();
    let mut deadlocks = BTreeSet::new();
    let mut visitor = |visit: Visit<'_>| {
        for pair in &candidates {
            let (a, b) = (position(program, pair.1), position(program, pair.2));
            if visit.state.cut[a.0] == a.1 && visit.state.cut[b.0] == b.1 {
                races.insert(*pair);
            }
        }
        if visit.dead {
            deadlocks.extend(program.deadlock(visit.state).map(|deadlock| deadlock.events().collect::<Vec<_>>()));
        }
        Wish::More
    };
    let searched = search(program, uses, &Query::all(program), &Budget::default(), &mut visitor);
    assert_eq!(searched.unknown, None);
    (races, deadlocks)
}

fn listing(trace: &Trace) -> String {
    trace.observed().map(|id| format!("{}[{}] {:?}\n", id.thread, id.index, trace.event(id))).collect()
}

fn check(trace: &Trace, rules: &Rules, oracle: Oracle<'_>, name: &str) {
    let answers = oracle.explore();
    let program = Program::new(trace, rules);
    let uses = Uses::new(&program);
    let (races, deadlocks) = everything(trace, &program, &uses);
    assert_eq!(races, answers.races, "{name}: races\n{}", listing(trace));
    assert_eq!(deadlocks, answers.deadlocks, "{name}: deadlocks\n{}", listing(trace));
    let mut dead = BTreeSet::new();
    let mut visitor = |visit: Visit<'_>| {
        if visit.dead {
            dead.extend(program.deadlock(visit.state).map(|deadlock| deadlock.events().collect::<Vec<_>>()));
        }
        Wish::More
    };
    search(&program, &uses, &Query { mode: Mode::Dead, ..Query::all(&program) }, &Budget::default(), &mut visitor);
    assert_eq!(dead, answers.deadlocks, "{name}: deadlocks with reduction\n{}", listing(trace));
    for pair in conflicting(trace) {
        let goal = vec![position(&program, pair.1), position(&program, pair.2)];
        let (answer, _) = reach(&program, &uses, &Query::goal(&program, goal), &Budget::default());
        assert_eq!(
            answer.unwrap().is_some(),
            answers.races.contains(&pair),
            "{name}: {pair:?} by goal\n{}",
            listing(trace)
        );
    }
}

/// The first successful try or timed operation.
fn could_fail(trace: &Trace) -> Option<EventId> {
    let gives_up = |id: &EventId| match trace.event(*id) {
        Event::Lock(_, patience) | Event::RdLock(_, patience) | Event::SemWait(_, patience) => {
            patience != Patience::Blocking
        }
        _ => false,
    };
    trace.observed().find(gives_up)
}

#[test]
fn equals_the_oracle() {
    let count = std::env::var("FORETRACE_TRACES").ok().and_then(|count| count.parse().ok()).unwrap_or(2_000);
    let mut seen = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let shape = Shape { events: 10 + random.below(14), ..Shape::default() };
        let trace = generate::trace(&mut random, &shape);
        check(&trace, &Rules::default(), Oracle::new(&trace), &format!("seed {seed}"));
        let kept = Rules { keep_atomics: true, ..Rules::default() };
        check(&trace, &kept, Oracle::new(&trace).keep_atomics(), &format!("seed {seed}, atomics kept"));
        if let Some(failing) = could_fail(&trace) {
            let rules = Rules { failing: vec![failing], ..Rules::default() };
            check(&trace, &rules, Oracle::new(&trace).failing([failing]), &format!("seed {seed}, {failing:?} fails"));
        }
        let answers = Oracle::new(&trace).explore();
        seen.0 += usize::from(!answers.races.is_empty());
        seen.1 += usize::from(!answers.deadlocks.is_empty());
    }
    println!("{count} traces, {} with races, {} with deadlocks", seen.0, seen.1);
}
