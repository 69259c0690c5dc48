//! What to do about a finding, where that is known.

use super::groups::listed;
use crate::model::{Finding, Kind, Lock, Site};

/// What may help.
pub(super) fn of(finding: &Finding) -> Option<String> {
    if finding.place().is_some_and(|place| place.file.is_none()) {
        return Some("build with -g to see files, lines and variables".to_owned());
    }
    match finding.kind {
        Kind::DataRace if finding.is_confirmed() => locks(finding),
        Kind::DataRace => None,
        Kind::Deadlock => order(finding),
        Kind::WaitNotInLoop => Some("put the wait into a loop that checks its condition".to_owned()),
        Kind::Crash => None,
    }
}

/// Why the locks that are held do not order the two accesses.
fn locks(finding: &Finding) -> Option<String> {
    let [first, second] = finding.sites.as_slice() else { return None };
    if first.locks.is_empty() && second.locks.is_empty() {
        return Some("neither thread holds a lock here".to_owned());
    }
    let is_named = |lock: &&Lock| lock.name.starts_with('`');
    let common = |lock: &&Lock| second.locks.iter().any(|other| other.name == lock.name);
    if let Some(lock) = first.locks.iter().filter(is_named).find(common) {
        return Some(format!("{} is held for reading, which does not keep others from reading and writing", lock.name));
    }
    let held = |site: &Site| {
        let names: Vec<&str> = site.locks.iter().map(|lock| lock.name.as_str()).collect();
        let held = if names.is_empty() { "none".to_owned() } else { listed(&names) };
        format!("{} holds {held}", finding.thread_of(site))
    };
    Some(format!("the accesses have no lock in common: {}, {}", held(first), held(second)))
}

/// If every thread holds a lock and waits for one that another holds: which.
fn order(finding: &Finding) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for site in &finding.sites {
        let wanted = site.doing.strip_prefix("waits for `")?.split_once('`')?.0;
        let held = finding.sites.iter().filter(|other| other.thread != site.thread).flat_map(|other| &other.locks);
        held.map(|lock| lock.name.trim_matches('`')).find(|name| *name == wanted)?;
        names.push(wanted);
    }
    names.sort_unstable_by_key(|name| as_people_count(name));
    names.dedup();
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (names.len() > 1).then(|| format!("take {} in the same order everywhere", listed(&names)))
}

/// `m[9]` comes before `m[10]`.
fn as_people_count(name: &str) -> (String, usize, &str) {
    (name.replace(|c: char| c.is_ascii_digit(), ""), name.len(), name)
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
