//! Counters: variables to which every write adds a number to what its thread has just read, when no other write can come in
//! between. The order of the writes makes no difference then: a read sees the value at the beginning, and all that was added
//! before it. This follows from the other clauses; with it, that n additions have the right sum is proven without n! orders.

use crate::encode::Parts;
use crate::encode::flow::Flow;
use crate::goals::{held, is_kept};
use foretrace_ctp::{Action, Binary, Ctp, EventId, Expr, ExprId, ObjectId, Place, ReadId};
use foretrace_order::{Lit, Solver};
use rustc_hash::FxHashMap;

/// The most writes of a counter that is treated as one.
const MOST: usize = 64;

/// The additions to each counter.
#[derive(Debug)]
pub struct Counters {
    of: FxHashMap<Place, Vec<Addition>>,
}

/// A write, and what it adds.
#[derive(Clone, Copy, Debug)]
struct Addition {
    write: EventId,
    number: u64,
}

impl Counters {
    pub fn new(ctp: &Ctp, flow: &Flow) -> Self {
        let mut accesses: FxHashMap<Place, Vec<EventId>> = FxHashMap::default();
        for (id, event) in ctp.events() {
            event.action.place().into_iter().for_each(|place| accesses.entry(place).or_default().push(id));
        }
        let mut places: Vec<Place> = accesses.keys().copied().collect();
        places.sort_unstable();
        // Where the bytes before each place end.
        let ends = places.iter().scan(0, |end, place| {
            let before = *end;
            *end = place.end().max(before);
            Some(before)
        });
        let ends: Vec<u64> = ends.collect();
        let alone = |at: usize| {
            ends[at] <= places[at].address && places.get(at + 1).is_none_or(|next| next.address >= places[at].end())
        };
        let counters = (0..places.len()).filter(|at| alone(*at)).map(|at| places[at]);
        let of = counters.filter_map(|place| Some((place, additions(ctp, flow, &accesses[&place])?))).collect();
        Self { of }
    }
}

/// What the writes among these accesses add; none if one of them does something else.
fn additions(ctp: &Ctp, flow: &Flow, accesses: &[EventId]) -> Option<Vec<Addition>> {
    let writes: Vec<EventId> =
        accesses.iter().filter(|id| ctp.event(**id).action.written().is_some()).copied().collect();
    if !(2..=MOST).contains(&writes.len()) {
        return None;
    }
    let mut locks: Option<Vec<ObjectId>> = None;
    let mut found = Vec::new();
    for write in &writes {
        let (read, number) = addition(ctp, ctp.event(*write).action.written()?)?;
        let read = ctp.reads[read.index()];
        let between = |id: &EventId| id.thread == write.thread && (read.index..write.index).contains(&id.index);
        if ctp.event(read).action.place() != ctp.event(*write).action.place()
            || read.thread != write.thread
            || !flow.dominates(read, *write)
            || writes.iter().any(between)
        {
            return None;
        }
        let own = held(ctp, read)
            .into_iter()
            .filter(|(lock, since, alone)| *alone && is_kept(ctp, *lock, EventId { index: *since, ..read }, *write));
        let own: Vec<ObjectId> = own.map(|(lock, ..)| lock).collect();
        let common = |locks: Vec<ObjectId>| locks.into_iter().filter(|lock| own.contains(lock)).collect();
        locks = Some(locks.map_or_else(|| own.clone(), common));
        found.push(Addition { write: *write, number });
    }
    let is_one_step = |write: &EventId| matches!(ctp.event(*write).action, Action::Update { .. });
    let is_protected = locks.is_some_and(|locks| !locks.is_empty());
    (is_protected || writes.iter().all(is_one_step)).then_some(found)
}

/// The read and the number of an expression that adds one to the other.
fn addition(ctp: &Ctp, value: ExprId) -> Option<(ReadId, u64)> {
    let Expr::Binary(op, a, b) = ctp.exprs.get(value) else { return None };
    match (op, ctp.exprs.get(a), ctp.exprs.get(b)) {
        (Binary::Add, Expr::Read(read), Expr::Const(number)) | (Binary::Add, Expr::Const(number), Expr::Read(read)) => {
            Some((read, number))
        }
        (Binary::Sub, Expr::Read(read), Expr::Const(number)) => Some((read, number.wrapping_neg())),
        _ => None,
    }
}

impl Parts {
    /// What a read of a counter sees is a sum.
    pub fn sum(&mut self, s: &mut Solver, read: ReadId, by: EventId) {
        let Some(place) = self.action(by).place() else { return };
        let Some(additions) = self.counters.of.get(&place).cloned() else { return };
        let mut sum = self.circuits.number(place.width(), self.modelled.initial.value(place));
        for Addition { write, number } in additions.into_iter().filter(|addition| addition.write != by) {
            let (x, before) = (self.x(write), self.before(s, write, by));
            let counts = self.circuits.and(s, x, before);
            let number = self.circuits.number(place.width(), number);
            let added: Vec<Lit> = number.into_iter().map(|bit| self.circuits.and(s, bit, counts)).collect();
            sum = self.circuits.add(s, &sum, &added, !self.circuits.yes).0;
        }
        let (x, seen) = (self.x(by), self.read_bits(s, read));
        for (a, b) in seen.into_iter().zip(sum) {
            s.clause(&[!x, !a, b]);
            s.clause(&[!x, a, !b]);
        }
    }
}
