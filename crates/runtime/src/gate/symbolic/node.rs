//! Expressions: equal ones are written once, and an expression whose value is known from now on is none any more.

use super::{Expression, log};
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use foretrace_event::symbolic::{MOST_RECORDS, Node, NodeOp, Record};

/// A table of nodes by their contents; a later node takes the place of an earlier one.
static KNOWN: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());
const KNOWN_SIZE: usize = 1 << 16;
/// For each record: is it a node whose value has become a fact?
static FIXED: AtomicPtr<AtomicU8> = AtomicPtr::new(core::ptr::null_mut());

/// Makes room; false if there is none.
pub fn open() -> bool {
    let (Ok(known), Ok(fixed)) = (sys::map_memory(4 * KNOWN_SIZE), sys::map_memory(MOST_RECORDS)) else { return false };
    KNOWN.store(known.cast(), Ordering::Relaxed);
    FIXED.store(fixed.cast(), Ordering::Relaxed);
    true
}

fn fixed(node: Expression) -> &'static AtomicU8 {
    // SAFETY: there is a byte for each record, and the memory is never unmapped.
    unsafe { &*FIXED.load(Ordering::Relaxed).add((node as usize).min(MOST_RECORDS - 1)) }
}

/// The expression, or none if its value is a fact already.
pub fn live(node: Expression) -> Expression {
    if node == 0 || fixed(node).load(Ordering::Relaxed) != 0 { 0 } else { node }
}

/// The value of the expression has become a fact.
pub fn fix(node: Expression) {
    fixed(node).store(1, Ordering::Relaxed);
}

fn hash(words: &[u64]) -> usize {
    let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    words.iter().fold(0, mix) as usize % KNOWN_SIZE
}

fn put(node: Node) -> Expression {
    let record = Record::Node(node);
    let words = record.words();
    // SAFETY: the index is in the table, which is never unmapped.
    let slot = unsafe { &*KNOWN.load(Ordering::Relaxed).add(hash(&words)) };
    let known = slot.load(Ordering::Relaxed);
    if known != 0 && log::words(known) == words {
        return known;
    }
    let number = log::put(record);
    slot.store(number, Ordering::Relaxed);
    number
}

/// A number.
fn constant(width: u8, value: u64) -> Expression {
    let mask = u64::MAX >> (64 - u32::from(width.clamp(1, 64)));
    put(Node { op: NodeOp::Constant, width, operands: [0; 3], constant: value & mask })
}

/// What an access has read.
pub fn read(access: u32, width: u8) -> Expression {
    if access == 0 {
        return 0;
    }
    put(Node { op: NodeOp::Read, width, operands: [access, 0, 0], constant: 0 })
}

fn operand(width: u8, expression: Expression, value: u64) -> Expression {
    if expression == 0 { constant(width, value) } else { expression }
}

const fn is_comparison(op: NodeOp) -> bool {
    use NodeOp::{Equal, NotEqual, SignedLess, SignedLessEqual, UnsignedLess, UnsignedLessEqual};
    matches!(op, Equal | NotEqual | SignedLess | SignedLessEqual | UnsignedLess | UnsignedLessEqual)
}

/// An operation on two values of this width.
pub fn binary(op: NodeOp, width: u8, a: Expression, a_value: u64, b: Expression, b_value: u64) -> Expression {
    let (a, b) = (live(a), live(b));
    if a == 0 && b == 0 {
        return 0;
    }
    let (a, b) = (operand(width, a, a_value), operand(width, b, b_value));
    put(Node { op, width: if is_comparison(op) { 1 } else { width }, operands: [a, b, 0], constant: 0 })
}

/// A value with more or fewer bits, from bit `first` on.
pub fn cast(op: NodeOp, width: u8, first: u64, value: Expression) -> Expression {
    match live(value) {
        0 => 0,
        value => put(Node { op, width, operands: [value, 0, 0], constant: first }),
    }
}

/// A value of this width and its expression.
#[derive(Clone, Copy)]
pub struct Value {
    pub expression: Expression,
    pub value: u64,
}

/// One of two values, by a bit.
pub fn select(width: u8, condition: Value, a: Value, b: Value) -> Expression {
    let [c, first, second] = [condition, a, b].map(|value| live(value.expression));
    if c == 0 {
        return if condition.value & 1 == 1 { first } else { second };
    }
    let (first, second) = (operand(width, first, a.value), operand(width, second, b.value));
    put(Node { op: NodeOp::Select, width, operands: [c, first, second], constant: 0 })
}

/// The bits of the second below those of the first.
pub fn concat(width: u8, high: Expression, low: Expression) -> Expression {
    put(Node { op: NodeOp::Concat, width, operands: [high, low, 0], constant: 0 })
}

/// A byte of known value.
pub fn byte(value: u8) -> Expression {
    constant(8, value.into())
}

/// How many bits an expression has.
pub fn width(node: Expression) -> u8 {
    match Record::from_words(&log::words(node)) {
        Some(Record::Node(node)) => node.width,
        _ => 0,
    }
}
