//! The expressions of what memory holds, byte by byte.
//!
//! Code that is not instrumented may overwrite memory without a word. So each byte is kept with its value, and if
//! memory holds another value, it has no expression any more.

use super::{Expression, log, memory, node};
use crate::sys;
use core::sync::atomic::{AtomicPtr, Ordering};
use foretrace_event::symbolic::{NodeOp, flags};

/// Eight bytes at an address divisible by eight.
#[repr(C)]
#[derive(Clone, Copy)]
struct Cell {
    /// The address; 0: unused.
    key: u64,
    /// The expression that each byte belongs to, or 0.
    expressions: [Expression; 8],
    /// Which of its bytes it is.
    indices: [u8; 8],
    /// What the byte held.
    values: [u8; 8],
}

static CELLS: AtomicPtr<Cell> = AtomicPtr::new(core::ptr::null_mut());
const SIZE: usize = 1 << 17;
/// How far a cell may be from its place.
const REACH: usize = 64;

/// Makes room; false if there is none.
pub fn open() -> bool {
    let Ok(cells) = sys::map_memory(SIZE * size_of::<Cell>()) else { return false };
    CELLS.store(cells.cast(), Ordering::Relaxed);
    true
}

/// The cell of an address, which may be made; none if there is none, or no room.
fn cell(address: u64, make: bool) -> Option<&'static mut Cell> {
    let key = address & !7;
    let first = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    for step in 0..REACH {
        // SAFETY: the index is below the number of cells; only the thread that has the turn comes here, and no
        // reference outlives a call.
        let cell = unsafe { &mut *CELLS.load(Ordering::Relaxed).add((first + step) % SIZE) };
        if cell.key == key {
            return Some(cell);
        }
        if cell.key == 0 {
            if make {
                cell.key = key;
            }
            return make.then_some(cell);
        }
    }
    if make {
        log::flag(flags::FORGOTTEN);
    }
    None
}

/// Memory has been written with the value of an expression, or of none.
pub fn store(address: u64, size: u64, expression: Expression) {
    let bytes = memory(address, size).to_le_bytes();
    for offset in 0..size {
        let at = (address + offset) as usize % 8;
        if let Some(cell) = cell(address + offset, expression != 0) {
            cell.expressions[at] = expression;
            cell.indices[at] = offset as u8;
            cell.values[at] = bytes[offset as usize];
        }
    }
}

/// Memory has been written with something that depends on nothing.
pub fn clear(address: u64, size: u64) {
    for offset in 0..size {
        if let Some(cell) = cell(address + offset, false) {
            cell.expressions[(address + offset) as usize % 8] = 0;
        }
    }
}

/// Memory has been copied.
pub fn copy(to: u64, from: u64, size: u64) {
    let forward = |offset: u64| if to <= from { offset } else { size - 1 - offset };
    for offset in (0..size).map(forward) {
        let (source, target) = (from + offset, to + offset);
        let (expression, index) = byte(source, memory(target, 1) as u8);
        if let Some(cell) = cell(target, expression != 0) {
            let at = target as usize % 8;
            (cell.expressions[at], cell.indices[at]) = (expression, index);
            cell.values[at] = memory(target, 1) as u8;
        }
    }
}

/// The expression of a byte that holds this value, and which of its bytes it is.
fn byte(address: u64, value: u8) -> (Expression, u8) {
    let at = address as usize % 8;
    match cell(address, false) {
        Some(cell) if cell.values[at] == value => (node::live(cell.expressions[at]), cell.indices[at]),
        _ => (0, 0),
    }
}

/// The expression of what memory holds.
pub fn load(address: u64, size: u64) -> Expression {
    if size > 8 {
        return 0;
    }
    let values = memory(address, size).to_le_bytes();
    let mut bytes = [(0, 0); 8];
    (0..size as usize).for_each(|at| bytes[at] = byte(address + at as u64, values[at]));
    let bytes = &bytes[..size as usize];
    let (first, start) = bytes[0];
    if bytes.iter().all(|(expression, _)| *expression == 0) {
        return 0;
    }
    let is_one = |(at, byte): (usize, &(Expression, u8))| *byte == (first, start + at as u8);
    if first != 0 && bytes.iter().enumerate().all(is_one) {
        return part(first, start, size as u8);
    }
    join(bytes, &values)
}

/// Some bytes of an expression.
fn part(expression: Expression, start: u8, size: u8) -> Expression {
    if start == 0 && node::width(expression) == 8 * size {
        return expression;
    }
    // A value of one bit, or of twelve, fills its last byte with zeros.
    if node::width(expression) < 8 * (start + size) {
        let wide = node::cast(NodeOp::ZeroExtend, 8 * (start + size), 0, expression);
        return if start == 0 { wide } else { node::cast(NodeOp::Extract, 8 * size, 8 * u64::from(start), wide) };
    }
    node::cast(NodeOp::Extract, 8 * size, 8 * u64::from(start), expression)
}

/// Bytes of several expressions as one.
fn join(bytes: &[(Expression, u8)], values: &[u8; 8]) -> Expression {
    let mut whole = 0;
    for (at, (expression, index)) in bytes.iter().enumerate() {
        let one = if *expression == 0 { node::byte(values[at]) } else { part(*expression, *index, 1) };
        whole = if at == 0 { one } else { node::concat(8 * (at as u8 + 1), one, whole) };
    }
    whole
}
