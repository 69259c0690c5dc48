//! The program died, or stood still without a deadlock that could be repeated.

use crate::model::ErrorKind;
use crate::model::Finding;

pub(super) struct Crash;

impl ErrorKind for Crash {
    fn rule(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "The program dies in an order of its threads that can happen."
    }

    fn title(&self, finding: &Finding) -> String {
        finding.death.as_ref().map_or("crash", |death| &death.what).to_owned()
    }
}
