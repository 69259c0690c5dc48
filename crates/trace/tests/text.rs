//! The text form: what reads, what does not, and that printing reads back.

use foretrace_event::{Event, EventId, ThreadId};
use foretrace_trace::{Trace, text};

fn read(source: &str) -> Trace {
    text::parse(source).unwrap_or_else(|errors| panic!("{errors}\nin\n{source}"))
}

fn printed(trace: &Trace) -> String {
    let mut out = Vec::new();
    text::print(trace, &mut out).expect("memory takes all writes");
    String::from_utf8(out).expect("text is text")
}

/// Compares with a file under `tests/traces`.
#[track_caller]
fn golden(name: &str, found: &str) {
    expect_test::expect_file![format!("../../../tests/traces/{name}")].assert_eq(found);
}

#[track_caller]
fn refused(source: &str, expected: &str) {
    let errors = text::parse(source).map(|trace| printed(&trace)).expect_err("the text is wrong");
    assert_eq!(errors.to_string(), expected);
}

#[test]
fn every_operation_reads_and_prints() {
    let source = include_str!("../../../tests/traces/form/every_operation.trace");
    let first = printed(&read(source));
    assert_eq!(printed(&read(&first)), first);
    golden("form/every_operation.printed", &first);
}

#[test]
fn starts_and_ends_are_put_in() {
    let trace = read("a fork b\nb write x\na join b");
    let events: Vec<_> = trace.events(ThreadId(1)).collect();
    assert!(matches!(events[..], [Event::Start, Event::Write(_), Event::End]));
    assert_eq!(trace.parent(ThreadId(1)), Some(ThreadId(0)));
    assert_eq!(trace.fork_of(ThreadId(1)), Some(EventId { thread: ThreadId(0), index: 0 }));
}

#[test]
fn the_figure_of_the_thesis_has_one_condition_instance() {
    let source = "t1 fork t2\nt2 start\nt1 lock m\nt1 signal c\nt1 unlock m\nt2 lock m\nt2 unlock m\nt2 wait c m\n\
                  t2 lock m\nt2 unlock m\nt2 end\nt1 join t2";
    let trace = read(source);
    let instances: Vec<_> = trace.instances().map(|(_, info)| (info.broadcast, info.waits)).collect();
    assert_eq!(instances, [(false, 1)]);
}

#[test]
fn waits_take_the_signals_sent_since_they_began() {
    let source = "a lock m\na unlock m\nb signal c\nd lock m\nd unlock m\nb signal c\na wait c m\na lock m\na unlock m\n\
                  d wait c m\nd lock m\nd unlock m";
    let trace = read(source);
    let wait = |thread| {
        trace.events(ThreadId(thread)).find_map(|event| match event {
            Event::Wait(instance, ..) => Some(instance.0),
            _ => None,
        })
    };
    assert_eq!((wait(0), wait(2)), (Some(0), Some(1)));
}

#[test]
fn signals_nobody_waits_for_are_lost_and_waits_without_signals_fail() {
    let trace = read("a signal c\na signal d\nb lock m\nb unlock m\nb wait e m\nb lock m");
    assert!(trace.instances().all(|(_, info)| info.waits == 0));
    assert!(trace.events(ThreadId(1)).any(|event| matches!(event, Event::FailedWait(_))));
}

#[test]
fn unknown_initial_values_are_the_smallest_that_fit() {
    let trace = read(
        "a sem_wait s\na sem_wait s\na sem_post s\na sem_wait s\nb barrier_enter p\nc barrier_enter p\n\
                      b barrier_exit p\nc barrier_exit p",
    );
    assert_eq!(trace.sems().next().map(|(_, info)| info.initial), Some(2));
    assert_eq!(trace.barriers().next().map(|(_, info)| info.count), Some(2));
}

#[test]
fn accesses_have_the_stamp_of_their_segment() {
    let trace = read("a read x\na lock m\nb lock n\na write x");
    let stamps: Vec<_> = trace.observed().map(|id| trace.stamp(id)).collect();
    assert_eq!(stamps, [0, 1, 1, 2]);
    let last = trace.observed().nth(2).map(|id| trace.event(id));
    assert!(matches!(last, Some(Event::Write(_))));
}

#[test]
fn errors_name_lines_and_columns_and_come_together() {
    refused("t lokc m", "line 1, column 3: unknown operation `lokc`");
    refused(
        "t lock\n\nt  lock m m # twice\nsem s = x\nt",
        "line 1, column 7: expected a lock\n\
         line 3, column 11: unexpected `m`\n\
         line 4, column 9: `x` is not a number in the valid range\n\
         line 5, column 1: expected an operation after the thread `t`",
    );
    refused(
        "t lock m\nmutex m",
        "line 2, column 7: `m` is already declared or used; declare it once, before its first use",
    );
    refused("t aload a release 1", "line 1, column 11: expected relaxed, acquire or seq_cst");
}

#[test]
fn impossible_histories_are_refused_where_they_become_so() {
    refused("a lock m\nb lock m", "line 2, column 3: this cannot happen here: lock m0 is held by thread t0");
    refused("a unlock m", "line 1, column 3: this cannot happen here: lock m0 is not held");
    refused("sem s = 0\na sem_wait s", "line 2, column 3: this cannot happen here: semaphore s0 is zero");
    refused("a end\na read x", "line 2, column 3: this cannot happen here: the thread has already ended");
    refused("b read x\na fork b", "line 2, column 3: this cannot happen here: thread t0 already exists");
    refused("a wait c m", "line 1, column 3: this cannot happen here: a wait must directly follow the unlock of m0");
    refused(
        "barrier b = 2\nx barrier_enter b\nx barrier_exit b",
        "line 3, column 3: this cannot happen here: barrier b0 waits for more threads",
    );
}
