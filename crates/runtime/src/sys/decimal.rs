//! Numbers as text.

/// A number in decimal, without an allocator.
pub struct Decimal {
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    /// Of this number.
    pub fn new(mut number: u64) -> Self {
        let mut decimal = Self { digits: [b'0'; 20], start: 20 };
        loop {
            decimal.start -= 1;
            decimal.digits[decimal.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return decimal;
            }
        }
    }

    /// Its digits.
    pub fn bytes(&self) -> &[u8] {
        &self.digits[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals() {
        for number in [0, 7, 10, 1234567890, u64::MAX] {
            assert_eq!(Decimal::new(number).bytes(), number.to_string().as_bytes());
        }
    }
}
