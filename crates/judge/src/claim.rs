//! Does the claim hold after the schedule? One file for each kind of error.

mod deadlock;
mod race;
mod violation;

use foretrace_finding::{Candidate, Witness};

use crate::Objection;
use crate::state::State;

pub(crate) fn check(state: &State<'_>, witness: &Witness) -> Result<(), Objection> {
    match &witness.candidate {
        Candidate::Race(race) => race::check(state, race),
        Candidate::Deadlock(deadlock) => deadlock::check(state, deadlock),
        Candidate::Violation(violation) => violation::check(state.trace, &witness.schedule, violation),
    }
}
