//! Two unordered accesses.

use crate::model::ErrorKind;
use crate::model::{Finding, Frame, Lock, Origin, Site, any_frame, top};
use crate::words::{self, listed};

pub(super) struct DataRace;

impl ErrorKind for DataRace {
    fn rule(&self) -> &'static str {
        "data-race"
    }

    fn about(&self) -> &'static str {
        "Two threads access the same memory, one of them writes, and nothing orders them."
    }

    fn title(&self, finding: &Finding) -> String {
        let Some(memory) = &finding.memory else { return "data race".to_owned() };
        match (&memory.name, &memory.origin, &memory.function) {
            (Some(name), Origin::Stack(_), Some(function)) => {
                format!("data race on `{name}`, a local variable of {function}")
            }
            (Some(name), Origin::ThreadLocal(thread), _) => format!("data race on `{name}` of {thread}"),
            (Some(name), origin @ Origin::Heap(_), _) if memory.freed => {
                format!("{}{}, at `{name}`", memory.error(), origin.within())
            }
            (Some(name), ..) => format!("data race on `{name}`"),
            (None, origin, _) => format!("{}{}", memory.error(), origin.within()),
        }
    }

    fn in_tsan(&self) -> &'static str {
        "data race"
    }

    fn has_earlier_sites(&self) -> bool {
        true
    }

    /// Why the locks that are held do not order the two accesses.
    fn help(&self, finding: &Finding) -> Option<String> {
        let [first, second] = finding.sites.as_slice() else { return None };
        if !finding.is_confirmed() {
            return None;
        }
        if first.locks.is_empty() && second.locks.is_empty() {
            return Some("neither thread holds a lock here".to_owned());
        }
        let is_common =
            |held: &&Lock| held.lock.name.is_some() && second.locks.iter().any(|other| other.lock == held.lock);
        if let Some(held) = first.locks.iter().find(is_common) {
            let name = words::thing(&held.lock);
            return Some(format!("{name} is held for reading, which does not keep others from reading and writing"));
        }
        let held = |site: &Site| {
            let names: Vec<String> = site.locks.iter().map(|held| words::thing(&held.lock)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let held = if names.is_empty() { "none".to_owned() } else { listed(&names) };
            format!("{} holds {held}", finding.thread_of(site))
        };
        Some(format!("the accesses have no lock in common: {}, {}", held(first), held(second)))
    }

    fn hides(&self, kind: &str, matches: &dyn Fn(&str) -> bool, finding: &Finding) -> bool {
        // A race that kills the program is shown nevertheless: nobody has asked for a crash to be hidden.
        if finding.death.is_some() {
            return false;
        }
        let variable = || finding.memory.as_ref().and_then(|memory| memory.name.as_deref()).is_some_and(matches);
        match kind {
            "race" => variable() || every_pair(finding, |calls| any_frame(calls, matches)),
            "race_top" => every_pair(finding, |calls| any_frame(top(calls), matches)),
            _ => false,
        }
    }
}

/// Is there in every pair of accesses one whose calls are like that?
fn every_pair(finding: &Finding, is_hidden: impl Fn(&[Frame]) -> bool) -> bool {
    finding.sites.iter().any(|site| is_hidden(&site.stack))
        && finding.also.iter().all(|pair| pair.accesses.iter().any(|access| is_hidden(&access.stack)))
}
