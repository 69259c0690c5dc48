//! The same behaviour with fewer context switches: of an order, only what its goal depends on, and each thread for as long
//! as the dependences allow.
//!
//! Two events depend on each other if they belong to one thread, access common bytes (one of them writing), use one
//! object, or if one starts or awaits the other's thread. Every order that keeps the order of dependent events can happen
//! if one can, and its reads see the same.

use crate::goals::Goal;
use crate::model::Extent;
use foretrace_ctp::{Action, Ctp, EventId, ObjectId, ThreadId};
use rustc_hash::FxHashMap;

/// How often the thread changes.
pub fn switches(order: &[EventId]) -> u32 {
    order.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count() as u32
}

/// An order that can happen if this one can, and reaches the same goal.
pub fn order(ctp: &Ctp, order: Vec<EventId>, goal: &Goal, extent: Extent) -> Vec<EventId> {
    let mut before = dependences(ctp, &order);
    let place: FxHashMap<EventId, usize> = order.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    for (a, b) in &goal.before {
        if let (Some(a), Some(b)) = (place.get(a), place.get(b)) {
            before[*b].push(*a);
        }
    }
    let needed = match extent {
        Extent::Whole => vec![true; order.len()],
        Extent::Prefix => needed(&before, wanted(ctp, &order, goal).iter().filter_map(|id| place.get(id).copied())),
    };
    let line = |chosen: Vec<usize>| -> Vec<EventId> { chosen.into_iter().map(|place| order[place]).collect() };
    let calm = line(greedy(&order, &before, &needed));
    let same = line((0..order.len()).filter(|place| needed[*place]).collect());
    if switches(&calm) < switches(&same) { calm } else { same }
}

/// What has to happen: the events of the goal, and for those that are to be next the last of their thread, or its start.
fn wanted(ctp: &Ctp, order: &[EventId], goal: &Goal) -> Vec<EventId> {
    let forks = ctp.forks();
    let reached = |next: &EventId| {
        let own = order.iter().filter(|id| id.thread == next.thread && id.index < next.index).max();
        own.copied().or_else(|| forks.get(&next.thread).copied())
    };
    let next = goal.next.iter().chain(&goal.fails).filter_map(reached);
    goal.done.iter().copied().chain(goal.fails).chain(next).collect()
}

fn needed(before: &[Vec<usize>], goals: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut needed = vec![false; before.len()];
    let mut open: Vec<usize> = goals.collect();
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut needed[place], true) {
            open.extend(&before[place]);
        }
    }
    needed
}

/// The thread of the last event goes on if it can; otherwise the one whose next event came first.
fn greedy(order: &[EventId], before: &[Vec<usize>], needed: &[bool]) -> Vec<usize> {
    let mut queues: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    for place in (0..order.len()).rev().filter(|place| needed[*place]) {
        queues.entry(order[place].thread).or_default().push(place);
    }
    let mut done = vec![false; order.len()];
    let mut line: Vec<usize> = Vec::new();
    loop {
        let is_free = |place: &usize| before[*place].iter().all(|earlier| done[*earlier] || !needed[*earlier]);
        let next = |thread: &ThreadId| queues.get(thread).and_then(|queue| queue.last()).copied().filter(is_free);
        let same = line.last().and_then(|last| next(&order[*last].thread));
        let Some(place) = same.or_else(|| queues.keys().filter_map(next).min()) else { return line };
        done[place] = true;
        line.push(place);
        queues.get_mut(&order[place].thread).map(Vec::pop);
    }
}

/// Who used something last, in an order.
#[derive(Default)]
struct Last {
    threads: FxHashMap<ThreadId, usize>,
    forks: FxHashMap<ThreadId, usize>,
    objects: FxHashMap<ObjectId, usize>,
    writes: FxHashMap<u64, usize>,
    reads: FxHashMap<u64, Vec<usize>>,
}

/// For each place of the order, the places before it that it depends on directly.
fn dependences(ctp: &Ctp, order: &[EventId]) -> Vec<Vec<usize>> {
    let mut last = Last::default();
    let one = |(place, id): (usize, &EventId)| {
        let mut found: Vec<usize> = Vec::new();
        found.extend(last.threads.insert(id.thread, place).or_else(|| last.forks.get(&id.thread).copied()));
        last.uses(ctp.event(*id).action, place, &mut found);
        found
    };
    order.iter().enumerate().map(one).collect()
}

impl Last {
    fn uses(&mut self, action: Action, place: usize, found: &mut Vec<usize>) {
        match action {
            Action::Fork(child) => drop(self.forks.insert(child, place)),
            Action::Join(child) => found.extend(self.threads.get(&child).or(self.forks.get(&child))),
            _ => {}
        }
        for object in objects(action).into_iter().flatten() {
            found.extend(self.objects.insert(object, place));
        }
        for byte in action.place().into_iter().flat_map(|bytes| bytes.address..bytes.end()) {
            found.extend(self.writes.get(&byte));
            if action.written().is_some() {
                found.extend(self.reads.remove(&byte).unwrap_or_default());
                self.writes.insert(byte, place);
            } else {
                self.reads.entry(byte).or_default().push(place);
            }
        }
    }
}

fn objects(action: Action) -> [Option<ObjectId>; 2] {
    match action {
        Action::Lock(o) | Action::ReadLock(o) | Action::Unlock(o) | Action::SemWait(o) | Action::SemPost(o) => {
            [Some(o), None]
        }
        Action::Signal(o) | Action::Broadcast(o) | Action::BarrierEnter(o) | Action::BarrierExit(o) => [Some(o), None],
        Action::Wait { condition, mutex } | Action::Woken { condition, mutex } => [Some(condition), Some(mutex)],
        _ => [None, None],
    }
}
