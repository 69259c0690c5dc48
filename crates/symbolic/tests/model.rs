//! From steps and records to a model, and from an order to a plan.

use foretrace_ctp::Action;
use foretrace_event::symbolic::{Bytes, Moment, Node, NodeOp, Record, Why};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use foretrace_explore::Step;
use foretrace_symbolic::{Followed, Malformed, Model, model, plan};

mod naive;

fn step(thread: u32, operation: Operation) -> Step {
    let enabled: ThreadSet = std::iter::once(ThreadId(thread)).collect();
    Step { thread: ThreadId(thread), alternative: 0, alternatives: 1, operation, enabled, place: 0 }
}

fn at(thread: u16, step: u32) -> Moment {
    Moment { thread, step }
}

const fn bytes(value: u64) -> Bytes {
    Bytes { address: 0x1000, size: 4, value }
}

fn node(op: NodeOp, width: u8, operands: [u32; 3], constant: u64) -> Record {
    Record::Node(Node { op, width, operands, constant })
}

/// Two threads: each reads a counter and writes one more. The main thread checks that it is two.
fn lost_update() -> Followed {
    let (create, join) = (OpKind::Create, OpKind::Join);
    let mut steps: Vec<Step> = [1, 2].map(|thread| step(0, Operation::new(create, 0).with(thread))).to_vec();
    for thread in [1, 2] {
        let operations = [Operation::new(OpKind::Start, 0), Operation::new(OpKind::PlainRead, 0x1000).with(4)];
        steps.extend(operations.map(|operation| step(thread, operation)));
        steps.push(step(thread, Operation::new(OpKind::PlainWrite, 0x1000).with(4)));
        steps.push(step(thread, Operation::new(OpKind::End, 0).with(thread.into())));
        steps.push(step(0, Operation::new(join, 0).with(thread.into())));
    }
    steps.push(step(0, Operation::new(OpKind::PlainRead, 0x1000).with(4)));
    let mut records = Vec::new();
    for (thread, first, value) in [(1, 4, 0), (2, 9, 1)] {
        let base = records.len() as u32;
        records.push(Record::Read(at(thread, first), bytes(value), 7));
        records.push(node(NodeOp::Read, 32, [base + 1, 0, 0], 0));
        records.push(node(NodeOp::Constant, 32, [0; 3], 1));
        records.push(node(NodeOp::Add, 32, [base + 2, base + 3, 0], 0));
        records.push(Record::Write(at(thread, first + 1), bytes(value), 7));
        records.push(Record::Written(at(thread, first + 1), bytes(value + 1), base + 4));
    }
    records.push(Record::Read(at(0, 13), bytes(2), 8));
    records.push(node(NodeOp::Read, 32, [13, 0, 0], 0));
    records.push(node(NodeOp::Constant, 32, [0; 3], 2));
    records.push(node(NodeOp::Equal, 1, [14, 15, 0], 0));
    records.push(Record::Fact(at(0, 13), Why::Assertion, 16, 1, 9));
    Followed { steps, records, is_cut: false }
}

fn lost_update_model() -> Model {
    model(&lost_update()).unwrap()
}

#[test]
fn a_model_has_the_steps_and_the_values() {
    let model = lost_update_model();
    foretrace_ctp::check::check(&model.ctp).unwrap();
    assert_eq!((model.checks.len(), model.losses.len()), (1, 0));
    assert_eq!(model.ctp.vars.len(), 1);
    assert_eq!((model.ctp.vars[0].place.size, model.ctp.vars[0].initial), (4, 0));
    let forks = model.ctp.events().filter(|(_, event)| matches!(event.action, Action::Fork(_))).count();
    assert_eq!(forks, 2);
}

#[test]
fn a_lost_update_needs_one_change() {
    let (run, model) = (lost_update(), lost_update_model());
    let check = model.checks[0].event;
    assert_eq!(naive::failing_order(&model.ctp, check, 0, 10_000), Ok(None));
    let order = naive::failing_order(&model.ctp, check, 1, 10_000).unwrap().unwrap();
    assert_eq!(order.last(), Some(&check));
    let threads: Vec<u32> = plan(&model.ctp, &run.steps, &order, &[]).iter().map(|choice| choice.thread.0).collect();
    // Both are created; one of them reads, the other one does everything, and the first writes what it had read.
    assert_eq!(threads.len(), run.steps.len());
    let read = |thread: u32| threads.iter().enumerate().filter(|(_, one)| **one == thread).nth(1).unwrap().0;
    let wrote = |thread: u32| threads.iter().enumerate().filter(|(_, one)| **one == thread).nth(2).unwrap().0;
    assert!(read(1).max(read(2)) < wrote(1).min(wrote(2)), "{threads:?}");
}

#[test]
fn what_nobody_took_over_keeps_its_value() {
    let mut run = lost_update();
    run.records.truncate(1);
    let model = model(&run).unwrap();
    assert_eq!(model.losses.len(), 1);
    assert!(model.ctp.events().any(|(_, event)| matches!(event.action, Action::Assume(_))));
}

#[test]
fn contradictions_are_errors() {
    for broken in [node(NodeOp::Add, 32, [99, 98, 0], 0), node(NodeOp::Read, 32, [2, 0, 0], 0)] {
        let mut run = lost_update();
        run.records[1] = broken;
        assert_eq!(model(&run).unwrap_err(), Malformed::Record(2));
    }
    let mut run = lost_update();
    run.records[3] = node(NodeOp::Equal, 32, [2, 3, 0], 0);
    assert_eq!(model(&run).unwrap_err(), Malformed::Record(4));
}
