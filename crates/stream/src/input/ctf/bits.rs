//! The bits of a packet.
use super::CtfProblem;
use super::types::Order;

/// A place in a packet, in bits.
pub struct Bits<'a> {
    bytes: &'a [u8],
    at: u64,
    end: u64,
}

impl<'a> Bits<'a> {
    /// The first `end` bits of a packet, or as many as there are.
    pub fn new(bytes: &'a [u8], end: u64) -> Bits<'a> {
        Bits { bytes, at: 0, end: end.min(bytes.len() as u64 * 8) }
    }

    pub fn at(&self) -> u64 {
        self.at
    }

    /// Goes on at this place.
    pub fn resume(&mut self, at: u64) {
        self.at = at;
    }

    pub fn align(&mut self, align: u64) {
        self.at = self.at.next_multiple_of(align);
    }

    /// An unsigned number of up to 64 bits.
    pub fn number(&mut self, size: u32, order: Order) -> Result<u64, CtfProblem> {
        let from = self.at;
        self.at = from.saturating_add(u64::from(size));
        if self.at > self.end {
            return Err(CtfProblem::CutOff);
        }
        if from.is_multiple_of(8) && size.is_multiple_of(8) {
            let bytes = self.bytes[(from / 8) as usize..(self.at / 8) as usize].iter();
            let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
            return Ok(if order == Order::Big { bytes.fold(0, join) } else { bytes.rev().fold(0, join) });
        }
        Ok((0..size).fold(0, |number, index| number | self.bit(from, size, index, order) << index))
    }

    /// A bit of a number: the first bit in the packet is the lowest of it, or with the other order the highest.
    fn bit(&self, from: u64, size: u32, index: u32, order: Order) -> u64 {
        let (at, within) = match order {
            Order::Little => (from + u64::from(index), (from + u64::from(index)) % 8),
            Order::Big => {
                let at = from + u64::from(size - 1 - index);
                (at, 7 - at % 8)
            }
        };
        u64::from(self.bytes[(at / 8) as usize] >> within & 1)
    }

    /// A text up to a zero byte.
    pub fn text(&mut self) -> Result<String, CtfProblem> {
        let mut bytes = Vec::new();
        loop {
            match self.number(8, Order::Little)? {
                0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                byte => bytes.push(byte as u8),
            }
        }
    }
}
