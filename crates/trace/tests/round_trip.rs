//! Thousands of random traces through all three forms and back.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use foretrace_event::{ArgsId, Event, IntervalId, ThreadId, Value};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_trace::convert::{self, record, std_form};
use foretrace_trace::{Recording, Trace, check, text};

const TRACES: u64 = 3000;

fn random_trace(seed: u64) -> Trace {
    let mut random = Random::new(seed);
    let shape = Shape { events: 10 + random.below(40), ..Shape::default() };
    generate::trace(&mut random, &shape)
}

fn printed(trace: &Trace) -> String {
    let mut out = Vec::new();
    text::print(trace, &mut out).expect("memory takes all writes");
    String::from_utf8(out).expect("text is text")
}

fn through_binary(trace: &Trace) -> Trace {
    let bytes = record(trace, Cursor::new(Vec::new())).expect("memory takes all writes").into_inner();
    let recording = Recording::from_vec(Path::new("events"), bytes, None).expect("a whole recording");
    let breaches = check::recording(&recording).expect("good records");
    let missing_fork = |found: &check::Violation| found.breach == check::Breach::StartBeforeFork;
    assert!(
        breaches.iter().all(|found| missing_fork(found) || found.breach == check::Breach::StaleValue),
        "{breaches:?}"
    );
    recording.trace().expect("good records")
}

/// The events in the observed order, each id replaced by the order of its first appearance, without accesses to what
/// cannot race, and each access once a segment: what a recording keeps of a trace.
fn essence(trace: &Trace) -> Vec<String> {
    let kept = racy(trace);
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines: Vec<String> = Vec::new();
    for id in trace.observed() {
        let rank = |interval: IntervalId| kept.iter().position(|other| *other == interval);
        let line = match trace.event(id) {
            Event::Read(r) => rank(r).map(|rank| format!("  read {rank}")),
            Event::Write(r) => rank(r).map(|rank| format!("  write {rank}")),
            Event::Custom(event, values) => Some(format!("{} custom {event} {:?}", id.thread, shown(trace, values))),
            event => Some(format!("{} {event:?}", id.thread)),
        };
        let parts = line.iter().flat_map(|line| line.split_inclusive([' ', '(', ')', ',']));
        let renamed: String = parts.map(|part| rename(part, &mut first)).collect();
        lines.extend(line.map(|_| renamed));
    }
    let access = |line: &str| line.starts_with("  ");
    lines.chunk_by_mut(|a, b| access(a) && access(b)).for_each(<[String]>::sort);
    lines.dedup_by(|next, line| access(line) && next == line);
    lines
}

/// The values of a custom event.
fn shown(trace: &Trace, values: ArgsId) -> Vec<String> {
    let text = |value: &Value| match *value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{:?}", trace.value_text(text)),
    };
    trace.values(values).iter().map(text).collect()
}

fn rename(part: &str, first: &mut BTreeMap<String, usize>) -> String {
    let (name, end) = part.split_at(part.trim_end_matches([' ', '(', ')', ',']).len());
    let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let is_id = digits.len() + 1 == name.len() && digits.parse::<u32>().is_ok();
    if !is_id {
        return part.to_owned();
    }
    let next = first.len();
    let number = *first.entry(name.to_owned()).or_insert(next);
    format!("{}{number}{end}", &name[..1])
}

/// Intervals that two threads touch and one writes, with at least one plain access; those under atomic variables first.
fn racy(trace: &Trace) -> Vec<IntervalId> {
    let touches = |interval: IntervalId, thread: ThreadId| -> (bool, bool, bool) {
        let mut found = (false, false, false);
        for event in trace.events(thread) {
            let (plain, write) = match event {
                Event::Read(r) if r == interval => (true, false),
                Event::Write(r) if r == interval => (true, true),
                Event::AtomicLoad(a, ..) if trace.atomic(a).intervals.contains(&interval) => (false, false),
                Event::AtomicStore(a, ..) | Event::AtomicRmw(a, ..)
                    if trace.atomic(a).intervals.contains(&interval) =>
                {
                    (false, true)
                }
                _ => continue,
            };
            found = (true, found.1 | plain, found.2 | write);
        }
        found
    };
    let is_racy = |interval: &IntervalId| {
        let all: Vec<_> = trace.threads().map(|thread| touches(*interval, thread)).collect();
        all.iter().filter(|(touched, ..)| *touched).count() >= 2
            && all.iter().any(|(_, plain, _)| *plain)
            && all.iter().any(|(.., write)| *write)
    };
    let mut racy: Vec<_> = trace.intervals().map(|(id, _)| id).filter(is_racy).collect();
    racy.sort_by_key(|id| (!trace.atomics().any(|(_, info)| info.intervals.contains(id)), *id));
    racy
}

#[test]
fn text_reads_back_as_the_same_trace() {
    for seed in 0..TRACES {
        let trace = random_trace(seed);
        let first = printed(&trace);
        let again = text::parse(&first).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{first}"));
        assert_eq!(printed(&again), first, "seed {seed}");
        assert_eq!(essence(&again), essence(&trace), "seed {seed}");
    }
}

#[test]
fn recordings_read_back_as_the_same_history() {
    for seed in 0..TRACES {
        let trace = random_trace(seed);
        let once = through_binary(&trace);
        assert_eq!(essence(&once), essence(&trace), "seed {seed}\n{}", printed(&trace));
        assert_eq!(
            check::trace(&once).iter().filter(|v| v.breach != check::Breach::StaleValue).count(),
            0,
            "seed {seed}"
        );
        let twice = through_binary(&once);
        assert_eq!(essence(&twice), essence(&once), "seed {seed}");
    }
}

fn std_printed(trace: &Trace) -> String {
    let mut out = Vec::new();
    std_form::print(trace, &mut out).expect("memory takes all writes");
    String::from_utf8(out).expect("text is text")
}

/// Segments that the form does not tell apart are joined by the first reading; from then on nothing changes.
#[test]
fn std_traces_read_back_as_themselves() {
    for seed in 0..TRACES {
        let first = std_printed(&random_trace(seed));
        let trace = std_form::parse(&first).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{first}"));
        let second = std_printed(&trace);
        assert_eq!(std_printed(&std_form::parse(&second).expect("it was read before")), second, "seed {seed}");
        assert_eq!(std_form::print(&trace, &mut Vec::new()).expect("memory takes all writes"), [], "seed {seed}");
        assert_eq!(first.lines().count(), second.lines().count(), "seed {seed}");
    }
}

#[test]
fn every_random_trace_is_a_legal_history() {
    for seed in 0..TRACES {
        let breaches = check::trace(&random_trace(seed));
        assert!(breaches.iter().all(|found| found.breach == check::Breach::StaleValue), "seed {seed}: {breaches:?}");
    }
}

#[test]
fn values_of_custom_events_survive_every_form() {
    let source =
        "t0 custom open 3 \"a\\sfile\\\\n\\n\" -1 18446744073709551615 0x10\nt0 custom close\nt0 custom open 7\n";
    let trace = text::parse(source).expect("a trace");
    let events: Vec<String> = trace
        .observed()
        .filter_map(|id| match trace.event(id) {
            Event::Custom(event, values) => Some(format!("{} {:?}", trace.name(event), shown(&trace, values))),
            _ => None,
        })
        .collect();
    let expected = [r#"open ["3", "\"a file\\\\n\\n\"", "-1", "-1", "16"]"#, "close []", r#"open ["7"]"#];
    assert_eq!(events, expected);
    assert_eq!(printed(&text::parse(&printed(&trace)).expect("what was printed")), printed(&trace));
    let scratch = tempfile::tempdir().expect("a scratch directory");
    convert::write(&trace, convert::Form::Binary, scratch.path()).expect("a recording");
    let back = convert::open(scratch.path()).expect("a recording");
    assert_eq!(essence(&back), essence(&trace));
    let names = |trace: &Trace| trace.customs().map(|(id, _)| trace.name(id)).collect::<Vec<_>>();
    assert_eq!(names(&back), ["open", "close"]);
}

#[test]
fn bad_values_are_refused_with_their_place() {
    for (line, column) in
        [("t0 custom e \"a", 13), ("t0 custom e 1 x", 15), ("t0 custom e -", 13), ("t0 custom e 1 \"a b\"", 15)]
    {
        let errors = text::parse(line).expect_err("a bad value");
        assert_eq!((errors.0[0].line, errors.0[0].column), (1, column), "{line}: {errors}");
    }
    let many = format!("t0 custom e{}", " 1".repeat(65));
    assert!(text::parse(&many).is_err());
    assert!(text::parse(&many[..many.len() - 2]).is_ok());
}
