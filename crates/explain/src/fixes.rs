//! What would mend an error, where that follows from what the recorded run did.
//!
//! * A race: most places that use the variable hold a lock that one of the two accesses does not hold. If its thread takes
//!   that lock just after the access in the same function, or has just released it, the access is to move.
//! * A deadlock of two locks: more places take them in one order than in the other.
//! * A thread that waits for a signal that has been given before.

mod locks;

use crate::resolver::Resolver;
use foretrace_report::{Act, Finding, Frame, Kind, Operation, Site, Touch, Verb, Wait, What};
use foretrace_trace::Trace;
use locks::{Nested, Uses};

/// Longer traces are not looked through.
const LONGEST: usize = 1_000_000;

/// The fixes of a finding that was confirmed.
pub(crate) fn of(resolver: &Resolver<'_>, finding: &Finding) -> Vec<String> {
    let trace = resolver.subject.trace;
    if events(trace) > LONGEST {
        return Vec::new();
    }
    match finding.kind {
        kind if kind == Kind::DATA_RACE => race(resolver, finding),
        kind if kind == Kind::DEADLOCK => opposite(resolver, finding).into_iter().chain(lost(finding)).collect(),
        _ => Vec::new(),
    }
}

fn events(trace: &Trace) -> usize {
    trace.threads().map(|thread| trace.len(thread) as usize).sum()
}

/// A line of a file, for people.
fn line(frame: &Frame, finding: &Finding) -> String {
    let is_here = finding.place().is_some_and(|place| place.file == frame.file);
    if is_here { format!("line {}", frame.line) } else { frame.short() }
}

fn race(resolver: &Resolver<'_>, finding: &Finding) -> Vec<String> {
    let name = finding.memory.as_ref().and_then(|memory| memory.name.as_deref());
    let (Some(name), [one, other]) = (name, finding.sites.as_slice()) else { return Vec::new() };
    let uses = Uses::of(resolver, name);
    let both = [(one, other), (other, one)].into_iter();
    both.filter_map(|(site, other)| under_lock(finding, &uses, name, (site, other))).collect()
}

/// Which lock an access lacks that the other one holds, as most uses of the variable do.
fn under_lock(finding: &Finding, uses: &Uses, name: &str, (site, other): (&Site, &Site)) -> Option<String> {
    let place = site.top().filter(|place| place.line > 0)?;
    let held = |site: &Site, name: &str| site.locks.iter().any(|held| held.lock.name.as_deref() == Some(name));
    let locks = other.locks.iter().filter(|held| !held.shared).filter_map(|held| held.lock.name.as_deref());
    let (lock, with, all) = locks
        .filter(|lock| !held(site, lock))
        .map(|lock| (lock, uses.places_with(lock), uses.places()))
        .find(|(_, with, all)| *with > 0 && 2 * with >= *all)?;
    let Act::Touch(Touch { verb, .. }) = &site.does else { return None };
    let access = if *verb == Verb::Read { "read" } else { "write" };
    let at = line(place, finding);
    if let Some(taken) = uses.taken_after(place, lock) {
        return Some(format!(
            "move the {access} of `{name}` at {at} behind the lock of `{lock}` at {}",
            line(&taken, finding)
        ));
    }
    if let Some(released) = uses.released_before(place, lock) {
        let released = line(&released, finding);
        return Some(format!("move the {access} of `{name}` at {at} before the unlock of `{lock}` at {released}"));
    }
    Some(format!("hold `{lock}` at {at}, too: {with} of {all} places that use `{name}` hold it"))
}

/// Two locks that more places take in one order than in the other.
fn opposite(resolver: &Resolver<'_>, finding: &Finding) -> Option<String> {
    let [one, other] = finding.sites.as_slice() else { return None };
    let (first, second) = (wanted(one)?, wanted(other)?);
    let nested = Nested::of(resolver);
    let [there, back] = [nested.places(second, first), nested.places(first, second)];
    let (outer, inner, wrong, right) = match there.len().cmp(&back.len()) {
        std::cmp::Ordering::Less => (first, second, there, back),
        std::cmp::Ordering::Greater => (second, first, back, there),
        std::cmp::Ordering::Equal => return None,
    };
    let wrong: Vec<String> = wrong.iter().map(|place| line(place, finding)).collect();
    let places = if right.len() == 1 { "place does".to_owned() } else { format!("{} places do", right.len()) };
    (!wrong.is_empty())
        .then(|| format!("take `{outer}` before `{inner}` at {}, too, as the other {places}", wrong.join(" and ")))
}

/// The name of the lock that a thread waits for.
fn wanted(site: &Site) -> Option<&str> {
    match &site.does {
        Act::Wait(Wait::Lock { lock, .. }) => lock.name.as_deref(),
        _ => None,
    }
}

/// A signal that was given before the wait for it began.
fn lost(finding: &Finding) -> Option<String> {
    let waiting = |site: &&Site| matches!(&site.does, Act::Wait(Wait::Signal { .. }));
    let site = finding.sites.iter().find(waiting)?;
    let Act::Wait(Wait::Signal { condition, .. }) = &site.does else { return None };
    condition.name.as_ref()?;
    let gives = |act: &Act| match act {
        Act::Operation(Operation { what: What::Signal | What::Broadcast, thing, .. }) => {
            thing.as_ref() == Some(condition)
        }
        _ => false,
    };
    let given = finding.steps.iter().rev().find(|step| step.thread != site.thread && gives(&step.does))?;
    let (name, given, wait) = (condition.name.as_deref()?, given.place.as_ref()?, site.top()?);
    Some(format!(
        "the signal of `{name}` at {} came before the wait at {} began and is not kept: set a variable under the lock of the wait \
         before the signal, and wait only while it is not set",
        line(given, finding),
        line(wait, finding)
    ))
}
