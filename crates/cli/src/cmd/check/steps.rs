//! The steps of a schedule that matter: how the threads came to be, what they hold, where they last met.

use super::describe::Words;
use foretrace_event::{Event, EventId, LockId, ThreadId};
use foretrace_finding::{Schedule, Witness};
use foretrace_report::{Memory, Site, Step, Thread};
use foretrace_trace::Trace;
use std::collections::BTreeSet;

/// The last operations of a thread that are shown in any case.
const LAST: usize = 2;

/// The steps of the threads that take part, then what fails.
pub fn of(words: &Words, witness: &Witness, sites: &[Site], threads: &[Thread], memory: Option<&Memory>) -> Vec<Step> {
    let trace = &words.subject.trace;
    let chosen = choose(trace, &witness.schedule, threads);
    let schedule = witness.schedule.steps().iter().filter(|step| chosen.contains(&step.event));
    let step = |step: &foretrace_finding::Step| {
        let text = text(trace, trace.event(step.event));
        Step {
            thread: index(threads, step.event.thread).unwrap_or(0),
            text: if step.fails { format!("{text}, in vain") } else { text },
            place: words.sources.place(trace.pc(step.event), &words.subject.symbols, &words.subject.modules),
            fails: false,
        }
    };
    let name = memory.and_then(|memory| memory.name.as_deref());
    let last = |site: &Site| Step {
        thread: site.thread,
        text: name.map_or_else(|| site.doing.clone(), |name| format!("{} {name}", verb(&site.doing))),
        place: site.top().cloned(),
        fails: true,
    };
    schedule.map(step).chain(sites.iter().rev().map(last)).collect()
}

fn verb(doing: &str) -> &str {
    doing.split(' ').next().unwrap_or(doing)
}

fn index(threads: &[Thread], thread: ThreadId) -> Option<usize> {
    threads.iter().position(|known| known.number == thread.0)
}

fn choose(trace: &Trace, schedule: &Schedule, threads: &[Thread]) -> BTreeSet<EventId> {
    let mut chosen = BTreeSet::new();
    for thread in threads {
        let own = schedule.events().filter(|id| id.thread.0 == thread.number);
        let own: Vec<EventId> = own.filter(|id| !trace.event(*id).is_access()).collect();
        chosen.extend(own.iter().rev().filter(|id| matters(trace.event(**id))).take(LAST));
        chosen.extend(held(trace, &own));
        let forks = own.iter().filter(|id| match trace.event(**id) {
            Event::Fork(child) => index(threads, child).is_some(),
            _ => false,
        });
        chosen.extend(forks);
    }
    chosen
}

fn matters(event: Event) -> bool {
    !matches!(event, Event::Start | Event::End | Event::Fork(_) | Event::Custom(..))
}

/// The acquisitions of what the thread still holds.
fn held(trace: &Trace, own: &[EventId]) -> Vec<EventId> {
    let mut held: Vec<(LockId, EventId)> = Vec::new();
    for id in own {
        match trace.event(*id) {
            Event::Lock(lock, _) | Event::RdLock(lock, _) => held.push((lock, *id)),
            Event::Unlock(lock) => {
                if let Some(at) = held.iter().rposition(|(known, _)| *known == lock) {
                    held.remove(at);
                }
            }
            _ => {}
        }
    }
    held.into_iter().map(|(_, id)| id).collect()
}

/// What an event does, in a few words.
pub fn text(trace: &Trace, event: Event) -> String {
    let condition = |instance| trace.name(trace.instance(instance).condition);
    let thread = |id: ThreadId| if id == ThreadId::MAIN { "main".to_owned() } else { trace.name(id) };
    match event {
        Event::Start => "begins".to_owned(),
        Event::End => "ends".to_owned(),
        Event::Fork(child) => format!("creates {}", thread(child)),
        Event::Join(child) => format!("joins {}", thread(child)),
        Event::Lock(lock, _) => format!("locks {}", trace.name(lock)),
        Event::FailedLock(lock, _) => format!("cannot lock {}", trace.name(lock)),
        Event::RdLock(lock, _) => format!("read-locks {}", trace.name(lock)),
        Event::FailedRdLock(lock, _) => format!("cannot read-lock {}", trace.name(lock)),
        Event::Unlock(lock) => format!("unlocks {}", trace.name(lock)),
        Event::Signal(instance) => format!("signals {}", condition(instance)),
        Event::Broadcast(instance) => format!("broadcasts {}", condition(instance)),
        Event::Wait(instance, _) => format!("is woken from {}", condition(instance)),
        Event::FailedWait(_) => "gives up waiting".to_owned(),
        Event::BarrierEnter(barrier) => format!("comes to {}", trace.name(barrier)),
        Event::BarrierExit(barrier) => format!("leaves {}", trace.name(barrier)),
        Event::SemWait(sem, _) => format!("takes {}", trace.name(sem)),
        Event::FailedSemWait(sem, _) => format!("cannot take {}", trace.name(sem)),
        Event::SemPost(sem) => format!("posts {}", trace.name(sem)),
        Event::OnceRun(once) => format!("initialises {}", trace.name(once)),
        Event::OnceDone(once) => format!("has initialised {}", trace.name(once)),
        Event::OnceAbort(once) => format!("fails to initialise {}", trace.name(once)),
        Event::OncePass(once) => format!("finds {} initialised", trace.name(once)),
        Event::Release(channel) => format!("releases into {}", trace.name(channel)),
        Event::Acquire(channel) => format!("acquires from {}", trace.name(channel)),
        Event::AtomicLoad(atomic, _, value) => format!("loads {} = {value}", trace.name(atomic)),
        Event::AtomicStore(atomic, _, value) => format!("stores {} = {value}", trace.name(atomic)),
        Event::AtomicRmw(atomic, _, old, new) => format!("changes {} {old} to {new}", trace.name(atomic)),
        Event::Fence(_) => "passes a fence".to_owned(),
        Event::Read(interval) => format!("reads {}", trace.name(interval)),
        Event::Write(interval) => format!("writes {}", trace.name(interval)),
        Event::Custom(custom, value) => format!("{} {value}", trace.name(custom)),
    }
}
