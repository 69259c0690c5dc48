//! Does the claim hold after the schedule? One file for each kind of error.

mod deadlock;
mod race;

use foretrace_finding::Candidate;

use crate::Objection;
use crate::state::State;

pub(crate) fn check(state: &State<'_>, candidate: &Candidate) -> Result<(), Objection> {
    match candidate {
        Candidate::Race(race) => race::check(state, race),
        Candidate::Deadlock(deadlock) => deadlock::check(state, deadlock),
    }
}
