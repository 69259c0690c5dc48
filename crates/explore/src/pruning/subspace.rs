//! Can a race or a deadlock follow a state? (Figure 4)

use super::Property;
use super::locksets::{Locks, Lockset, Visit, changed, compute, held};
use super::orders::{Orders, Steady, When, ends_epoch};
use super::past::{Made, Past};
use super::window::{Item, Touch, Window, window};
use crate::execution::{Execution, Note, What};
use crate::summary::{MayAccess, Summary};
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use std::collections::BTreeSet;

/// An access with the locks it may be made under.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    start: u64,
    size: u64,
    writes: bool,
    atomic: bool,
    /// It is made in every execution, with the same value.
    is_steady: bool,
    when: When,
    locks: Lockset,
}

/// What may happen after a state.
#[derive(Default)]
struct Found {
    accesses: BTreeSet<Access>,
    /// Pairs of locks: the second is taken while the first is held.
    order: BTreeSet<(u32, u32)>,
    /// Something else than a lock may block.
    blocks: bool,
}

/// So often threads may turn out to be less steady than they seemed.
const MOST_ROUNDS: u32 = 32;

/// Is nothing to be found below a state of an execution, whatever the order of the rest?
pub fn is_clean(execution: &Execution, from: usize, past: &Past, property: Property) -> bool {
    let window = window(execution, from);
    let mut locks = past.locks.clone();
    let Some((found, orders)) = settle(execution, from, &window, &mut locks) else { return false };
    let deadlocks = property == Property::RacesAndDeadlocks && (found.blocks || has_cycle(&found.order));
    let open = past.open(execution, from, &window.keys().copied().collect());
    !deadlocks && !found.may_race(&orders) && !found.may_race_with(&open, &orders)
}

/// Finds out how steady threads are: what they read depends on what others may write, and that on how steady those are. None,
/// if there is something unknown.
fn settle(execution: &Execution, from: usize, window: &Window<'_>, locks: &mut Locks) -> Option<(Found, Orders)> {
    let settled = |items: &Vec<Item<'_>>| items.iter().position(Item::unsettles).map_or(items.len(), |at| at + 1);
    let until = window.iter().map(|(thread, items)| (*thread, settled(items))).collect();
    let mut steady = Steady { until, ..Steady::default() };
    for _ in 0..MOST_ROUNDS {
        let found = Found::of(execution, from, window, &steady, locks)?;
        let orders = Orders::new(execution, from, window, &steady);
        let opened = found.open_branches(window, &orders, &mut steady);
        if !found.unsettle(window, &orders, &mut steady) && !opened {
            return Some((found, orders));
        }
    }
    None
}

impl Found {
    /// None, if there is something unknown.
    fn of(execution: &Execution, from: usize, window: &Window<'_>, steady: &Steady, locks: &mut Locks) -> Option<Self> {
        let mut found = Self::default();
        for (&thread, items) in window {
            let (until, mut when) = (steady.until[&thread], When { thread, epoch: 0 });
            let held = held(execution, from, thread, locks);
            let see = |visit: Visit<'_>, at: usize, locks: &mut Locks| {
                found.add(&visit, when, at < until, locks);
                when.epoch += u32::from(matches!(visit, Visit::Item(item, _) if ends_epoch(item)));
            };
            compute((thread, items), steady, held, locks, see)?;
        }
        Some(found)
    }

    fn add(&mut self, visit: &Visit<'_>, when: When, is_steady: bool, locks: &mut Locks) {
        match visit {
            Visit::Item(item, sets) => {
                // What goes back to the memory that it comes from is not the same in every execution.
                let keeps_value = is_steady && item.matters();
                let touch = if is_steady { item.touch() } else { item.reach() };
                if let Some(Touch { start, size, writes, atomic, .. }) = touch {
                    let is_steady = keeps_value;
                    let access = |&locks: &Lockset| Access { start, size, writes, atomic, is_steady, when, locks };
                    self.accesses.extend(sets.iter().map(access));
                } else if let Item::Step(_, step) = item {
                    self.add_operation(step.operation, sets, locks);
                }
            }
            Visit::Other(summary, sets) => self.add_other(when, summary, sets, locks),
            // What is never given back blocks whoever wants it.
            Visit::End(sets) => self.blocks |= holds(sets),
        }
    }

    fn add_other(&mut self, when: When, summary: &Summary, sets: &[Lockset], locks: &mut Locks) {
        for access in &summary.accesses {
            for &set in sets {
                let locks = changed(set, &access.locks, locks);
                let &MayAccess { size, writes, atomic, .. } = access;
                let (start, is_steady) = (access.object.0, false);
                self.accesses.insert(Access { start, size, writes, atomic, is_steady, when, locks });
            }
        }
        self.blocks |= summary.blocks;
        for path in &summary.paths {
            path.acquired.iter().for_each(|&lock| self.add_order(lock, sets, locks));
            self.blocks |= path.acquired.len() > 1;
        }
    }

    fn add_operation(&mut self, operation: Operation, sets: &[Lockset], locks: &mut Locks) {
        match operation.kind {
            OpKind::Lock | OpKind::ReadLock => self.add_order(operation.object, sets, locks),
            OpKind::Join => self.blocks |= holds(sets),
            // Whether a try takes its lock is not known elsewhere.
            OpKind::TryLock | OpKind::LockFailed | OpKind::TryReadLock | OpKind::ReadLockFailed => self.blocks = true,
            _ => self.blocks |= operation.may_block() && operation.kind != OpKind::Start,
        }
    }

    fn add_order(&mut self, lock: ObjectId, sets: &[Lockset], locks: &mut Locks) {
        match locks.number(lock) {
            Some(number) => self.order.extend(sets.iter().flat_map(|set| set.locks()).map(|held| (held, number))),
            None => self.blocks = true,
        }
    }

    /// The accesses are sorted by their beginnings.
    fn may_race(&self, orders: &Orders) -> bool {
        let all: Vec<&Access> = self.accesses.iter().collect();
        all.iter().enumerate().any(|(at, a)| {
            let near = all[at + 1..].iter().take_while(|b| b.start < a.start.saturating_add(a.size));
            near.into_iter().any(|b| a.races_with(b, orders))
        })
    }

    /// May an access race with one that was made before? Not if its thread joins the other first.
    fn may_race_with(&self, open: &[(Made, Vec<ThreadId>)], orders: &Orders) -> bool {
        let all: Vec<&Access> = self.accesses.iter().collect();
        let longest = all.iter().map(|access| access.size).max().unwrap_or(0);
        open.iter().any(|(made, threads)| {
            near(&all, longest, made.touch.start, made.touch.size).any(|access| {
                threads.contains(&access.when.thread)
                    && (made.touch.writes || access.writes)
                    && !(made.touch.atomic && access.atomic)
                    && !made.locks.protects(access.locks)
                    && !orders.is_before(When { thread: made.thread, epoch: 0 }, access.when)
            })
        })
    }

    /// Finds branches that may be decided in another way: others, or the thread itself while it is not steady, may write what
    /// decides them.
    fn open_branches(&self, window: &Window<'_>, orders: &Orders, steady: &mut Steady) -> bool {
        let writes: Vec<&Access> = self.accesses.iter().filter(|access| access.writes).collect();
        let longest = writes.iter().map(|access| access.size).max().unwrap_or(0);
        let before = steady.open.len();
        for (&thread, items) in window {
            let begin = When { thread, epoch: 0 };
            for (at, item) in items.iter().enumerate() {
                let Item::Note(Note { what: What::Enter(Some(others)), .. }) = item else { continue };
                let decides = |&(object, size): &(ObjectId, u64)| {
                    near(&writes, longest, object.0, size).any(|write| {
                        !write.is_steady || write.when.thread != thread && !orders.is_before(write.when, begin)
                    })
                };
                if others.decided_by.iter().flatten().any(decides) {
                    steady.open.insert((thread, at));
                }
            }
        }
        steady.open.len() > before
    }

    /// Finds threads that are less steady than it seemed: they read what others may write.
    fn unsettle(&self, window: &Window<'_>, orders: &Orders, steady: &mut Steady) -> bool {
        let writes: Vec<&Access> = self.accesses.iter().filter(|access| access.writes).collect();
        let longest = writes.iter().map(|access| access.size).max().unwrap_or(0);
        let mut changed = false;
        for (&thread, items) in window {
            let mut when = When { thread, epoch: 0 };
            let first = items.iter().position(|item| {
                let read = item.touch().filter(|touch| touch.reads && item.matters());
                let depends = read.is_some_and(|read| may_differ(&read, when, &writes, longest, orders));
                when.epoch += u32::from(ends_epoch(item));
                depends
            });
            let until = first.map_or(items.len(), |at| at + 1);
            let known = steady.until.entry(thread).or_default();
            changed |= until < *known;
            *known = until.min(*known);
        }
        changed
    }
}

impl Access {
    fn races_with(&self, other: &Self, orders: &Orders) -> bool {
        self.when.thread != other.when.thread
            && (self.writes || other.writes)
            && !(self.atomic && other.atomic)
            && !self.locks.protects(other.locks)
            && !orders.is_before(self.when, other.when)
            && !orders.is_before(other.when, self.when)
    }
}

/// The accesses of sorted ones, none longer than this, that touch some of these bytes.
fn near<'a>(all: &'a [&'a Access], longest: u64, start: u64, size: u64) -> impl Iterator<Item = &'a Access> + Clone {
    let first = all.partition_point(|access| access.start.saturating_add(longest) <= start);
    let near = all[first..].iter().take_while(move |access| access.start < start.saturating_add(size));
    near.copied().filter(move |access| start < access.start.saturating_add(access.size))
}

/// May a read see something else in another execution? It does not if what others write comes from one steady thread, before
/// the reader begins.
fn may_differ(read: &Touch, when: When, writes: &[&Access], longest: u64, orders: &Orders) -> bool {
    let near = near(writes, longest, read.start, read.size);
    let others = near.filter(|write| write.when.thread != when.thread);
    let begin = When { epoch: 0, ..when };
    let writers: BTreeSet<ThreadId> = others.clone().map(|write| write.when.thread).collect();
    writers.len() > 1 || others.into_iter().any(|write| !write.is_steady || !orders.is_before(write.when, begin))
}

/// May a lock be held?
fn holds(sets: &[Lockset]) -> bool {
    sets.iter().any(|set| set.locks().next().is_some())
}

/// Is there a cycle in the order in which locks are taken?
fn has_cycle(order: &BTreeSet<(u32, u32)>) -> bool {
    let mut reach = [0_u64; 64];
    order.iter().for_each(|&(held, taken)| reach[held as usize] |= 1 << taken);
    for middle in 0..64 {
        for from in 0..64 {
            if reach[from] >> middle & 1 == 1 {
                reach[from] |= reach[middle];
            }
        }
    }
    (0..64).any(|lock| reach[lock] >> lock & 1 == 1)
}
