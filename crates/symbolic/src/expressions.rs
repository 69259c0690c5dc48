//! Nodes of the run become expressions of the model.

use crate::log::Malformed;
use foretrace_ctp::{Binary, ExprId, Exprs, ReadId};
use foretrace_event::symbolic::{Node, NodeOp};
use rustc_hash::FxHashMap;

/// Whose reads an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// None.
    Nobody,
    /// Those of one thread.
    One(u16),
    /// Those of several.
    Several,
}

impl Owner {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, owner) | (owner, Self::Nobody) => owner,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

/// The nodes so far, by their numbers.
#[derive(Default)]
pub struct Nodes {
    known: FxHashMap<u32, (ExprId, Owner)>,
    reads: FxHashMap<u32, (ReadId, u16)>,
}

impl Nodes {
    /// An access reads.
    pub fn add_read(&mut self, record: u32, read: ReadId, thread: u16) {
        self.reads.insert(record, (read, thread));
    }

    /// The expression of a node, if a thread may use it: none if it is no node, or depends on what another thread has read.
    pub fn get(&self, node: u32, thread: u16) -> Option<ExprId> {
        let (expression, owner) = self.known.get(&node)?;
        matches!(owner, Owner::Nobody | Owner::One(_)).then_some(())?;
        (*owner == Owner::Nobody || *owner == Owner::One(thread)).then_some(*expression)
    }

    /// Adds a node.
    pub fn add(&mut self, exprs: &mut Exprs, number: u32, node: &Node) -> Result<(), Malformed> {
        let made = self.make(exprs, node).ok_or(Malformed::Record(number as usize))?;
        self.known.insert(number, made);
        Ok(())
    }

    fn make(&self, exprs: &mut Exprs, node: &Node) -> Option<(ExprId, Owner)> {
        let Node { op, width, operands, constant } = *node;
        match op {
            NodeOp::Constant => return Some((exprs.number(width, constant).ok()?, Owner::Nobody)),
            NodeOp::Read => {
                let (read, thread) = *self.reads.get(&operands[0])?;
                return Some((exprs.read(read, width).ok()?, Owner::One(thread)));
            }
            _ => {}
        }
        let operand = |at: usize| self.known.get(&operands[at]).copied();
        let (a, owner) = operand(0)?;
        let unary = match op {
            NodeOp::ZeroExtend => exprs.zext(width, a).ok(),
            NodeOp::SignExtend => exprs.sext(width, a).ok(),
            NodeOp::Extract => {
                let low = u8::try_from(constant).ok()?;
                exprs.extract(low.checked_add(width)?.checked_sub(1)?, low, a).ok()
            }
            _ => None,
        };
        if let Some(made) = unary {
            return Some((made, owner));
        }
        let (b, second) = operand(1)?;
        let owner = owner.with(second);
        let made = match op {
            NodeOp::Concat => exprs.concat(a, b).ok()?,
            NodeOp::Select => {
                let (c, third) = operand(2)?;
                return Some((exprs.select(a, b, c).ok()?, owner.with(third)));
            }
            op => exprs.binary(binary(op)?, a, b).ok()?,
        };
        (exprs.width(made) == width).then_some((made, owner))
    }
}

fn binary(op: NodeOp) -> Option<Binary> {
    Some(match op {
        NodeOp::Add => Binary::Add,
        NodeOp::Sub => Binary::Sub,
        NodeOp::Mul => Binary::Mul,
        NodeOp::UnsignedDiv => Binary::Udiv,
        NodeOp::SignedDiv => Binary::Sdiv,
        NodeOp::UnsignedRem => Binary::Urem,
        NodeOp::SignedRem => Binary::Srem,
        NodeOp::And => Binary::And,
        NodeOp::Or => Binary::Or,
        NodeOp::Xor => Binary::Xor,
        NodeOp::ShiftLeft => Binary::Shl,
        NodeOp::LogicalShiftRight => Binary::Lshr,
        NodeOp::ArithmeticShiftRight => Binary::Ashr,
        NodeOp::Equal => Binary::Eq,
        NodeOp::NotEqual => Binary::Ne,
        NodeOp::UnsignedLess => Binary::Ult,
        NodeOp::UnsignedLessEqual => Binary::Ule,
        NodeOp::SignedLess => Binary::Slt,
        NodeOp::SignedLessEqual => Binary::Sle,
        _ => return None,
    })
}
