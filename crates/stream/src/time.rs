//! Units of time, of literals and of timestamps.
use num_bigint::BigInt;

/// How long one step of the timestamps is: a number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBase {
    pub count: u64,
    pub unit: TimeUnit,
}

impl TimeBase {
    /// Reads `ns` or `33333 µs`.
    pub fn parse(text: &str) -> Option<TimeBase> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (count, unit) = text.split_at(digits);
        let count = if count.is_empty() { 1 } else { count.parse().ok().filter(|count| *count > 0)? };
        Some(TimeBase { count, unit: TimeUnit::by_name(unit.trim())? })
    }

    /// Its length.
    pub fn femtoseconds(self) -> BigInt {
        BigInt::from(self.unit.femtoseconds()) * self.count
    }
}

impl std::fmt::Display for TimeBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count {
            1 => f.write_str(self.unit.name()),
            count => write!(f, "{count} {}", self.unit.name()),
        }
    }
}

/// A unit of time that a literal or the timestamps can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Fs,
    Ps,
    Ns,
    Us,
    Ms,
    S,
    Min,
    H,
    D,
}

impl TimeUnit {
    const ALL: [(TimeUnit, &'static str, u128); 9] = [
        (TimeUnit::Fs, "fs", 1),
        (TimeUnit::Ps, "ps", 1_000),
        (TimeUnit::Ns, "ns", 1_000_000),
        (TimeUnit::Us, "us", 1_000_000_000),
        (TimeUnit::Ms, "ms", 1_000_000_000_000),
        (TimeUnit::S, "s", 1_000_000_000_000_000),
        (TimeUnit::Min, "min", 60_000_000_000_000_000),
        (TimeUnit::H, "h", 3_600_000_000_000_000_000),
        (TimeUnit::D, "d", 86_400_000_000_000_000_000),
    ];

    /// The unit of this name; `µs` is `us`.
    pub fn by_name(name: &str) -> Option<TimeUnit> {
        let name = if name == "µs" { "us" } else { name };
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(unit, ..)| *unit)
    }

    fn row(self) -> &'static (TimeUnit, &'static str, u128) {
        &Self::ALL[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its length.
    pub fn femtoseconds(self) -> u128 {
        self.row().2
    }
}
