//! The events of one execution with their happens-before relation, kept while executions share a prefix.
//!
//! An event happens before a later one if both are of one thread, if they conflict, if the first enables the second (a
//! creation, the end of a joined thread, the signal that woke a waiter, the arrivals that complete a barrier), or by a chain
//! of those. Each event has a vector clock: of each thread, how many events happen before it or are it.

use super::cell::Cell;
use super::event::Event;
use crate::execution::Step;
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use rustc_hash::FxHashMap;

/// The events of an execution.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub events: Vec<Event>,
    /// The clocks, one after the other, each of `width` threads.
    clocks: Vec<u32>,
    width: usize,
    /// The positions of each thread's events.
    threads: Vec<Vec<u32>>,
    /// The positions of the events that use an object.
    users: FxHashMap<u64, Vec<u32>>,
}

/// No access is longer; see [`OpKind::PlainRead`].
const LONGEST: u64 = 1 << 20;
/// Every write, for loops that wait for any.
const WRITES: u64 = u64::MAX;
/// Every loop that waits for any write.
const SPINS: u64 = u64::MAX - 2;
/// Every cancellation.
const CANCELS: u64 = u64::MAX - 1;

/// The keys under which an event is found: those of its objects.
fn keys(operation: &Operation, thread: ThreadId, mut see: impl FnMut(u64)) {
    use OpKind as K;
    let sync = |object: ObjectId| object.0 << 1 | 1;
    let writes = matches!(operation.kind, K::Store | K::Update | K::PlainWrite);
    let words = |from: u64, bytes: u64| from >> 3..=from.saturating_add(bytes.clamp(1, LONGEST) - 1) >> 3;
    match operation.kind {
        K::Create | K::End | K::Join | K::TryJoin | K::JoinFailed => see(thread_key(operation.argument)),
        K::Start => see(thread_key(u64::from(thread.0))),
        K::Spin if operation.object == ObjectId::NONE => [WRITES, SPINS].into_iter().for_each(see),
        K::Load | K::Store | K::Update | K::UpdateFailed | K::PlainRead | K::PlainWrite | K::Spin => {
            words(operation.object.0, operation.argument).for_each(|word| see(word << 1));
            if writes {
                [WRITES, SPINS].into_iter().for_each(see);
            }
        }
        K::FutexWait | K::FutexPassed => {
            see(sync(operation.object));
            words(operation.other.0, Operation::FUTEX).for_each(|word| see(word << 1));
        }
        K::Cancel => [CANCELS, thread_key(operation.argument)].into_iter().for_each(see),
        K::Yield | K::Exit | K::Cancelled => {}
        _ => {
            [operation.object, operation.other].into_iter().filter(|o| *o != ObjectId::NONE).for_each(|o| see(sync(o)))
        }
    }
}

fn thread_key(thread: u64) -> u64 {
    (!thread) << 1 | 1
}

impl History {
    /// Forgets the events from a position on.
    pub fn truncate(&mut self, length: usize) {
        while self.events.len() > length {
            if let Some(event) = self.events.pop() {
                self.threads[event.thread.index()].pop();
                keys(&event.operation, event.thread, |key| {
                    self.users.get_mut(&key).map(Vec::pop);
                });
            }
        }
        self.clocks.truncate(length * self.width);
    }

    /// Appends an event. One that ends the process happens after all others.
    pub fn push(&mut self, step: &Step, ends: bool) {
        self.widen(step.thread.index() + 1);
        let position = self.events.len() as u32;
        let of_thread = &mut self.threads[step.thread.index()];
        let before = of_thread.last().copied();
        of_thread.push(position);
        let index = of_thread.len() as u32;
        let (thread, alternative, operation) = (step.thread, step.alternative, step.operation);
        let event = Event { thread, index, alternative, operation, before };
        let clock = self.clock_of(&event, ends);
        self.clocks.extend(clock);
        keys(&event.operation, thread, |key| self.users.entry(key).or_default().push(position));
        self.events.push(event);
    }

    fn widen(&mut self, threads: usize) {
        if self.threads.len() < threads {
            self.threads.resize(threads, Vec::new());
        }
        if self.width >= threads {
            return;
        }
        let width = threads.next_power_of_two();
        let old = std::mem::take(&mut self.clocks);
        for clock in old.chunks(self.width.max(1)) {
            self.clocks.extend(clock);
            self.clocks.resize(self.clocks.len() + width - clock.len(), 0);
        }
        self.width = width;
    }

    pub fn clock(&self, event: u32) -> &[u32] {
        &self.clocks[event as usize * self.width..][..self.width]
    }

    /// Does one event happen before another, or are they the same?
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        let event = &self.events[a as usize];
        self.clock(b)[event.thread.index()] >= event.index
    }

    fn clock_of(&self, event: &Event, ends: bool) -> Vec<u32> {
        let mut clock = event.before.map_or_else(|| vec![0; self.width], |before| self.clock(before).to_vec());
        clock[event.thread.index()] = event.index;
        if ends || event.operation.kind.stays() {
            self.threads.iter().zip(&mut clock).for_each(|(events, time)| *time = events.len() as u32);
            return clock;
        }
        self.users_of(&event.operation, event.thread, |position| {
            let earlier = &self.events[position as usize];
            let known = clock[earlier.thread.index()] >= earlier.index;
            if !known && earlier.operation.conflicts_with(&event.operation) {
                join(&mut clock, self.clock(position));
            }
        });
        self.enablers(event).into_iter().for_each(|position| join(&mut clock, self.clock(position)));
        clock
    }

    /// The events that use an object of an operation, the last first.
    pub fn users_of(&self, operation: &Operation, thread: ThreadId, mut see: impl FnMut(u32)) {
        if operation.kind == OpKind::Cancel {
            return (0..self.events.len() as u32).rev().for_each(see);
        }
        self.cancellations().iter().rev().for_each(|&position| see(position));
        keys(operation, thread, |key| {
            if let Some(users) = self.users.get(&key) {
                users.iter().rev().for_each(|&position| see(position));
            }
        });
    }

    /// The events that change places with none.
    pub fn cancellations(&self) -> &[u32] {
        self.users.get(&CANCELS).map_or(&[], Vec::as_slice)
    }

    /// The users of an object, the first first.
    pub fn users(&self, object: ObjectId) -> &[u32] {
        self.users.get(&(object.0 << 1 | 1)).map_or(&[], Vec::as_slice)
    }

    /// The events about a thread: its creation, its start, its end and joins of it.
    pub fn about_thread(&self, thread: u64) -> &[u32] {
        self.users.get(&thread_key(thread)).map_or(&[], Vec::as_slice)
    }

    /// A thread's last event.
    pub fn last_of(&self, thread: ThreadId) -> Option<u32> {
        self.threads.get(thread.index())?.last().copied()
    }

    /// The event that an operation would be, if its thread went on.
    pub fn next_of(&self, thread: ThreadId, operation: &Operation) -> Event {
        let (index, before) = (self.many_of(thread) + 1, self.last_of(thread));
        Event { thread, index, alternative: 0, operation: *operation, before }
    }

    /// A thread's first event from a position on.
    pub fn next_after(&self, thread: ThreadId, position: u32) -> Option<u32> {
        self.threads.get(thread.index())?.iter().copied().find(|&at| at >= position)
    }

    /// Where an event is, or would be.
    pub fn position(&self, event: &Event) -> u32 {
        let own = self.threads.get(event.thread.index()).and_then(|events| events.get(event.index as usize - 1));
        own.copied().unwrap_or(self.events.len() as u32)
    }

    /// How many events a thread has.
    pub fn many_of(&self, thread: ThreadId) -> u32 {
        self.threads.get(thread.index()).map_or(0, |events| events.len() as u32)
    }

    /// The events of the round that a waiting loop repeats.
    pub fn round(&self, event: &Event) -> &[u32] {
        let steps = if event.operation.object == ObjectId::NONE { event.operation.argument.max(1) } else { 1 };
        let end = event.index as usize - 1;
        self.threads.get(event.thread.index()).map_or(&[], |events| &events[end.saturating_sub(steps as usize)..end])
    }

    fn kind_of(&self, position: u32) -> OpKind {
        self.events[position as usize].operation.kind
    }

    /// The events that enable an event without conflicting with it. The event may be in the history, or be next.
    pub fn enablers(&self, event: &Event) -> Vec<u32> {
        let operation = &event.operation;
        match operation.kind {
            OpKind::Start => self.about(u64::from(event.thread.0), OpKind::Create),
            OpKind::Join | OpKind::TryJoin => self.about(operation.argument, OpKind::End),
            OpKind::Cancelled => self.about(u64::from(event.thread.0), OpKind::Cancel).into_iter().take(1).collect(),
            OpKind::Rewake => self.waker(event).into_iter().collect(),
            OpKind::BarrierLeave => self.arrivals(event),
            _ => Vec::new(),
        }
    }

    fn about(&self, thread: u64, kind: OpKind) -> Vec<u32> {
        self.about_thread(thread).iter().copied().filter(|&position| self.kind_of(position) == kind).collect()
    }

    /// The signal or broadcast that ended a wait.
    fn waker(&self, event: &Event) -> Option<u32> {
        let mut cell = Cell::default();
        let noticed = event.before.filter(|&before| self.kind_of(before) == OpKind::Cancelled);
        let wait = noticed.map_or(event.before, |noticed| self.events[noticed as usize].before)?;
        for &position in self.users(event.operation.object) {
            cell.apply(event.operation.object, &self.events[position as usize], position);
            if position > wait && cell.woken.contains(event.thread) {
                return Some(position);
            }
        }
        None
    }

    fn arrivals(&self, event: &Event) -> Vec<u32> {
        let generation = |position: u32| self.events[position as usize].operation.argument >> 32;
        let Some(own) = event.before.map(generation) else { return Vec::new() };
        let users = self.users(event.operation.object).iter().copied();
        users.filter(|&at| self.kind_of(at) == OpKind::BarrierArrive && generation(at) == own).collect()
    }
}

fn join(into: &mut [u32], from: &[u32]) {
    into.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}
