//! The kinds of errors: one file each, listed here.
//!
//! A kind says what its rule is, how a finding of it is called, what helps, and which suppressions hide it. The forms ask
//! the kind and know none by name, so a new kind is one new file and one line in [`ALL`]; a crate that has a kind of its
//! own implements [`ErrorKind`](crate::ErrorKind) and need not be listed.

mod atomicity_violation;
mod crash;
mod data_race;
mod deadlock;
mod property;
mod wait_not_in_loop;

use crate::model::Kind;

/// All kinds, in the order in which they are documented.
pub const ALL: &[Kind] =
    &[Kind::DATA_RACE, Kind::DEADLOCK, Kind::WAIT_NOT_IN_LOOP, Kind::ATOMICITY, Kind::CRASH, Kind::PROPERTY];

impl Kind {
    /// Two unordered accesses.
    pub const DATA_RACE: Self = Self(&data_race::DataRace);
    /// Threads that wait for each other, or for what will not come.
    pub const DEADLOCK: Self = Self(&deadlock::Deadlock);
    /// A wait on a condition variable whose condition is not looked at again.
    pub const WAIT_NOT_IN_LOOP: Self = Self(&wait_not_in_loop::WaitNotInLoop);
    /// Another thread comes in between where nothing should.
    pub const ATOMICITY: Self = Self(&atomicity_violation::AtomicityViolation);
    /// Events come in an order that a property of the program's own forbids.
    pub const PROPERTY: Self = Self(&property::Property);
    /// The program died, or stood still without a deadlock that could be repeated.
    pub const CRASH: Self = Self(&crash::Crash);

    /// The kind with this rule.
    pub fn of_rule(rule: &str) -> Option<Self> {
        ALL.iter().copied().find(|kind| kind.rule() == rule)
    }
}
