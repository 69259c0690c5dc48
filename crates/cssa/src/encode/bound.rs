//! Context bounds (section 6): every event that happens lies in one of `b + 1` slots, each of which belongs to one
//! thread. The order of two events of different threads is the order of their slots.

use crate::encode::Parts;
use foretrace_ctp::EventId;
use foretrace_order::{Lit, Solver, Truth};

/// Slots of events.
#[derive(Debug)]
pub struct Bound {
    /// For each event and each slot but the first: the event is in this slot or a later one.
    from: Vec<Vec<Vec<Lit>>>,
    /// Holds if slots count at all.
    pub counts: Lit,
    /// For each slot but the first: an event lies in it or in a later one.
    pub used: Vec<Lit>,
}

impl Bound {
    /// The slot of an event in the order found.
    pub fn slot(&self, s: &Solver, id: EventId) -> u32 {
        let from = &self.from[id.thread.index()][id.index as usize];
        from.iter().filter(|lit| s.value(**lit) == Truth::True).count() as u32
    }
}

impl Parts {
    /// Slots for every event.
    pub fn limit(&mut self, s: &mut Solver) {
        let most = self.options.switches as usize;
        let threads = self.modelled.ctp.threads.len();
        let counts = s.var();
        let used: Vec<Lit> = (0..most).map(|_| s.var()).collect();
        let owners: Vec<Vec<Lit>> = (0..=most).map(|_| (0..threads).map(|_| s.var()).collect()).collect();
        for owners in &owners {
            for (place, a) in owners.iter().enumerate() {
                owners[place + 1..].iter().for_each(|b| s.clause(&[!*a, !*b]));
            }
        }
        let mut from = Vec::new();
        for thread in 0..threads {
            let mut chain: Vec<Vec<Lit>> = Vec::new();
            for index in 0..self.modelled.ctp.threads[thread].events.len() {
                let slots: Vec<Lit> = (0..most).map(|_| s.var()).collect();
                slots.windows(2).for_each(|pair| s.clause(&[!pair[1], pair[0]]));
                if let Some(before) = chain.last() {
                    before.iter().zip(&slots).for_each(|(a, b)| s.clause(&[!*a, *b]));
                }
                let x = self.x(EventId::new(thread, index));
                for (slot, owners) in owners.iter().enumerate() {
                    let mut clause = vec![!counts, !x, owners[thread]];
                    clause.extend(slot.checked_sub(1).map(|slot| !slots[slot]));
                    clause.extend(slots.get(slot));
                    s.clause(&clause);
                }
                slots.iter().zip(&used).for_each(|(slot, used)| s.clause(&[!counts, !x, !*slot, *used]));
                chain.push(slots);
            }
            from.push(chain);
        }
        self.bound = Some(Bound { from, counts, used });
        self.fixed_in_slots(s);
    }

    /// Forks and joins keep the order of slots.
    fn fixed_in_slots(&mut self, s: &mut Solver) {
        for id in self.events() {
            match self.action(id) {
                foretrace_ctp::Action::Fork(child) if self.last(child).is_some() => {
                    self.in_slots(s, None, id, EventId { thread: child, index: 0 });
                }
                foretrace_ctp::Action::Join(child) => {
                    let last = self.last(child);
                    last.into_iter().for_each(|last| self.in_slots(s, None, last, id));
                }
                _ => {}
            }
        }
    }

    /// A new order atom agrees with the slots.
    pub fn keep_in_slots(&mut self, s: &mut Solver, atom: Lit, a: EventId, b: EventId) {
        self.in_slots(s, Some(atom), a, b);
        self.in_slots(s, Some(!atom), b, a);
    }

    fn in_slots(&self, s: &mut Solver, order: Option<Lit>, a: EventId, b: EventId) {
        let Some(bound) = &self.bound else { return };
        let of = |id: EventId| &bound.from[id.thread.index()][id.index as usize];
        for (first, second) in of(a).iter().zip(of(b)) {
            let clause: Vec<Lit> = order.map(|lit| !lit).into_iter().chain([!*first, *second]).collect();
            s.clause(&clause);
        }
    }
}
