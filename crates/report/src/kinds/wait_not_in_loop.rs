//! A wait on a condition variable whose condition is not looked at again.

use crate::model::ErrorKind;
use crate::model::{Finding, any_frame};

pub(super) struct WaitNotInLoop;

impl ErrorKind for WaitNotInLoop {
    fn rule(&self) -> &'static str {
        "wait-not-in-loop"
    }

    fn about(&self) -> &'static str {
        "A wait may end without a signal, and the program goes on without looking at its condition again."
    }

    fn title(&self, _: &Finding) -> String {
        self.in_tsan().to_owned()
    }

    fn in_tsan(&self) -> &'static str {
        "wait not in a loop"
    }

    fn help(&self, _: &Finding) -> Option<String> {
        Some("put the wait into a loop that checks its condition".to_owned())
    }

    fn hides(&self, kind: &str, matches: &dyn Fn(&str) -> bool, finding: &Finding) -> bool {
        matches!(kind, "race" | "deadlock") && finding.sites.iter().any(|site| any_frame(&site.stack, matches))
    }
}
