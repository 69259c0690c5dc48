//! What a failing check depends on: which values were read, and who had written them.

use crate::log::Followed;
use foretrace_event::symbolic::{Bytes, Moment, NodeOp, Record};
use std::collections::BTreeSet;

/// Values that are told, at most.
const MOST: usize = 6;

/// A value that a thread read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The thread.
    pub thread: u32,
    /// The bytes, with what they held.
    pub bytes: Bytes,
    /// Where in the program it was read.
    pub place: u64,
    /// The thread that had written it, and where; none if nobody had in this run.
    pub written: Option<(u32, u64)>,
}

/// The values that the last check of the run depends on, in the order in which they were read. The run ends with a failure.
pub fn values(run: &Followed) -> Vec<Value> {
    let check = run.records.iter().rev().find_map(|record| match record {
        Record::Fact(_, why, node, ..) if why.is_check() => Some(*node),
        _ => None,
    });
    let reads = check.map(|node| reads(&run.records, node)).unwrap_or_default();
    reads.iter().rev().take(MOST).rev().filter_map(|number| value(run, *number as usize)).collect()
}

/// The reads that an expression depends on, by the numbers of their records.
fn reads(records: &[Record], node: u32) -> BTreeSet<u32> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![node]);
    while let Some(number) = open.pop() {
        let Some(Record::Node(node)) = record(records, number as usize).filter(|_| seen.insert(number)) else {
            continue;
        };
        match node.op {
            NodeOp::Read => drop(found.insert(node.operands[0])),
            NodeOp::Constant => {}
            // Operands come before the nodes that use them.
            _ => open.extend(node.operands.iter().filter(|operand| (1..number).contains(*operand))),
        }
    }
    found
}

fn record(records: &[Record], number: usize) -> Option<&Record> {
    records.get(number.checked_sub(1)?)
}

fn value(run: &Followed, number: usize) -> Option<Value> {
    let Record::Read(moment, bytes, place) = *record(&run.records, number)? else { return None };
    let before = run.records[..number - 1].iter().rev();
    let written = before.filter_map(|record| match record {
        Record::Written(moment, other, _) => overlap(&bytes, other).then_some(*moment),
        _ => None,
    });
    let written = written.map(|moment| (u32::from(moment.thread), step_place(run, moment))).next();
    Some(Value { thread: moment.thread.into(), bytes, place, written })
}

fn overlap(a: &Bytes, b: &Bytes) -> bool {
    let end = |bytes: &Bytes| bytes.address.saturating_add(bytes.size.into());
    a.address < end(b) && b.address < end(a)
}

/// The place of the step that an access belongs to.
fn step_place(run: &Followed, moment: Moment) -> u64 {
    let step = (moment.step as usize).checked_sub(1).and_then(|at| run.steps.get(at));
    step.map_or(0, |step| step.place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_event::symbolic::{Node, Why};

    #[test]
    fn a_failed_check_depends_on_what_was_read() {
        let at = |thread, step| Moment { thread, step };
        let bytes = |address, value| Bytes { address, size: 4, value };
        let node = |op, operands| Record::Node(Node { op, width: 32, operands, constant: 7 });
        let records = vec![
            Record::Written(at(1, 1), bytes(0x1000, 5), 0),
            Record::Read(at(2, 2), bytes(0x1000, 5), 0x77),
            node(NodeOp::Read, [2, 0, 0]),
            Record::Read(at(2, 3), bytes(0x2000, 9), 0x78),
            node(NodeOp::Read, [4, 0, 0]),
            node(NodeOp::Constant, [0; 3]),
            node(NodeOp::Equal, [3, 6, 0]),
            Record::Fact(at(2, 3), Why::Assertion, 7, 0, 0x99),
        ];
        let found = values(&Followed { steps: Vec::new(), records, is_cut: false });
        let expected = Value { thread: 2, bytes: bytes(0x1000, 5), place: 0x77, written: Some((1, 0)) };
        assert_eq!(found, [expected]);
    }
}
