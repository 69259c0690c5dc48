//! Memory intervals against a naive oracle, on thousands of random runs with memory that comes and goes.

mod naive;
mod run;

use std::collections::BTreeSet;
use std::path::Path;

use foretrace_event::{Event, IntervalId};
use foretrace_testkit::Random;
use foretrace_trace::{Recording, Trace};
use naive::{Interval, Toucher};
use run::Run;

/// What the trace says of its intervals, as the oracle says it.
fn found(trace: &Trace) -> BTreeSet<Interval> {
    let interval = |id: IntervalId| {
        let info = trace.interval(id);
        let touches = segments(trace, id).chain(atomics(trace, id)).collect();
        Interval { address: info.address, length: info.length, generation: info.generation, touches }
    };
    trace.intervals().map(|(id, _)| interval(id)).collect()
}

fn segments(trace: &Trace, id: IntervalId) -> impl Iterator<Item = (Toucher, bool)> + '_ {
    trace.threads().flat_map(move |thread| {
        let mut before = 0;
        trace.events(thread).filter_map(move |event| {
            before += u32::from(!event.is_access());
            let toucher = Toucher::Segment(thread.0, before);
            match event {
                Event::Read(other) if other == id => Some((toucher, false)),
                Event::Write(other) if other == id => Some((toucher, true)),
                _ => None,
            }
        })
    })
}

fn atomics(trace: &Trace, id: IntervalId) -> impl Iterator<Item = (Toucher, bool)> + '_ {
    let over = trace.atomics().filter(move |(_, info)| info.intervals.contains(&id));
    over.flat_map(move |(atomic, _)| {
        let toucher = Toucher::Atomic(atomic.0);
        let mut events = trace.threads().flat_map(|thread| trace.events(thread));
        let stored = events.any(|event| match event {
            Event::AtomicStore(other, ..) | Event::AtomicRmw(other, ..) => other == atomic,
            _ => false,
        });
        [(toucher, false)].into_iter().chain(stored.then_some((toucher, true)))
    })
}

#[test]
fn intervals_are_those_of_the_definition() {
    for seed in 0..4000 {
        let run = Run::random(&mut Random::new(seed));
        let recording = Recording::from_vec(Path::new("events"), run.record(), None).expect("a whole recording");
        let trace = recording.trace().expect("good records");
        assert_eq!(found(&trace), naive::intervals(&run), "seed {seed}: {run:?}");
        assert_eq!(foretrace_trace::check::trace(&trace), [], "seed {seed}");
    }
}
