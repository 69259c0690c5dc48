//! What a program must satisfy before anything else looks at it. Programs come from files, so nothing is taken for
//! granted: the rest of the project may index without a second look at what has passed here.

use crate::event::{Action, Place};
use crate::expr::Expr;
use crate::ids::{EventId, ExprId, ObjectId, ReadId, ThreadId};
use crate::must::Must;
use crate::program::{Ctp, Initial, ObjectKind};
use rustc_hash::FxHashSet;

/// The largest program: events in all threads together.
pub const MOST_EVENTS: usize = 4_000_000;

/// Why a program is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckError {
    /// At an event.
    #[error("{event}: {what}")]
    Event {
        /// The event, such as `t1:4`.
        event: String,
        /// The place in the program.
        id: EventId,
        /// What is wrong with it.
        what: What,
    },
    /// Fork and join in a circle.
    #[error("threads wait for each other's end in a circle")]
    Circle,
    /// The recorded order does not hold every event once, in program order.
    #[error("the recorded order does not contain every event once, in the order of its thread")]
    Order,
    /// Variables with common bytes.
    #[error("variables `{0}` and `{1}` overlap")]
    Overlap(String, String),
    /// Too large.
    #[error("more than {MOST_EVENTS} events")]
    Events,
}

/// What is wrong with an event.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum What {
    /// Not memory of any variable.
    #[error("no variable has these bytes: {0:#x}, {1} bytes")]
    Memory(u64, u8),
    /// Another width than needed.
    #[error("this must be {0} bits wide, but is {1} bits wide")]
    Width(u8, u8),
    /// A value that the thread cannot know.
    #[error("the expression uses a value that is read later, or by another thread")]
    Unknown,
    /// No such object, thread, read or expression.
    #[error("this refers to something that does not exist")]
    Missing,
    /// An object of another kind.
    #[error("`{0}` is an object of another kind")]
    Kind(String),
    /// Started twice.
    #[error("this thread is started twice, or is started by itself")]
    Fork,
    /// Joined by itself.
    #[error("a thread cannot wait for its own end")]
    Join,
    /// `else`, `endif` or `end` without a beginning, or none at the end.
    #[error("`if`, `else` and `endif` (or `begin` and `end`) do not match")]
    Nesting,
    /// Barriers in branches are not supported.
    #[error("a barrier inside a branch is not supported")]
    Barrier,
    /// A wait and its end must follow each other.
    #[error("`fwait` must directly follow `wait` on the same condition variable and lock")]
    Woken,
}

/// Checks the whole program.
pub fn check(ctp: &Ctp) -> Result<(), CheckError> {
    if ctp.threads.iter().map(|thread| thread.events.len()).sum::<usize>() > MOST_EVENTS {
        return Err(CheckError::Events);
    }
    vars(ctp)?;
    let initial = Initial::of(ctp);
    for (id, event) in ctp.events() {
        let fail = |what| CheckError::Event { event: ctp.name(id), id, what };
        refers(ctp, id, event.action).map_err(fail)?;
        sizes(ctp, &initial, event.action).map_err(fail)?;
    }
    (0..ctp.threads.len()).try_for_each(|thread| structure(ctp, thread))?;
    forked_once(ctp)?;
    let must = Must::new(ctp).ok_or(CheckError::Circle)?;
    knowledge(ctp, &must)?;
    order(ctp)
}

fn vars(ctp: &Ctp) -> Result<(), CheckError> {
    let mut sorted: Vec<_> = ctp.vars.iter().collect();
    sorted.sort_by_key(|var| var.place.address);
    match sorted.windows(2).find(|pair| pair[0].place.overlaps(pair[1].place)) {
        Some(pair) => Err(CheckError::Overlap(pair[0].name.clone(), pair[1].name.clone())),
        None => Ok(()),
    }
}

/// Everything that the event names exists and has the right kind.
fn refers(ctp: &Ctp, id: EventId, action: Action) -> Result<(), What> {
    if action.expressions().any(|expr| expr.index() >= ctp.exprs.len()) {
        return Err(What::Missing);
    }
    if let Some(read) = action.read()
        && ctp.reads.get(read.index()) != Some(&id)
    {
        return Err(What::Missing);
    }
    match action {
        Action::Lock(lock) | Action::ReadLock(lock) | Action::Unlock(lock) => is_lock(ctp, lock),
        Action::SemWait(sem) | Action::SemPost(sem) => kind(ctp, sem, |kind| matches!(kind, ObjectKind::Semaphore(_))),
        Action::Signal(c) | Action::Broadcast(c) => is_condition(ctp, c),
        Action::Wait { condition, mutex } | Action::Woken { condition, mutex } => {
            is_condition(ctp, condition)?;
            is_lock(ctp, mutex)
        }
        Action::BarrierEnter(b) | Action::BarrierExit(b) => kind(ctp, b, |kind| matches!(kind, ObjectKind::Barrier(_))),
        Action::Fork(t) | Action::Join(t) if t.index() >= ctp.threads.len() => Err(What::Missing),
        Action::Fork(t) if t == id.thread => Err(What::Fork),
        Action::Join(t) if t == id.thread => Err(What::Join),
        _ => Ok(()),
    }
}

fn is_lock(ctp: &Ctp, id: ObjectId) -> Result<(), What> {
    kind(ctp, id, |kind| matches!(kind, ObjectKind::Lock { .. }))
}

fn is_condition(ctp: &Ctp, id: ObjectId) -> Result<(), What> {
    kind(ctp, id, |kind| matches!(kind, ObjectKind::Condition))
}

fn kind(ctp: &Ctp, id: ObjectId, right: impl Fn(ObjectKind) -> bool) -> Result<(), What> {
    match ctp.objects.get(id.index()) {
        None => Err(What::Missing),
        Some(object) if right(object.kind) => Ok(()),
        Some(object) => Err(What::Kind(object.name.clone())),
    }
}

fn sizes(ctp: &Ctp, initial: &Initial, action: Action) -> Result<(), What> {
    if let Some(place) = action.place() {
        memory(initial, place)?;
        if let Some(value) = action.written() {
            wide(ctp, value, place.width())?;
        }
    }
    match action {
        Action::Assume(c) | Action::Assert(c) | Action::If(c) => wide(ctp, c, 1),
        Action::Update { guard: Some(guard), .. } => wide(ctp, guard, 1),
        _ => Ok(()),
    }
}

fn wide(ctp: &Ctp, expr: ExprId, width: u8) -> Result<(), What> {
    let is = ctp.exprs.width(expr);
    if is == width { Ok(()) } else { Err(What::Width(width, is)) }
}

fn memory(initial: &Initial, place: Place) -> Result<(), What> {
    let fail = || What::Memory(place.address, place.size);
    if !(1..=8).contains(&place.size) || place.address.checked_add(u64::from(place.size)).is_none() {
        return Err(fail());
    }
    if initial.covers(place) { Ok(()) } else { Err(fail()) }
}

/// Branches, regions, waits and barriers of a thread match.
fn structure(ctp: &Ctp, thread: usize) -> Result<(), CheckError> {
    let events = &ctp.threads[thread].events;
    // For each open branch, whether its `else` has been seen.
    let (mut branches, mut regions) = (Vec::new(), 0_u32);
    for (index, event) in events.iter().enumerate() {
        let id = EventId::new(thread, index);
        let fail = |what| Err(CheckError::Event { event: ctp.name(id), id, what });
        match event.action {
            Action::If(_) => branches.push(false),
            Action::Else if branches.last() == Some(&false) => *branches.last_mut().expect("just seen") = true,
            Action::EndIf if !branches.is_empty() => drop(branches.pop()),
            Action::Begin => regions += 1,
            Action::End if regions > 0 => regions -= 1,
            Action::Else | Action::EndIf | Action::End => return fail(What::Nesting),
            Action::BarrierEnter(_) | Action::BarrierExit(_) if !branches.is_empty() => return fail(What::Barrier),
            Action::Woken { condition, mutex } => {
                let before = index.checked_sub(1).map(|before| events[before].action);
                if before != Some(Action::Wait { condition, mutex }) {
                    return fail(What::Woken);
                }
            }
            _ => {}
        }
    }
    if branches.is_empty() {
        return Ok(());
    }
    let id = EventId::new(thread, events.len() - 1);
    Err(CheckError::Event { event: ctp.name(id), id, what: What::Nesting })
}

fn forked_once(ctp: &Ctp) -> Result<(), CheckError> {
    let mut seen: FxHashSet<ThreadId> = FxHashSet::default();
    for (id, event) in ctp.events() {
        if let Action::Fork(thread) = event.action
            && !seen.insert(thread)
        {
            return Err(CheckError::Event { event: ctp.name(id), id, what: What::Fork });
        }
    }
    Ok(())
}

/// Expressions only use what has been read before.
fn knowledge(ctp: &Ctp, must: &Must) -> Result<(), CheckError> {
    let mut checked: FxHashSet<(ThreadId, ExprId)> = FxHashSet::default();
    for (id, event) in ctp.events() {
        // What one event of a thread may use, later ones may use, too.
        for expr in event.action.expressions() {
            if !known(ctp, must, id, expr, &mut checked) {
                return Err(CheckError::Event { event: ctp.name(id), id, what: What::Unknown });
            }
        }
    }
    Ok(())
}

fn known(ctp: &Ctp, must: &Must, at: EventId, expr: ExprId, done: &mut FxHashSet<(ThreadId, ExprId)>) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if !done.insert((at.thread, expr)) {
            continue;
        }
        let node = ctp.exprs.get(expr);
        let seen = |read: ReadId| ctp.reads.get(read.index()).is_some_and(|by| *by == at || must.before(*by, at));
        if matches!(node, Expr::Read(read) if !seen(read) || !right_width(ctp, read, expr)) {
            return false;
        }
        open.extend(node.operands());
    }
    true
}

fn right_width(ctp: &Ctp, read: ReadId, expr: ExprId) -> bool {
    let by = ctp.reads[read.index()];
    let event = ctp.threads.get(by.thread.index()).and_then(|thread| thread.events.get(by.index as usize));
    event.and_then(|event| event.action.place()).is_some_and(|place| place.width() == ctp.exprs.width(expr))
}

fn order(ctp: &Ctp) -> Result<(), CheckError> {
    let mut next = vec![0; ctp.threads.len()];
    for id in &ctp.order {
        match next.get_mut(id.thread.index()) {
            Some(place) if *place == id.index => *place += 1,
            _ => return Err(CheckError::Order),
        }
    }
    let whole = next.iter().zip(&ctp.threads).all(|(next, thread)| *next as usize == thread.events.len());
    if whole { Ok(()) } else { Err(CheckError::Order) }
}
