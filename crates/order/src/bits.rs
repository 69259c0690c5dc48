//! Bit-vectors as literals, lowest bit first, and the circuits of their operations.

use crate::lit::Lit;
use crate::solver::Solver;
use rustc_hash::FxHashMap;

/// A value: one literal for each bit.
pub type Bits = Vec<Lit>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
}

/// Makes circuits; each distinct gate exists once.
#[derive(Debug)]
pub struct Circuits {
    /// A literal that holds.
    pub yes: Lit,
    gates: FxHashMap<Gate, Lit>,
}

impl Circuits {
    /// Circuits in this solver.
    pub fn new(solver: &mut Solver) -> Self {
        let yes = solver.var();
        solver.clause(&[yes]);
        Self { yes, gates: FxHashMap::default() }
    }

    /// A literal that is as told.
    pub fn constant(&self, value: bool) -> Lit {
        if value { self.yes } else { !self.yes }
    }

    /// A number.
    pub fn number(&self, width: u8, value: u64) -> Bits {
        (0..width).map(|bit| self.constant(value >> bit & 1 == 1)).collect()
    }

    /// Both.
    pub fn and(&mut self, s: &mut Solver, a: Lit, b: Lit) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        match (a, b) {
            _ if a == no || b == no || a == !b => return no,
            _ if a == yes || a == b => return b,
            _ if b == yes => return a,
            _ => {}
        }
        let key = Gate::And(a.min(b), a.max(b));
        if let Some(known) = self.gates.get(&key) {
            return *known;
        }
        let out = s.derived();
        s.clause(&[!out, a]);
        s.clause(&[!out, b]);
        s.clause(&[out, !a, !b]);
        self.gates.insert(key, out);
        out
    }

    /// One of them at least.
    pub fn or(&mut self, s: &mut Solver, a: Lit, b: Lit) -> Lit {
        !self.and(s, !a, !b)
    }

    /// Exactly one of them.
    pub fn xor(&mut self, s: &mut Solver, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            _ if a == self.yes => return !b,
            _ if a == !self.yes => return b,
            _ if b == self.yes => return !a,
            _ if b == !self.yes => return a,
            _ if a == b => return !self.yes,
            _ if a == !b => return self.yes,
            _ => {}
        }
        // Signs move to the result, so that gates are shared.
        let sign = a.positive() != b.positive();
        let plain = |lit: Lit| if lit.positive() { lit } else { !lit };
        let (a, b) = (plain(a).min(plain(b)), plain(a).max(plain(b)));
        let out = match self.gates.get(&Gate::Xor(a, b)) {
            Some(known) => *known,
            None => {
                let out = s.derived();
                for clause in [[!out, a, b], [!out, !a, !b], [out, !a, b], [out, a, !b]] {
                    s.clause(&clause);
                }
                self.gates.insert(Gate::Xor(a, b), out);
                out
            }
        };
        if sign { !out } else { out }
    }

    /// The second if the first holds, otherwise the third.
    pub fn mux(&mut self, s: &mut Solver, c: Lit, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            _ if c == self.yes || a == b => return a,
            _ if c == !self.yes => return b,
            _ if a == self.yes => return self.or(s, c, b),
            _ if a == !self.yes => return self.and(s, !c, b),
            _ if b == self.yes => return self.or(s, !c, a),
            _ if b == !self.yes => return self.and(s, c, a),
            _ => {}
        }
        if let Some(known) = self.gates.get(&Gate::Mux(c, a, b)) {
            return *known;
        }
        let out = s.derived();
        for clause in [[!c, !a, out], [!c, a, !out], [c, !b, out], [c, b, !out]] {
            s.clause(&clause);
        }
        s.clause(&[!a, !b, out]);
        s.clause(&[a, b, !out]);
        self.gates.insert(Gate::Mux(c, a, b), out);
        out
    }

    /// Bit by bit.
    pub fn select(&mut self, s: &mut Solver, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(a, b)| self.mux(s, c, *a, *b)).collect()
    }

    /// The sum with a carry in, and the carry out.
    pub fn add(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
        let mut sum = Bits::new();
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(s, *a, *b);
            sum.push(self.xor(s, half, carry));
            let (both, passed) = (self.and(s, *a, *b), self.and(s, half, carry));
            carry = self.or(s, both, passed);
        }
        (sum, carry)
    }

    /// The difference, and whether the first is not below the second (both without sign).
    pub fn sub(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit]) -> (Bits, Lit) {
        let not: Bits = b.iter().map(|bit| !*bit).collect();
        self.add(s, a, &not, self.yes)
    }

    /// The product, cut to the width.
    pub fn mul(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit]) -> Bits {
        let mut sum = vec![!self.yes; a.len()];
        let no = !self.yes;
        for (shift, bit) in b.iter().enumerate().filter(|(_, bit)| **bit != no) {
            let row: Bits = a[..a.len() - shift].iter().map(|a| self.and(s, *a, *bit)).collect();
            let (high, _) = self.add(s, &sum[shift..], &row, no);
            sum.truncate(shift);
            sum.extend(high);
        }
        sum
    }

    /// Quotient and remainder without sign; by zero: all ones, and the dividend.
    pub fn divide(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let wide: Bits = b.iter().copied().chain([!self.yes]).collect();
        let mut rest = vec![!self.yes; wide.len()];
        let mut quotient = Bits::new();
        for bit in a.iter().rev() {
            rest.pop();
            rest.insert(0, *bit);
            let (less, fits) = self.sub(s, &rest, &wide);
            rest = self.select(s, fits, &less, &rest);
            quotient.insert(0, fits);
        }
        rest.pop();
        (quotient, rest)
    }

    /// Negated if the condition holds.
    fn signed_by(&mut self, s: &mut Solver, sign: Lit, a: &[Lit]) -> Bits {
        let zero = vec![!self.yes; a.len()];
        let (minus, _) = self.sub(s, &zero, a);
        self.select(s, sign, &minus, a)
    }

    /// Quotient and remainder with sign, as SMT-LIB defines them.
    pub fn divide_signed(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let (sa, sb) = (a[a.len() - 1], b[b.len() - 1]);
        let (pa, pb) = (self.signed_by(s, sa, a), self.signed_by(s, sb, b));
        let (quotient, rest) = self.divide(s, &pa, &pb);
        let sign = self.xor(s, sa, sb);
        (self.signed_by(s, sign, &quotient), self.signed_by(s, sa, &rest))
    }

    /// Shifted by a number that is itself a value; `fill` comes in.
    pub fn shift(&mut self, s: &mut Solver, a: &[Lit], by: &[Lit], left: bool, fill: Lit) -> Bits {
        let width = a.len();
        let mut value = a.to_vec();
        let mut over = !self.yes;
        for (stage, bit) in by.iter().enumerate() {
            let step = 1_usize.checked_shl(stage as u32).unwrap_or(width);
            if step >= width {
                over = self.or(s, over, *bit);
                continue;
            }
            let moved: Bits = (0..width)
                .map(|at| {
                    let from = if left { at.checked_sub(step) } else { Some(at + step) };
                    from.and_then(|from| value.get(from)).copied().unwrap_or(fill)
                })
                .collect();
            value = self.select(s, *bit, &moved, &value);
        }
        self.select(s, over, &vec![fill; width], &value)
    }

    /// Whether they are equal.
    pub fn equal(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
        let mut all = self.yes;
        for (a, b) in a.iter().zip(b) {
            let differ = self.xor(s, *a, *b);
            all = self.and(s, all, !differ);
        }
        all
    }

    /// Whether the first is below the second.
    pub fn below(&mut self, s: &mut Solver, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if signed && let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
            std::mem::swap(a, b);
        }
        // a < b iff a - b borrows.
        let not: Bits = b.iter().map(|bit| !*bit).collect();
        let mut carry = self.yes;
        for (a, b) in a.iter().zip(&not) {
            let (both, either) = (self.and(s, *a, *b), self.or(s, *a, *b));
            let passed = self.and(s, either, carry);
            carry = self.or(s, both, passed);
        }
        !carry
    }
}
