//! Questions without an answer, in words: each names its variable or its block and the places that use it, and questions
//! that differ in nothing a person could see are listed once.

use crate::Subject;
use crate::fold::without_indices;
use foretrace_event::{Event, IntervalId};
use foretrace_predict::{Question, Undecided as Open};
use foretrace_report::Undecided;
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// Places that are named, of those that use a variable.
const PLACES: usize = 4;

/// All questions, those that read the same together.
pub(crate) fn all(subject: &Subject<'_>, open: &[Open]) -> Vec<Undecided> {
    let users = users(subject.trace, open);
    let mut groups: Vec<Undecided> = Vec::new();
    for one in open {
        let (question, why) = (question(subject, &one.question, &users), one.why.to_string());
        match groups.iter_mut().find(|group| group.question == question && group.why == why) {
            Some(group) => group.count += 1,
            None => groups.push(Undecided { question, why, count: 1 }),
        }
    }
    groups
}

/// The program counters that access each interval of a question.
type Users = BTreeMap<IntervalId, BTreeSet<u64>>;

fn users(trace: &Trace, open: &[Open]) -> Users {
    let intervals = open.iter().filter_map(|one| match one.question {
        Question::Race(interval) => Some((interval, BTreeSet::new())),
        _ => None,
    });
    let mut users: Users = intervals.collect();
    for id in trace.observed() {
        if let Event::Read(interval) | Event::Write(interval) = trace.event(id)
            && let Some(places) = users.get_mut(&interval)
        {
            places.insert(trace.pc(id));
        }
    }
    users
}

fn question(subject: &Subject<'_>, question: &Question, users: &Users) -> String {
    let trace = subject.trace;
    match question {
        Question::Race(interval) => {
            let places = users.get(interval).into_iter().flatten().copied();
            format!("is there a race on {}{}?", memory(subject, *interval), used_at(subject, places))
        }
        Question::Cycle(events) => {
            let places: Vec<String> =
                events.iter().map(|id| subject.symbols.location(trace.pc(*id)).to_string()).collect();
            format!("can the locks taken at {} wait for each other?", places.join(", "))
        }
        Question::Property(name, values) if values.is_empty() => format!("can the property `{name}` be violated?"),
        Question::Property(name, values) => format!("can the property `{name}` be violated with {values}?"),
        Question::Cycles => "are there more cycles of locks?".to_owned(),
        Question::DeadEnds => "can threads get stuck in another way?".to_owned(),
    }
}

/// A variable, a block, or memory of which nothing is known.
fn memory(subject: &Subject<'_>, interval: IntervalId) -> String {
    let trace = subject.trace;
    match (&trace.interval(interval).name, trace.allocation(interval)) {
        (Some(name), _) => format!("`{}`", without_indices(name)),
        (None, Some(block)) => {
            format!("heap blocks of {}", subject.symbols.location(block.pc))
        }
        (None, None) => "memory without a name".to_owned(),
    }
}

fn used_at(subject: &Subject<'_>, pcs: impl Iterator<Item = u64>) -> String {
    let known = pcs.filter(|pc| *pc != 0);
    let places: BTreeSet<String> = known.map(|pc| subject.symbols.location(pc).to_string()).collect();
    let more = places.len().saturating_sub(PLACES);
    let named: Vec<String> = places.into_iter().take(PLACES).collect();
    match (named.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(", used at {}", named.join(", ")),
        (false, _) => format!(", used at {} and {more} more places", named.join(", ")),
    }
}
