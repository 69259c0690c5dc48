//! Another thread comes in between where nothing should.

use crate::model::{ErrorKind, Finding, Site, any_frame, top};

pub(super) struct AtomicityViolation;

impl ErrorKind for AtomicityViolation {
    fn rule(&self) -> &'static str {
        "atomicity-violation"
    }

    fn about(&self) -> &'static str {
        "Another thread's access comes between two accesses of a region that is meant to be atomic."
    }

    fn title(&self, finding: &Finding) -> String {
        let on = finding.memory.as_ref().and_then(|memory| memory.name.as_deref());
        let on = on.map(|name| format!(" on `{name}`")).unwrap_or_default();
        let function = finding.sites.first().and_then(|site| top(&site.stack)?.function.as_deref());
        let function = function.map(|name| format!(" in {name}")).unwrap_or_default();
        format!("atomicity violation{on}{function}")
    }

    /// What each of the three accesses is.
    fn help(&self, finding: &Finding) -> Option<String> {
        let [first, remote, _] = finding.sites.as_slice() else { return None };
        let (own, other) = (finding.thread_of(first), finding.thread_of(remote));
        Some(format!(
            "no order in which nothing interrupts the region of {own} has the same result: {other} comes in between"
        ))
    }

    fn hides(&self, kind: &str, matches: &dyn Fn(&str) -> bool, finding: &Finding) -> bool {
        let is_hidden = |site: &Site| any_frame(&site.stack, matches);
        kind == "atomicity" && finding.sites.iter().any(is_hidden)
    }
}
