//! The trip count of a counted loop, as arithmetic before it.

use crate::function::Function;
use crate::graph::{Graph, Loop};
use crate::instruction::Instruction;
use crate::passes::merge::size_of;
use crate::passes::slice::Slice;

/// The loop goes on while this relation holds between the counter and the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum While {
    /// They differ.
    NotEqual,
    /// The growing counter is smaller; or not larger.
    Below { signed: bool, or_equal: bool },
    /// The shrinking counter is larger; or not smaller.
    Above { signed: bool, or_equal: bool },
}

impl While {
    fn of(predicate: &str) -> Option<Self> {
        let signed = predicate.starts_with('s');
        let or_equal = predicate.ends_with('e');
        Some(match predicate {
            "ne" => Self::NotEqual,
            "ult" | "slt" | "ule" | "sle" => Self::Below { signed, or_equal },
            "ugt" | "sgt" | "uge" | "sge" => Self::Above { signed, or_equal },
            _ => return None,
        })
    }

    /// With the operands swapped.
    fn swapped(self) -> Self {
        match self {
            Self::NotEqual => Self::NotEqual,
            Self::Below { signed, or_equal } => Self::Above { signed, or_equal },
            Self::Above { signed, or_equal } => Self::Below { signed, or_equal },
        }
    }

    /// The predicate in LLVM's spelling.
    fn name(self) -> String {
        let (signed, direction, or_equal) = match self {
            Self::NotEqual => return "ne".to_owned(),
            Self::Below { signed, or_equal } => (signed, 'l', or_equal),
            Self::Above { signed, or_equal } => (signed, 'g', or_equal),
        };
        format!("{}{direction}{}", if signed { 's' } else { 'u' }, if or_equal { 'e' } else { 't' })
    }
}

/// The opposite of a predicate.
fn negated(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "eq" => "ne",
        "ne" => "eq",
        "ult" => "uge",
        "uge" => "ult",
        "ugt" => "ule",
        "ule" => "ugt",
        "slt" => "sge",
        "sge" => "slt",
        "sgt" => "sle",
        "sle" => "sgt",
        _ => return None,
    })
}

/// The test at the end of a round.
pub struct Test {
    goes_on: While,
    /// The tested value: the counter itself, or its value in the next round.
    subject: String,
    bound: String,
    /// The type of both.
    kind: String,
    step: i64,
}

impl Test {
    /// The test of a loop with one exit, at the end of a round.
    pub fn find(function: &Function, graph: &Graph, of: &Loop, slice: &mut Slice) -> Option<Self> {
        let leaves = |block: &&usize| graph.next[**block].iter().any(|to| of.blocks.binary_search(to).is_err());
        let mut leaving = of.blocks.iter().filter(leaves);
        if (leaving.next(), leaving.next()) != (Some(&of.latch), None) {
            return None;
        }
        let branch =
            Instruction::parse(function.blocks[of.latch].lines.last()?).filter(|last| last.operation == "br")?;
        let [condition, then, _] = branch.parts[..] else { return None };
        let comparison = slice.definition(condition.strip_prefix("i1 ")?).filter(|found| found.operation == "icmp")?;
        let [first, second] = comparison.parts[..] else { return None };
        let [predicate, kind, first] = first.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let back = then == format!("label %{}", function.blocks[of.header].name);
        let goes_on = While::of(if back { predicate } else { negated(predicate)? })?;
        if slice.is_fixed(second) {
            Self::new(goes_on, first, second, kind, slice)
        } else if slice.is_fixed(first) {
            Self::new(goes_on.swapped(), second, first, kind, slice)
        } else {
            None
        }
    }

    fn new(goes_on: While, subject: &str, bound: &str, kind: &str, slice: &mut Slice) -> Option<Self> {
        let counter = match slice.counter(subject) {
            Some(counter) => counter,
            None => counter_before(subject, slice)?,
        };
        let step = constant_step(&slice.definition(&counter.next)?)?;
        let fits = match goes_on {
            While::NotEqual => step != 0,
            While::Below { .. } => step > 0,
            While::Above { .. } => step < 0,
        };
        let known = ["i32", "i64", "ptr"].contains(&kind);
        (fits && known).then(|| Self {
            goes_on,
            subject: subject.to_owned(),
            bound: bound.to_owned(),
            kind: kind.to_owned(),
            step,
        })
    }

    /// Inserts the trip count before the loop; returns its name.
    pub fn emit(&self, slice: &mut Slice) -> Option<String> {
        let first = slice.copy(&self.subject, 0)?;
        let bound = slice.copy(&self.bound, 0)?;
        let as_number = |slice: &mut Slice, value: &str| match self.kind.as_str() {
            "ptr" => slice.emit(&format!("ptrtoint ptr {value} to i64")),
            _ => value.to_owned(),
        };
        let kind = if self.kind == "ptr" { "i64" } else { &self.kind };
        let (from, to) = (as_number(slice, &first), as_number(slice, &bound));
        let (low, high) = if self.step > 0 { (from, to) } else { (to, from) };
        let mut distance = slice.emit(&format!("sub {kind} {high}, {low}"));
        let stride = self.step.unsigned_abs();
        let is_exclusive =
            !matches!(self.goes_on, While::Below { or_equal: true, .. } | While::Above { or_equal: true, .. });
        if is_exclusive && self.goes_on != While::NotEqual && stride > 1 {
            distance = slice.emit(&format!("add {kind} {distance}, {}", stride - 1));
        }
        if stride > 1 {
            distance = slice.emit(&format!("udiv {kind} {distance}, {stride}"));
        }
        if !is_exclusive {
            distance = slice.emit(&format!("add {kind} {distance}, 1"));
        }
        if self.goes_on != While::NotEqual {
            let holds = slice.emit(&format!("icmp {} {} {first}, {bound}", self.goes_on.name(), self.kind));
            distance = slice.emit(&format!("select i1 {holds}, {kind} {distance}, {kind} 0"));
        }
        // The first round is not tested.
        let rounds = slice.emit(&format!("add {kind} {distance}, 1"));
        Some(if kind == "i64" { rounds } else { slice.emit(&format!("zext {kind} {rounds} to i64")) })
    }
}

/// The counter whose next value this is.
fn counter_before(next: &str, slice: &mut Slice) -> Option<crate::passes::slice::Counter> {
    let step = slice.definition(next)?;
    let operands: Vec<&str> = step.operands().collect();
    operands.into_iter().find_map(|operand| slice.counter(operand).filter(|counter| counter.next == next))
}

fn constant_step(step: &Instruction) -> Option<i64> {
    let last = step.operands().last()?.parse::<i64>().ok()?;
    match step.operation {
        "add" => Some(last),
        "sub" => last.checked_neg(),
        "getelementptr" if step.parts.len() == 3 => last.checked_mul(size_of(step.parts[0])? as i64),
        _ => None,
    }
}
