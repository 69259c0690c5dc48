//! Questions: what an order must reach, and lists of such goals for the kinds of errors of the paper's section 5.

use foretrace_ctp::must::Must;
use foretrace_ctp::{Action, Ctp, EventId, ObjectId};

/// What an order must reach.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Goal {
    /// Events that have happened.
    pub done: Vec<EventId>,
    /// Events that are next in their threads, all at once.
    pub next: Vec<EventId>,
    /// Pairs of events of `done`: the first comes before the second.
    pub before: Vec<(EventId, EventId)>,
    /// An assertion or a branch that is reached and whose condition does not hold.
    pub fails: Option<EventId>,
}

/// One goal for each assertion, in program order.
pub fn assertions(ctp: &Ctp) -> Vec<Goal> {
    let asserts = ctp.events().filter(|(_, event)| matches!(event.action, Action::Assert(_)));
    asserts.map(|(id, _)| Goal { fails: Some(id), ..Goal::default() }).collect()
}

/// Three accesses of which the middle one, of another thread, breaks a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Triple {
    /// The first access of the region.
    pub first: EventId,
    /// The access of another thread.
    pub remote: EventId,
    /// The second access of the region.
    pub second: EventId,
}

impl Triple {
    /// The order in which it breaks the region.
    pub fn goal(self) -> Goal {
        Goal {
            done: vec![self.first, self.remote, self.second],
            before: vec![(self.first, self.remote), (self.remote, self.second)],
            ..Goal::default()
        }
    }
}

/// The events from the first to the last of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first event.
    pub first: EventId,
    /// The last event.
    pub last: EventId,
}

/// Regions between `begin` and `end`. One that does not end goes to the end of its thread.
pub fn marked_regions(ctp: &Ctp) -> Vec<Region> {
    regions(ctp, |action| match action {
        Action::Begin => Edge::Opens(None),
        Action::End => Edge::Closes(None),
        _ => Edge::Neither,
    })
}

/// Critical sections without a wait inside.
pub fn critical_sections(ctp: &Ctp) -> Vec<Region> {
    let mut found = regions(ctp, |action| match action {
        Action::Lock(lock) | Action::ReadLock(lock) => Edge::Opens(Some(lock)),
        Action::Unlock(lock) => Edge::Closes(Some(lock)),
        _ => Edge::Neither,
    });
    found.retain(|region| {
        let events = &ctp.threads[region.first.thread.index()].events;
        let inside = &events[region.first.index as usize..=region.last.index as usize];
        !inside.iter().any(|event| matches!(event.action, Action::Wait { .. }))
    });
    found
}

enum Edge {
    Opens(Option<ObjectId>),
    Closes(Option<ObjectId>),
    Neither,
}

fn regions(ctp: &Ctp, edge: impl Fn(Action) -> Edge) -> Vec<Region> {
    let mut found = Vec::new();
    for (thread, body) in ctp.threads.iter().enumerate() {
        let mut open: Vec<(Option<ObjectId>, usize)> = Vec::new();
        for (index, event) in body.events.iter().enumerate() {
            match edge(event.action) {
                Edge::Opens(what) => open.push((what, index)),
                Edge::Closes(what) => {
                    if let Some(place) = open.iter().rposition(|(other, _)| *other == what) {
                        let (_, first) = open.remove(place);
                        found.push(Region { first: EventId::new(thread, first), last: EventId::new(thread, index) });
                    }
                }
                Edge::Neither => {}
            }
        }
        for (_, first) in open {
            let last = EventId::new(thread, body.events.len() - 1);
            found.push(Region { first: EventId::new(thread, first), last });
        }
    }
    found.sort_by_key(|region| (region.first, region.last));
    found
}

/// Whether three accesses of these kinds (`true` is a write) are equal to no order in which the first and the third
/// follow each other directly: five of the eight combinations.
pub fn breaks(first: bool, remote: bool, second: bool) -> bool {
    match (first, remote, second) {
        (_, false, _) => first && second,
        (_, true, _) => true,
    }
}

/// All triples that could break the regions; and those of them that are left when what always comes before what, common
/// locks, and the orders in which locks were taken have excluded what they can.
pub fn triples(ctp: &Ctp, regions: &[Region]) -> (Vec<Triple>, Vec<Triple>) {
    let accesses: Vec<EventId> =
        ctp.events().filter(|(_, event)| event.action.place().is_some()).map(|(id, _)| id).collect();
    let must = Must::new(ctp);
    let mut all = Vec::new();
    for region in regions {
        let inside = accesses.iter().filter(|id| id.thread == region.first.thread);
        let inside: Vec<EventId> =
            inside.filter(|id| (region.first.index..=region.last.index).contains(&id.index)).copied().collect();
        for (place, first) in inside.iter().enumerate() {
            for second in &inside[place + 1..] {
                for remote in accesses.iter().filter(|id| id.thread != first.thread) {
                    if fits(ctp, *first, *remote, *second) {
                        all.push(Triple { first: *first, remote: *remote, second: *second });
                    }
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    let possible = |triple: &&Triple| {
        must.as_ref()
            .is_some_and(|must| !must.before(triple.remote, triple.first) && !must.before(triple.second, triple.remote))
            && !common_lock(ctp, **triple)
            && !histories_clash(ctp, **triple)
    };
    let left = all.iter().filter(possible).copied().collect();
    (all, left)
}

fn fits(ctp: &Ctp, first: EventId, remote: EventId, second: EventId) -> bool {
    let [a, b, c] = [first, remote, second].map(|id| ctp.event(id).action);
    let (Some(x), Some(y), Some(z)) = (a.place(), b.place(), c.place()) else { return false };
    let writes = |action: Action| action.written().is_some();
    x.overlaps(y) && y.overlaps(z) && x.overlaps(z) && breaks(writes(a), writes(b), writes(c))
}

/// Whether a lock that the region holds from the first to the second access is held around the remote one, too.
fn common_lock(ctp: &Ctp, triple: Triple) -> bool {
    let kept = held(ctp, triple.first);
    let around = held(ctp, triple.remote);
    kept.iter().any(|(lock, since, alone)| {
        is_kept(ctp, *lock, EventId { index: *since, ..triple.first }, triple.second)
            && around.iter().any(|(other, _, other_alone)| other == lock && (*alone || *other_alone))
    })
}

/// Whether the acquisition histories of both threads exclude that the remote access comes in between (Kahlon, Ivančić,
/// Gupta, CAV'05): the region holds `l` and has taken `k` since, and the other thread holds `k` and has taken `l` since.
/// Both would have to have taken and given back their second lock before the other took its first.
fn histories_clash(ctp: &Ctp, triple: Triple) -> bool {
    let kept = |(lock, since, alone): &(ObjectId, u32, bool)| {
        *alone && is_kept(ctp, *lock, EventId { index: *since, ..triple.first }, triple.second)
    };
    let region = held(ctp, triple.first).into_iter().filter(kept);
    let around = held(ctp, triple.remote);
    region.into_iter().any(|(own, since, _)| {
        around.iter().filter(|(.., alone)| *alone).any(|(other, from, _)| {
            own != *other && takes(ctp, triple.first, since, *other) && takes(ctp, triple.remote, *from, own)
        })
    })
}

/// Whether a thread takes a lock between two of its events on every path.
fn takes(ctp: &Ctp, before: EventId, since: u32, lock: ObjectId) -> bool {
    let mut depth = 0_u32;
    ctp.threads[before.thread.index()].events.iter().enumerate().take(before.index as usize).any(|(index, event)| {
        match event.action {
            Action::If(_) => depth += 1,
            Action::EndIf => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && index as u32 > since && event.action == Action::Lock(lock)
    })
}

/// Whether a thread does not give back a lock between two of its events, on any path.
pub fn is_kept(ctp: &Ctp, lock: ObjectId, from: EventId, to: EventId) -> bool {
    !(from.index + 1..to.index).any(|index| {
        let action = ctp.event(EventId { index, ..from }).action;
        matches!(action, Action::Unlock(other) | Action::Wait { mutex: other, .. } if other == lock)
    })
}

/// The locks that a thread holds at an event: which, since when, and whether alone. Releases in branches count.
pub fn held(ctp: &Ctp, at: EventId) -> Vec<(ObjectId, u32, bool)> {
    let mut found: Vec<(ObjectId, u32, bool)> = Vec::new();
    let mut depth = 0_u32;
    for (index, event) in ctp.threads[at.thread.index()].events.iter().enumerate().take(at.index as usize) {
        match event.action {
            Action::If(_) => depth += 1,
            Action::EndIf => depth = depth.saturating_sub(1),
            // What is taken in a branch may not be held after it.
            Action::Lock(lock) if depth == 0 => found.push((lock, index as u32, true)),
            Action::ReadLock(lock) if depth == 0 => found.push((lock, index as u32, false)),
            Action::Woken { mutex, .. } if depth == 0 => found.push((mutex, index as u32, true)),
            Action::Unlock(lock) | Action::Wait { mutex: lock, .. } => {
                if let Some(place) = found.iter().rposition(|(other, ..)| *other == lock) {
                    found.remove(place);
                }
            }
            _ => {}
        }
    }
    found
}

/// Pairs of accesses of different threads to common bytes, one of them a plain write, that could be next at once.
pub fn races(ctp: &Ctp) -> Vec<Goal> {
    let accesses: Vec<EventId> =
        ctp.events().filter(|(_, event)| event.action.place().is_some()).map(|(id, _)| id).collect();
    let must = Must::new(ctp);
    let mut found = Vec::new();
    for (place, a) in accesses.iter().enumerate() {
        for b in accesses[place + 1..].iter().filter(|b| b.thread != a.thread) {
            let ordered = must.as_ref().is_none_or(|must| must.before(*a, *b) || must.before(*b, *a));
            if !ordered && conflict(ctp.event(*a).action, ctp.event(*b).action) {
                found.push(Goal { next: vec![*a, *b], ..Goal::default() });
            }
        }
    }
    found
}

fn conflict(a: Action, b: Action) -> bool {
    let (Some(x), Some(y)) = (a.place(), b.place()) else { return false };
    let atomic = |action| matches!(action, Action::Update { .. });
    x.overlaps(y) && (a.written().is_some() || b.written().is_some()) && !(atomic(a) && atomic(b))
}

/// Locks taken by a thread that has them, and unlocks by a thread that does not: a goal for each, to be reached.
pub fn lock_errors(ctp: &Ctp) -> Vec<Goal> {
    let wrong = |(id, action): (EventId, Action)| {
        let has = |lock| held(ctp, id).iter().any(|(other, ..)| *other == lock);
        let recursive =
            |lock: ObjectId| matches!(ctp.object(lock).kind, foretrace_ctp::ObjectKind::Lock { recursive: true });
        match action {
            Action::Lock(lock) => has(lock) && !recursive(lock),
            Action::Unlock(lock) => !has(lock),
            _ => false,
        }
    };
    let events = ctp.events().map(|(id, event)| (id, event.action));
    events.filter(|event| wrong(*event)).map(|(id, _)| Goal { next: vec![id], ..Goal::default() }).collect()
}
