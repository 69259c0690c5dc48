//! Which reads order threads. A read that sees the write of another thread comes after it, but that makes the write *happen
//! before* it only if both are made under one lock or ordered anyway. What follows from any other read (a relaxed flag, a
//! pointer published without a lock) keeps two accesses apart and does not keep them from racing.

use crate::log::Followed;
use foretrace_ctp::must::Must;
use foretrace_ctp::{Action, Ctp, EventId, Expr, ExprId, ObjectId, Place, ReadId};
use foretrace_event::visible::OpKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The program without the conditions that depend on reads which do not order threads. Acquiring loads are among those, because
/// a run does not say which of its loads acquire.
pub fn only_synchronised(mut ctp: Ctp, must: &Must, run: &Followed) -> Ctp {
    let free = free_reads(&ctp, must, run);
    let depends = depending(&ctp, &free);
    let Ok(holds) = ctp.exprs.number(1, 1) else { return ctp };
    for event in ctp.threads.iter_mut().flat_map(|thread| &mut thread.events) {
        if let Action::Assume(condition) = event.action
            && depends[condition.0 as usize]
        {
            event.action = Action::Assume(holds);
        }
    }
    ctp
}

/// An access, and the locks that its thread holds: which, and whether alone.
struct Access {
    id: EventId,
    action: Action,
    place: Place,
    locks: Vec<(ObjectId, bool)>,
}

impl Access {
    fn shares_lock(&self, other: &Self) -> bool {
        self.locks.iter().any(|(lock, alone)| {
            other.locks.iter().any(|(theirs, theirs_alone)| lock == theirs && (*alone || *theirs_alone))
        })
    }
}

fn accesses(ctp: &Ctp) -> Vec<Access> {
    let mut found = Vec::new();
    for (thread, body) in ctp.threads.iter().enumerate() {
        let mut locks: Vec<(ObjectId, bool)> = Vec::new();
        for (index, event) in body.events.iter().enumerate() {
            hold(&mut locks, event.action);
            if let Some(place) = event.action.place() {
                let id = EventId::new(thread, index);
                found.push(Access { id, action: event.action, place, locks: locks.clone() });
            }
        }
    }
    found
}

fn hold(locks: &mut Vec<(ObjectId, bool)>, action: Action) {
    match action {
        Action::Lock(lock) | Action::Woken { mutex: lock, .. } => locks.push((lock, true)),
        Action::ReadLock(lock) => locks.push((lock, false)),
        Action::Unlock(lock) | Action::Wait { mutex: lock, .. } => {
            if let Some(place) = locks.iter().rposition(|(other, _)| *other == lock) {
                locks.remove(place);
            }
        }
        _ => {}
    }
}

/// The reads whose value may be anything: those that do not order threads, and those that may see what depends on them.
fn free_reads(ctp: &Ctp, must: &Must, run: &Followed) -> FxHashSet<ReadId> {
    let accesses = accesses(ctp);
    let writes = by_block(&accesses, |access| access.action.written().is_some());
    let reads = by_block(&accesses, |access| access.action.read().is_some());
    let races = |read: &Access| {
        overlapping(&writes, read.place).any(|write| {
            write.id.thread != read.id.thread
                && !write.shares_lock(read)
                && !must.before(write.id, read.id)
                && !must.before(read.id, write.id)
        })
    };
    let is_free = |read: &&Access| !is_plain(ctp, run, read.id) || races(read);
    let all = accesses.iter().filter(|access| access.action.read().is_some());
    let mut free: FxHashSet<ReadId> = all.filter(is_free).filter_map(|access| access.action.read()).collect();
    loop {
        let depends = depending(ctp, &free);
        let unknown = accesses.iter().filter(|access| access.action.written().is_some_and(|v| depends[v.0 as usize]));
        let seen = unknown.flat_map(|write| overlapping(&reads, write.place)).filter_map(|read| read.action.read());
        let before = free.len();
        free.extend(seen);
        if free.len() == before {
            return free;
        }
    }
}

fn is_plain(ctp: &Ctp, run: &Followed, id: EventId) -> bool {
    let step = ctp.event(id).link.and_then(|link| run.steps.get(link.index as usize));
    step.is_some_and(|step| matches!(step.operation.kind, OpKind::PlainRead | OpKind::PlainWrite))
}

type Blocks<'a> = FxHashMap<u64, Vec<&'a Access>>;

/// The eight-byte blocks of a place.
fn blocks(place: Place) -> std::ops::RangeInclusive<u64> {
    place.address / 8..=place.end().saturating_sub(1) / 8
}

fn by_block(accesses: &[Access], is_one: impl Fn(&Access) -> bool) -> Blocks<'_> {
    let mut found = Blocks::default();
    for access in accesses.iter().filter(|access| is_one(access)) {
        blocks(access.place).for_each(|block| found.entry(block).or_default().push(access));
    }
    found
}

fn overlapping<'a>(of: &'a Blocks<'a>, place: Place) -> impl Iterator<Item = &'a Access> {
    blocks(place)
        .filter_map(|block| of.get(&block))
        .flatten()
        .copied()
        .filter(move |access| access.place.overlaps(place))
}

/// For each expression, whether one of these reads is in it. Operands come before what they are part of.
fn depending(ctp: &Ctp, reads: &FxHashSet<ReadId>) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(ctp.exprs.len());
    for index in 0..ctp.exprs.len() {
        let depends = match ctp.exprs.get(ExprId(index as u32)) {
            Expr::Read(read) => reads.contains(&read),
            node => node.operands().any(|operand| found[operand.0 as usize]),
        };
        found.push(depends);
    }
    found
}
