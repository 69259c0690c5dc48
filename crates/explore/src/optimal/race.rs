//! Races that can be reversed: two events next to each other in happens-before that could come the other way round.
//!
//! For an event `e'` of a complete execution, and an earlier event `e` of another thread on which it depends, the
//! reversal is the sequence `v` of all events after `e` that do not happen after it, then `e'`. It is a race if `e'` would be
//! enabled after `v` (the [`Cell`]s of its objects say so), and if no other race of `e'` lies between. The release of a lock
//! is thus never reversed with the acquisition behind it, but the two acquisitions are, and an operation that is
//! blocked when the execution ends takes part as well.
//!
//! Readers of a lock do not conflict with each other, so leaving out one of them may not free the lock for a writer: then
//! all readers that took it after `e` are left out.

use super::cell::{Cell, Holder, Once};
use super::event::Event;
use super::history::History;
use super::tree::Element;
use foretrace_event::visible::{ObjectId, OpKind, Operation};

/// A reversal: before which event to go another way, and which.
#[derive(Clone, Debug)]
pub struct Reversal {
    pub before: u32,
    pub sequence: Vec<Element>,
    /// Whether more than one event was left out. Then nothing shorter leads to it.
    pub whole: bool,
}

/// The races of an event.
#[derive(Clone, Debug, Default)]
pub struct Races {
    pub reversals: Vec<Reversal>,
    /// How many reversals were skipped.
    pub skipped: u32,
    /// Events before the boundary with which it might race if what was skipped went another way.
    pub hidden: Vec<u32>,
}

/// The races of an event with earlier ones. It is in the history, or it is the next operation of a thread at its end. Races
/// from the boundary on are skipped, and do not hide earlier ones.
pub fn races(history: &History, event: &Event, boundary: u32) -> Races {
    let own = candidates(history, event);
    if event.operation.kind != OpKind::Cancelled || !own.is_empty() {
        return races_with(history, event, own, boundary);
    }
    // What a cancelled thread has not done, it could have done, but only before it was cancelled.
    let cancelled = history.enablers(event).first().copied().unwrap_or(0);
    let asked = Event { operation: event.operation.asked(), ..event.clone() };
    let before = candidates(history, &asked).into_iter().filter(|&candidate| candidate <= cancelled).collect();
    races_with(history, &asked, before, boundary)
}

fn races_with(history: &History, event: &Event, candidates: Vec<u32>, boundary: u32) -> Races {
    let (mut races, mut found) = (Vec::new(), Races::default());
    for candidate in candidates {
        if races.iter().any(|&race| history.is_before(candidate, race)) {
            continue;
        }
        if event.before.is_some_and(|before| history.is_before(candidate, before)) {
            let between = candidate < boundary && boundary < history.position(event);
            found.hidden.extend(Some(candidate).filter(|_| between));
            continue;
        }
        let Some(fit) = fit(history, candidate, event) else { continue };
        if candidate >= boundary {
            found.skipped += 1;
            continue;
        }
        races.push(candidate);
        let whole = fit.without.len() > 1;
        found.reversals.push(Reversal { before: candidate, sequence: sequence(history, event, fit), whole });
    }
    found
}

/// The operation with the most conflicts that this could be in another state.
pub fn most(operation: &Operation) -> Operation {
    use OpKind as K;
    let kind = match operation.kind {
        K::LockFailed => K::TryLock,
        K::ReadLockFailed => K::TryReadLock,
        K::SemWaitFailed => K::SemTryWait,
        K::OncePass => K::OnceBegin,
        K::UpdateFailed => K::Update,
        K::FutexPassed => K::FutexWait,
        kind => kind,
    };
    Operation { kind, ..*operation }
}

/// The earlier events of other threads on which the event depends, the last first.
fn candidates(history: &History, event: &Event) -> Vec<u32> {
    let kind = event.operation.kind;
    if kind == OpKind::Exit {
        return Vec::new();
    }
    if never_races(kind) {
        return before_cancellations(history, event);
    }
    let mut found = Vec::new();
    let position = history.position(event);
    history.users_of(&event.operation, event.thread, |at| {
        let earlier = &history.events[at as usize];
        let other = at < position && earlier.thread != event.thread;
        if other && earlier.operation.conflicts_with(&event.operation) {
            found.push(at);
        }
    });
    if event.operation.argument == Operation::MAY_LEAVE || kind == OpKind::TryJoin {
        found.extend(history.enablers(event));
    }
    found.retain(|&at| history.events[at as usize].operation.kind != OpKind::Exit);
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    found
}

/// Does nothing that others do decide what such an operation does, once it can happen?
const fn never_races(kind: OpKind) -> bool {
    use OpKind::{BarrierLeave, Cancelled, Join, Start, Yield};
    matches!(kind, BarrierLeave | Cancelled | Join | Start | Yield)
}

/// The cancellations of other threads that could come after an event which nothing else can race with: those that do not come
/// before what enables it. One that has not happened is blocked.
fn before_cancellations(history: &History, event: &Event) -> Vec<u32> {
    let position = history.position(event);
    if position as usize >= history.events.len() {
        return Vec::new();
    }
    let cancellations = history.cancellations().iter().rev().copied();
    let others = cancellations.filter(|&at| at < position && history.events[at as usize].thread != event.thread);
    let enablers = history.enablers(event);
    if event.operation.kind == OpKind::Join && enablers.is_empty() {
        return Vec::new();
    }
    others.filter(|&at| !enablers.iter().any(|&enabler| history.is_before(at, enabler))).collect()
}

/// How an event can happen without others.
struct Fit {
    /// The operation as it would happen.
    operation: Operation,
    /// Which events are left out, with all that happens after them; the first is the race.
    without: Vec<u32>,
}

impl Fit {
    fn includes(&self, history: &History, at: u32) -> bool {
        !self.without.iter().any(|&left_out| at >= left_out && history.is_before(left_out, at))
    }
}

/// Could the event happen without an earlier one?
fn fit(history: &History, candidate: u32, event: &Event) -> Option<Fit> {
    let mut fit = Fit { operation: event.operation, without: vec![candidate] };
    loop {
        match (Without { history, event, fit: &fit }).ask() {
            Answer::As(operation) => return Some(Fit { operation, ..fit }),
            Answer::Blocked(holders) => {
                let since: Option<Vec<u32>> = holders.iter().map(|holder| holder.since).collect();
                let free = |at: u32| at > candidate && event.before.is_none_or(|before| !history.is_before(at, before));
                let since = since.filter(|since| !since.is_empty() && since.iter().all(|&at| free(at)))?;
                fit.without.extend(since);
            }
        }
    }
}

/// What an operation would do.
enum Answer {
    As(Operation),
    /// It is blocked; if only by readers, by these.
    Blocked(Vec<Holder>),
}

/// The events of a history without some.
struct Without<'a> {
    history: &'a History,
    event: &'a Event,
    fit: &'a Fit,
}

impl Without<'_> {
    fn ask(&self) -> Answer {
        use OpKind as K;
        let operation = &self.event.operation;
        let becomes = |kind| Answer::As(Operation { kind, ..*operation });
        match operation.kind {
            K::Lock => self.lock(operation.object, operation.argument & Operation::RECURSIVE != 0),
            K::TryLock | K::LockFailed => {
                let recursive = operation.argument & Operation::RECURSIVE != 0;
                let free = self.cell(operation.object).is_free_for(self.event.thread, recursive);
                becomes(if free { K::TryLock } else { K::LockFailed })
            }
            K::ReadLock => self.read_lock(),
            K::TryReadLock | K::ReadLockFailed => {
                becomes(if self.cell(operation.object).owner.is_none() { K::TryReadLock } else { K::ReadLockFailed })
            }
            K::SemWait if self.cell(operation.object).value > 0 => becomes(K::SemWait),
            K::SemWait => Answer::Blocked(Vec::new()),
            K::SemTryWait | K::SemWaitFailed => {
                becomes(if self.cell(operation.object).value > 0 { K::SemTryWait } else { K::SemWaitFailed })
            }
            K::Rewake | K::LeftWait => self.rewake(),
            K::OnceBegin | K::OncePass => match self.cell(operation.object).once {
                Once::New => becomes(K::OnceBegin),
                Once::Running => Answer::Blocked(Vec::new()),
                Once::Done => becomes(K::OncePass),
            },
            K::BarrierArrive => {
                let argument = self.cell(operation.object).arrival().unwrap_or(operation.argument);
                Answer::As(operation.with(argument))
            }
            K::TryJoin | K::JoinFailed => becomes(if self.has_ended() { K::TryJoin } else { K::JoinFailed }),
            K::Spin if self.is_written() => becomes(K::Spin),
            K::Spin => Answer::Blocked(Vec::new()),
            K::UpdateFailed => becomes(K::Update),
            K::FutexPassed => becomes(K::FutexWait),
            kind => becomes(kind),
        }
    }

    /// The state of an object after the events that are included.
    fn cell(&self, object: ObjectId) -> Cell {
        let mut cell = Cell::default();
        for &at in self.history.users(object) {
            let event = &self.history.events[at as usize];
            cell.begin(object, event);
            if self.includes(at) {
                cell.apply(object, event, at);
            }
        }
        cell.begin(object, self.event);
        cell
    }

    fn includes(&self, at: u32) -> bool {
        let event = &self.history.events[at as usize];
        let own = event.thread == self.event.thread && event.index >= self.event.index;
        !own && self.fit.includes(self.history, at)
    }

    fn lock(&self, object: ObjectId, recursive: bool) -> Answer {
        let cell = self.cell(object);
        if cell.is_free_for(self.event.thread, recursive) {
            return Answer::As(self.event.operation);
        }
        Answer::Blocked(if cell.owner.is_some() { Vec::new() } else { cell.readers })
    }

    fn read_lock(&self) -> Answer {
        match self.cell(self.event.operation.object).owner {
            None => Answer::As(self.event.operation),
            Some(_) => Answer::Blocked(Vec::new()),
        }
    }

    fn rewake(&self) -> Answer {
        let operation = &self.event.operation;
        let woken = self.cell(operation.object).woken.contains(self.event.thread);
        let kind = if woken { OpKind::Rewake } else { OpKind::LeftWait };
        if !woken && operation.argument != Operation::MAY_LEAVE {
            return Answer::Blocked(Vec::new());
        }
        match self.lock(operation.other, false) {
            Answer::As(_) => Answer::As(Operation { kind, ..*operation }),
            blocked => blocked,
        }
    }

    fn has_ended(&self) -> bool {
        let about = self.history.about_thread(self.event.operation.argument);
        about.iter().any(|&at| self.history.events[at as usize].operation.kind == OpKind::End && self.includes(at))
    }

    /// Does someone write what the thread's last round has read, after that?
    fn is_written(&self) -> bool {
        self.history.round(self.event).iter().any(|&read| {
            let reading = &self.history.events[read as usize];
            let mut written = false;
            self.history.users_of(&reading.operation, reading.thread, |at| {
                let event = &self.history.events[at as usize];
                let writes = event.thread != reading.thread && event.operation.changes(&reading.operation);
                written |= at > read && writes && self.includes(at);
            });
            written
        })
    }
}

/// The events after the race that do not happen after it, then the event.
fn sequence(history: &History, event: &Event, fit: Fit) -> Vec<Element> {
    let before = fit.without[0];
    let enablers = history.enablers(event);
    let later = before + 1..history.events.len() as u32;
    let included = later.filter(|&at| {
        let other = &history.events[at as usize];
        let own = other.thread == event.thread && other.index >= event.index;
        !own && fit.includes(history, at)
    });
    let mut sequence: Vec<Element> = included.map(|at| Element::of(history, at)).collect();
    let enablers = sequence.iter().filter(|element| enablers.contains(&element.at)).map(|element| element.at).collect();
    sequence.push(Element::reversed(event, fit.operation, enablers));
    sequence
}
