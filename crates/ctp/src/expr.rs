//! Bit-vector expressions over reads. Each distinct expression exists once, operands before what uses them, so tables
//! indexed by [`ExprId`] can be filled from the front.

pub mod fold;

use crate::ids::{ExprId, ReadId};
use rustc_hash::FxHashMap;

/// Operations on two values of the same width, as LLVM names them. Division by zero and shifts by too much give what
/// SMT-LIB defines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Shl,
    Lshr,
    Ashr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

impl Binary {
    /// Whether the result is one bit.
    pub fn compares(self) -> bool {
        self >= Self::Eq
    }
}

/// A node. Widths are 1 to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Const(u64),
    /// What a read saw; 0 if the read did not happen.
    Read(ReadId),
    /// An operation.
    Binary(Binary, ExprId, ExprId),
    /// The second operand if the first, one bit, is 1, otherwise the third.
    Select(ExprId, ExprId, ExprId),
    /// Wider, with zeros.
    Zext(ExprId),
    /// Wider, with copies of the sign.
    Sext(ExprId),
    /// The bits from this one (0 is the lowest) on, as many as the node is wide.
    Extract(ExprId, u8),
    /// The first operand above the second.
    Concat(ExprId, ExprId),
}

impl Expr {
    /// The operands.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let [a, b, c] = match self {
            Self::Const(_) | Self::Read(_) => [None; 3],
            Self::Binary(_, a, b) | Self::Concat(a, b) => [Some(a), Some(b), None],
            Self::Select(a, b, c) => [Some(a), Some(b), Some(c)],
            Self::Zext(a) | Self::Sext(a) | Self::Extract(a, _) => [Some(a), None, None],
        };
        [a, b, c].into_iter().flatten()
    }
}

/// Why an expression cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExprError {
    /// Operands differ in width.
    #[error("operands are {0} and {1} bits wide, but must be equally wide")]
    Widths(u8, u8),
    /// A width out of range.
    #[error("a width of {0} bits is not supported: values have 1 to 64 bits")]
    Width(u32),
    /// A condition must be one bit.
    #[error("a condition must be 1 bit wide, but this is {0} bits wide")]
    Condition(u8),
    /// Not bits of the operand.
    #[error("bits {1} to {0} are not bits of a value of {2} bits")]
    Bits(u32, u32, u8),
    /// A cast to fewer bits, or extraction to more.
    #[error("a value of {0} bits cannot be extended to {1} bits")]
    Extend(u8, u8),
    /// Too many of them.
    #[error("more than {} expressions", u32::MAX)]
    Full,
}

/// All expressions of a program.
#[derive(Clone, Default, Debug)]
pub struct Exprs {
    nodes: Vec<(Expr, u8)>,
    known: FxHashMap<(Expr, u8), ExprId>,
}

impl Exprs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()].0
    }

    /// Its width in bits.
    pub fn width(&self, id: ExprId) -> u8 {
        self.nodes[id.index()].1
    }

    /// Its value if it is a constant.
    pub fn constant(&self, id: ExprId) -> Option<u64> {
        match self.get(id) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A number, cut to the width.
    pub fn number(&mut self, width: u8, value: u64) -> Result<ExprId, ExprError> {
        let width = checked(u32::from(width))?;
        self.node(Expr::Const(value & fold::mask(width)), width)
    }

    /// What a read of this width saw.
    pub fn read(&mut self, read: ReadId, width: u8) -> Result<ExprId, ExprError> {
        let width = checked(u32::from(width))?;
        self.node(Expr::Read(read), width)
    }

    /// An operation on two values.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> Result<ExprId, ExprError> {
        let (width, other) = (self.width(a), self.width(b));
        if width != other {
            return Err(ExprError::Widths(width, other));
        }
        if let Some(same) = fold::trivial(self, op, a, b) {
            return Ok(same);
        }
        self.node(Expr::Binary(op, a, b), if op.compares() { 1 } else { width })
    }

    /// The opposite of a condition.
    pub fn not(&mut self, a: ExprId) -> Result<ExprId, ExprError> {
        let ones = self.number(self.width(a), u64::MAX)?;
        self.binary(Binary::Xor, a, ones)
    }

    /// One of two values.
    pub fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Result<ExprId, ExprError> {
        if self.width(c) != 1 {
            return Err(ExprError::Condition(self.width(c)));
        }
        let (width, other) = (self.width(a), self.width(b));
        if width != other {
            return Err(ExprError::Widths(width, other));
        }
        match self.constant(c) {
            _ if a == b => Ok(a),
            Some(0) => Ok(b),
            Some(_) => Ok(a),
            None => self.node(Expr::Select(c, a, b), width),
        }
    }

    /// The value with zeros above.
    pub fn zext(&mut self, width: u8, a: ExprId) -> Result<ExprId, ExprError> {
        self.extend(width, a, Expr::Zext(a))
    }

    /// The value with copies of its sign above.
    pub fn sext(&mut self, width: u8, a: ExprId) -> Result<ExprId, ExprError> {
        self.extend(width, a, Expr::Sext(a))
    }

    /// The lowest bits.
    pub fn trunc(&mut self, width: u8, a: ExprId) -> Result<ExprId, ExprError> {
        self.extract(width.wrapping_sub(1), 0, a)
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&mut self, high: u8, low: u8, a: ExprId) -> Result<ExprId, ExprError> {
        let from = self.width(a);
        if high >= from || low > high {
            return Err(ExprError::Bits(u32::from(high), u32::from(low), from));
        }
        if low == 0 && high + 1 == from {
            return Ok(a);
        }
        self.node(Expr::Extract(a, low), high - low + 1)
    }

    /// The first value above the second.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> Result<ExprId, ExprError> {
        let width = checked(u32::from(self.width(high)) + u32::from(self.width(low)))?;
        self.node(Expr::Concat(high, low), width)
    }

    fn extend(&mut self, width: u8, a: ExprId, node: Expr) -> Result<ExprId, ExprError> {
        let (from, width) = (self.width(a), checked(u32::from(width))?);
        match width.cmp(&from) {
            std::cmp::Ordering::Less => Err(ExprError::Extend(from, width)),
            std::cmp::Ordering::Equal => Ok(a),
            std::cmp::Ordering::Greater => self.node(node, width),
        }
    }

    fn node(&mut self, node: Expr, width: u8) -> Result<ExprId, ExprError> {
        let node = fold::constant(self, node, width).unwrap_or(node);
        if let Some(id) = self.known.get(&(node, width)) {
            return Ok(*id);
        }
        let id = ExprId(u32::try_from(self.nodes.len()).map_err(|_| ExprError::Full)?);
        self.nodes.push((node, width));
        self.known.insert((node, width), id);
        Ok(id)
    }
}

fn checked(width: u32) -> Result<u8, ExprError> {
    if (1..=64).contains(&width) { Ok(width as u8) } else { Err(ExprError::Width(width)) }
}

/// Values of expressions, given those of the reads; each expression is computed once.
pub struct Values<'a> {
    exprs: &'a Exprs,
    reads: &'a dyn Fn(ReadId) -> u64,
    known: FxHashMap<ExprId, u64>,
}

impl<'a> Values<'a> {
    /// With these values of reads.
    pub fn new(exprs: &'a Exprs, reads: &'a dyn Fn(ReadId) -> u64) -> Self {
        Self { exprs, reads, known: FxHashMap::default() }
    }

    /// The value of an expression.
    pub fn of(&mut self, id: ExprId) -> u64 {
        let mut open = vec![id];
        while let Some(top) = open.last().copied() {
            let before = open.len();
            let node = self.exprs.get(top);
            open.extend(node.operands().filter(|operand| !self.known.contains_key(operand)));
            if open.len() == before {
                open.pop();
                let value = self.node(node, self.exprs.width(top));
                self.known.insert(top, value);
            }
        }
        self.known[&id]
    }

    fn node(&self, node: Expr, width: u8) -> u64 {
        let value = |id: ExprId| self.known[&id];
        match node {
            Expr::Read(read) => (self.reads)(read) & fold::mask(width),
            node => fold::apply(self.exprs, node, width, &value),
        }
    }
}
