//! Stamps of operations as time: nanoseconds since 1970.

use anyhow::bail;

/// How the recorder's stamps and the clock on the wall go together.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    stamp: u64,
    nanoseconds: u64,
    /// Between the two looks at both.
    stamps: u64,
    passed: u64,
}

impl Clock {
    /// From what a recording's header says: twice a stamp and the time.
    pub fn new([stamp, nanoseconds, later, then]: [u64; 4]) -> anyhow::Result<Clock> {
        let (stamps, passed) = (later.saturating_sub(stamp), then.saturating_sub(nanoseconds));
        if stamps == 0 || passed == 0 {
            bail!("the recording does not say what time it was; record it with --clock");
        }
        Ok(Clock { stamp, nanoseconds, stamps, passed })
    }

    pub fn time(&self, stamp: u64) -> u128 {
        let since = u128::from(stamp.saturating_sub(self.stamp));
        u128::from(self.nanoseconds) + since * u128::from(self.passed) / u128::from(self.stamps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_told_as_time() {
        let clock = Clock::new([1000, 5_000_000, 3000, 6_000_000]).expect("the clock goes");
        assert_eq!(clock.time(1000), 5_000_000);
        assert_eq!(clock.time(2000), 5_500_000);
        assert_eq!(clock.time(9000), 9_000_000);
        assert!(Clock::new([0; 4]).is_err());
    }
}
