//! Threads that wait for each other, or for what will not come.

use crate::act::{Act, Thing, Wait};
use crate::model::ErrorKind;
use crate::model::{Finding, Site, any_frame};
use crate::words::{self, listed};

pub(super) struct Deadlock;

impl ErrorKind for Deadlock {
    fn rule(&self) -> &'static str {
        "deadlock"
    }

    fn about(&self) -> &'static str {
        "Threads wait for each other, or for something that will not come."
    }

    fn title(&self, finding: &Finding) -> String {
        match finding.sites.len() {
            1 => "deadlock of one thread".to_owned(),
            count => format!("deadlock of {count} threads"),
        }
    }

    fn in_tsan(&self) -> &'static str {
        "lock-order-inversion (potential deadlock)"
    }

    /// If every thread holds a lock and waits for one that another holds: which.
    fn help(&self, finding: &Finding) -> Option<String> {
        let mut wanted: Vec<&Thing> = Vec::new();
        for site in &finding.sites {
            let Act::Wait(Wait::Lock { lock, shared: false, .. }) = &site.does else { return None };
            let others = finding.sites.iter().filter(|other| other.thread != site.thread);
            let is_held = others.flat_map(|other| &other.locks).any(|held| held.lock == *lock);
            wanted.push(Some(lock).filter(|lock| is_held && lock.name.is_some())?);
        }
        wanted.sort_by_cached_key(|thing| as_people_count(thing.name.as_deref().unwrap_or_default()));
        wanted.dedup();
        let names: Vec<String> = wanted.into_iter().map(words::thing).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (names.len() > 1).then(|| format!("take {} in the same order everywhere", listed(&names)))
    }

    fn hides(&self, kind: &str, matches: &dyn Fn(&str) -> bool, finding: &Finding) -> bool {
        let is_hidden = |site: &Site| any_frame(&site.stack, matches) || names(site).any(matches);
        kind == "deadlock" && finding.sites.iter().any(is_hidden)
    }
}

/// The variables that a thread waits for or holds.
fn names(site: &Site) -> impl Iterator<Item = &str> {
    let awaited = match &site.does {
        Act::Wait(
            Wait::Lock { lock: thing, .. }
            | Wait::Signal { condition: thing, .. }
            | Wait::Post { semaphore: thing }
            | Wait::Barrier { barrier: thing }
            | Wait::Once { once: thing }
            | Wait::Channel { channel: thing },
        ) => Some(thing),
        _ => None,
    };
    site.locks.iter().map(|held| &held.lock).chain(awaited).filter_map(|thing| thing.name.as_deref())
}

/// `m[9]` comes before `m[10]`.
fn as_people_count(name: &str) -> (String, usize, String) {
    (name.replace(|c: char| c.is_ascii_digit(), ""), name.len(), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::as_people_count;

    #[test]
    fn names_come_in_order() {
        let mut names = ["m[10]", "bob.lock", "m[9]", "alice.lock"];
        names.sort_by_key(|name| as_people_count(name));
        assert_eq!(names, ["alice.lock", "bob.lock", "m[9]", "m[10]"]);
    }
}
