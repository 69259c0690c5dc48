//! One pass over the recorded run for all instances of a property.
//!
//! The automata run along. If the rule's form allows it ([`Linear`]), the pass also decides whether an equivalent run
//! ([`super::clocks`]) violates the property. For two events *first* and *then*, some equivalent run has *first* before
//! *then* exactly if *then* is not ordered before *first*. As clocks of a thread only grow, the last *then* of each other
//! thread is enough to know at each *first*.

use foretrace_event::{EventId, ThreadId};
use foretrace_finding::Schedule;
use foretrace_property::{Instance, Linear, Template};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use super::Alphabet;
use super::clocks::{self, Clock, Clocks};

/// What a letter is in the rule of an instance.
#[derive(Clone, Copy, Default)]
struct Roles {
    first: bool,
    then: bool,
    end: bool,
}

/// An order that violates an instance: all that comes before these events, and then the last one.
#[derive(Clone, Debug)]
enum Order {
    /// As recorded, up to this event.
    Recorded(EventId),
    /// All that is ordered before the events, each after what comes before those in the list before it.
    After(Vec<EventId>),
}

/// The last events of a thread that matter to an instance.
#[derive(Clone, Copy, Default)]
struct Last {
    first: Option<u32>,
    then: Option<u32>,
    /// The last region that has ended: where it began and where it ended.
    region: Option<(u32, u32)>,
}

struct Tracked {
    state: u32,
    lasts: Vec<(ThreadId, Last)>,
    found: Option<Order>,
}

impl Tracked {
    fn last(&mut self, thread: ThreadId) -> &mut Last {
        let at = self.lasts.iter().position(|(other, _)| *other == thread).unwrap_or_else(|| {
            self.lasts.push((thread, Last::default()));
            self.lasts.len() - 1
        });
        &mut self.lasts[at].1
    }
}

/// For each instance, a schedule that violates it, if this pass finds one.
pub(super) fn run(
    trace: &Trace,
    template: &Template,
    alphabet: &Alphabet,
    instances: &[Instance],
) -> Vec<Option<Schedule>> {
    let mut uses: Vec<Vec<(u32, u32, Roles)>> = vec![Vec::new(); alphabet.letters().len()];
    for (number, instance) in instances.iter().enumerate() {
        for (local, letter) in instance.letters.iter().enumerate() {
            let roles = roles(template, &instance.fits[local]);
            uses[*letter as usize].push((number as u32, local as u32, roles));
        }
    }
    let new = || Tracked { state: 0, lasts: Vec::new(), found: None };
    let mut tracked: Vec<Tracked> = instances.iter().map(|_| new()).collect();
    let mut clocks = Clocks::new(trace);
    for id in trace.observed() {
        let event = trace.event(id);
        clocks.pass(id, event);
        let Some(letter) = alphabet.letter(id.thread, event) else { continue };
        for &(number, local, roles) in &uses[letter as usize] {
            let (instance, one) = (&instances[number as usize], &mut tracked[number as usize]);
            if one.found.is_some() {
                continue;
            }
            one.state = instance.automaton.next(one.state, local as usize);
            if one.state == instance.automaton.violated() {
                one.found = Some(Order::Recorded(id));
            } else if let Some(linear) = &template.linear {
                one.found = decide(linear, one, id, roles, clocks.of(id.thread));
            }
        }
    }
    schedules(trace, tracked)
}

fn roles(template: &Template, fits: &[usize]) -> Roles {
    let any = |patterns: &[usize]| patterns.iter().any(|pattern| fits.contains(pattern));
    match &template.linear {
        None => Roles::default(),
        Some(Linear::After { first, then } | Linear::Missing { first, then }) => {
            Roles { first: any(first), then: any(then), end: false }
        }
        Some(Linear::Between { begin, middle, end }) => Roles { first: any(begin), then: any(middle), end: any(end) },
    }
}

/// Does this event complete a violation of an equivalent run?
fn decide(linear: &Linear, one: &mut Tracked, id: EventId, roles: Roles, clock: &Clock) -> Option<Order> {
    match linear {
        Linear::After { .. } => after(one, id, roles, clock),
        Linear::Missing { .. } => missing(one, id, roles, clock),
        Linear::Between { .. } => between(one, id, roles, clock),
    }
}

/// The first event of a thread is compared with the last event of each other one.
fn after(one: &mut Tracked, id: EventId, roles: Roles, clock: &Clock) -> Option<Order> {
    let own = one.last(id.thread);
    let is_new = roles.first && own.first.is_none();
    if roles.first {
        own.first.get_or_insert(id.index);
    }
    let found = if is_new { unordered_then(one, id, clock) } else { None };
    if roles.then {
        one.last(id.thread).then = Some(id.index);
    }
    found.map(|then| Order::After(vec![id, then]))
}

/// An event of another thread that is a `then` and not ordered before this one.
fn unordered_then(one: &Tracked, id: EventId, clock: &Clock) -> Option<EventId> {
    let others = one.lasts.iter().filter(|(thread, _)| *thread != id.thread);
    let mut thens = others.filter_map(|(thread, last)| Some(EventId { thread: *thread, index: last.then? }));
    thens.find(|then| then.index >= clock[then.thread.index()])
}

/// Is nothing that must come first ordered before this event?
fn missing(one: &mut Tracked, id: EventId, roles: Roles, clock: &Clock) -> Option<Order> {
    if roles.first {
        one.last(id.thread).first.get_or_insert(id.index);
        return None;
    }
    let is_before = |(thread, last): &(ThreadId, Last)| last.first.is_some_and(|index| index < clock[thread.index()]);
    (roles.then && !one.lasts.iter().any(is_before)).then(|| Order::After(vec![id]))
}

/// Can an event of another thread come between the beginning and the end of a region?
fn between(one: &mut Tracked, id: EventId, roles: Roles, clock: &Clock) -> Option<Order> {
    if roles.first && one.last(id.thread).first.is_none() {
        one.last(id.thread).first = Some(id.index);
        if let Some(middle) = unordered_then(one, id, clock) {
            return Some(Order::After(vec![id, middle]));
        }
    }
    if roles.end {
        let own = one.last(id.thread);
        own.region = own.first.take().map(|begin| (begin, id.index)).or(own.region);
    }
    if !roles.then {
        return None;
    }
    one.last(id.thread).then = Some(id.index);
    let others = one.lasts.iter().filter(|(thread, _)| *thread != id.thread);
    let mut ended = others.filter_map(|(thread, last)| Some((*thread, last.region?)));
    let open = ended.find(|(thread, (_, end))| *end >= clock[thread.index()]);
    open.map(|(thread, (begin, _))| Order::After(vec![EventId { thread, index: begin }, id]))
}

/// From orders to schedules: one more pass gives the clocks of their events.
fn schedules(trace: &Trace, tracked: Vec<Tracked>) -> Vec<Option<Schedule>> {
    let events: Vec<EventId> = tracked
        .iter()
        .flat_map(|one| match &one.found {
            Some(Order::After(events)) => events.clone(),
            _ => Vec::new(),
        })
        .collect();
    let clocks = if events.is_empty() { FxHashMap::default() } else { clocks::at(trace, &events) };
    let schedule = |order: Order| match order {
        Order::Recorded(last) => {
            let mut whole: Vec<EventId> = Vec::new();
            for id in trace.observed() {
                whole.push(id);
                if id == last {
                    break;
                }
            }
            whole.into_iter().collect()
        }
        Order::After(events) => in_turn(trace, &events, &clocks),
    };
    tracked.into_iter().map(|one| one.found.map(schedule)).collect()
}

/// All that comes before the first event, then all that comes before the next, and so on, each in recorded order.
fn in_turn(trace: &Trace, events: &[EventId], clocks: &FxHashMap<EventId, Clock>) -> Schedule {
    let mut done = vec![0; trace.threads().len()];
    let mut order = Vec::new();
    for event in events {
        let clock = &clocks[event];
        let is_new = |id: &EventId| id.index >= done[id.thread.index()] && id.index < clock[id.thread.index()];
        order.extend(trace.observed().filter(is_new));
        done.iter_mut().zip(clock).for_each(|(done, upto)| *done = (*done).max(*upto));
    }
    order.into_iter().collect()
}
