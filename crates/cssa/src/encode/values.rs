//! Values of expressions as bits (Φ_VD). Only what is asked for gets bits, and a read that does is looked up in memory:
//! whatever no condition depends on has no part in the formula.

use crate::encode::Parts;
use foretrace_ctp::{Binary, Expr, ExprId, ReadId};
use foretrace_order::bits::Bits;
use foretrace_order::{Lit, Solver};

impl Parts {
    /// The bit of a condition.
    pub fn condition(&mut self, s: &mut Solver, expr: ExprId) -> Lit {
        self.value_bits(s, expr)[0]
    }

    /// The bits of an expression; its operands come first.
    pub fn value_bits(&mut self, s: &mut Solver, expr: ExprId) -> Bits {
        let mut open = vec![expr];
        while let Some(top) = open.last().copied() {
            let before = open.len();
            let node = self.modelled.ctp.exprs.get(top);
            open.extend(node.operands().filter(|operand| !self.bits.contains_key(operand)));
            if open.len() == before {
                open.pop();
                if !self.bits.contains_key(&top) {
                    let bits = self.node_bits(s, node, self.modelled.ctp.exprs.width(top));
                    self.bits.insert(top, bits);
                }
            }
        }
        self.bits[&expr].clone()
    }

    /// The bits of what a read sees.
    pub fn read_bits(&mut self, s: &mut Solver, read: ReadId) -> Bits {
        let by = self.modelled.ctp.reads[read.index()];
        let width = self.action(by).place().map_or(1, |place| place.width());
        match self.modelled.ctp.exprs.read(read, width) {
            Ok(expr) => self.value_bits(s, expr),
            Err(_) => Bits::new(),
        }
    }

    fn new_read(&mut self, s: &mut Solver, read: ReadId, width: u8) -> Bits {
        // What is seen determines them.
        let bits: Bits = (0..width).map(|_| s.derived()).collect();
        let by = self.modelled.ctp.reads[read.index()];
        if !self.flow.outside(by) {
            // A read on a side that is not taken has the value 0.
            bits.iter().for_each(|bit| s.clause(&[self.x(by), !*bit]));
        }
        self.wanted.push(read);
        bits
    }

    fn node_bits(&mut self, s: &mut Solver, node: Expr, width: u8) -> Bits {
        let of = |parts: &Self, id: ExprId| parts.bits[&id].clone();
        match node {
            Expr::Const(value) => self.circuits.number(width, value),
            Expr::Read(read) => self.new_read(s, read, width),
            Expr::Binary(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.operation(s, op, &a, &b)
            }
            Expr::Select(c, a, b) => {
                let (c, a, b) = (of(self, c)[0], of(self, a), of(self, b));
                self.circuits.select(s, c, &a, &b)
            }
            Expr::Zext(a) => extended(of(self, a), width, |_| !self.circuits.yes),
            Expr::Sext(a) => extended(of(self, a), width, |bits| bits[bits.len() - 1]),
            Expr::Extract(a, low) => of(self, a)[usize::from(low)..usize::from(low + width)].to_vec(),
            Expr::Concat(high, low) => of(self, low).into_iter().chain(of(self, high)).collect(),
        }
    }

    fn operation(&mut self, s: &mut Solver, op: Binary, a: &[Lit], b: &[Lit]) -> Bits {
        let c = &mut self.circuits;
        let no = !c.yes;
        match op {
            Binary::Add => c.add(s, a, b, no).0,
            Binary::Sub => c.sub(s, a, b).0,
            Binary::Mul => c.mul(s, a, b),
            Binary::Udiv => c.divide(s, a, b).0,
            Binary::Urem => c.divide(s, a, b).1,
            Binary::Sdiv => c.divide_signed(s, a, b).0,
            Binary::Srem => c.divide_signed(s, a, b).1,
            Binary::Shl => c.shift(s, a, b, true, no),
            Binary::Lshr => c.shift(s, a, b, false, no),
            Binary::Ashr => c.shift(s, a, b, false, a[a.len() - 1]),
            Binary::And => a.iter().zip(b).map(|(a, b)| c.and(s, *a, *b)).collect(),
            Binary::Or => a.iter().zip(b).map(|(a, b)| c.or(s, *a, *b)).collect(),
            Binary::Xor => a.iter().zip(b).map(|(a, b)| c.xor(s, *a, *b)).collect(),
            Binary::Eq => vec![c.equal(s, a, b)],
            Binary::Ne => vec![!c.equal(s, a, b)],
            Binary::Ult => vec![c.below(s, a, b, false)],
            Binary::Ule => vec![!c.below(s, b, a, false)],
            Binary::Slt => vec![c.below(s, a, b, true)],
            Binary::Sle => vec![!c.below(s, b, a, true)],
        }
    }
}

fn extended(mut bits: Bits, width: u8, fill: impl Fn(&Bits) -> Lit) -> Bits {
    let fill = fill(&bits);
    bits.resize(usize::from(width), fill);
    bits
}
