//! Critical sections: two of one lock, of which one is exclusive, do not overlap. The clauses of a pair are added when an
//! order violates them.

use crate::encode::Parts;
use crate::model::Refused;
use foretrace_ctp::{Action, Ctp, EventId, ObjectId, ObjectKind};
use foretrace_order::{Lit, Solver};
use rustc_hash::FxHashSet;

/// From taking a lock to giving it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Section {
    taken: EventId,
    released: Option<EventId>,
    exclusive: bool,
}

/// The sections of each lock.
#[derive(Debug)]
pub struct Sections {
    of: Vec<Vec<Section>>,
    /// Events that can never happen: taking a lock twice, and giving back what one does not have.
    pub impossible: Vec<EventId>,
    excluded: FxHashSet<(EventId, EventId)>,
}

/// A lock that a thread holds.
struct Held {
    lock: ObjectId,
    place: usize,
    depth: u32,
    branches: u32,
}

impl Sections {
    pub fn new(ctp: &Ctp) -> Result<Self, Refused> {
        let of = vec![Vec::new(); ctp.objects.len()];
        let mut sections = Self { of, impossible: Vec::new(), excluded: FxHashSet::default() };
        for thread in 0..ctp.threads.len() {
            sections.thread(ctp, thread)?;
        }
        Ok(sections)
    }

    fn thread(&mut self, ctp: &Ctp, thread: usize) -> Result<(), Refused> {
        let (mut held, mut branches): (Vec<Held>, u32) = (Vec::new(), 0);
        for (index, event) in ctp.threads[thread].events.iter().enumerate() {
            let id = EventId::new(thread, index);
            match event.action {
                Action::If(_) => branches += 1,
                Action::Else | Action::EndIf => {
                    if held.iter().any(|held| held.branches == branches) {
                        return Err(Refused::Branch(ctp.name(id)));
                    }
                    branches -= u32::from(event.action == Action::EndIf);
                }
                Action::Lock(lock) | Action::Woken { mutex: lock, .. } => {
                    self.take(ctp, &mut held, id, (lock, true), branches)
                }
                Action::ReadLock(lock) => self.take(ctp, &mut held, id, (lock, false), branches),
                Action::Unlock(lock) | Action::Wait { mutex: lock, .. } => {
                    let place = held.iter().rposition(|held| held.lock == lock);
                    let Some(place) = place else {
                        self.impossible.push(id);
                        continue;
                    };
                    if held[place].branches != branches {
                        return Err(Refused::Branch(ctp.name(id)));
                    }
                    held[place].depth -= 1;
                    if held[place].depth == 0 {
                        let gone = held.remove(place);
                        self.of[lock.index()][gone.place].released = Some(id);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        ctp: &Ctp,
        held: &mut Vec<Held>,
        id: EventId,
        (lock, exclusive): (ObjectId, bool),
        branches: u32,
    ) {
        let mine = held.iter_mut().rfind(|held| held.lock == lock);
        let recursive = matches!(ctp.object(lock).kind, ObjectKind::Lock { recursive: true });
        if let Some(mine) = mine {
            let owner = self.of[lock.index()][mine.place].exclusive;
            if owner && exclusive && recursive && mine.branches == branches {
                mine.depth += 1;
                return;
            }
            if owner || exclusive {
                self.impossible.push(id);
                return;
            }
        }
        held.push(Held { lock, place: self.of[lock.index()].len(), depth: 1, branches });
        self.of[lock.index()].push(Section { taken: id, released: None, exclusive });
    }
}

impl Parts {
    /// Clauses of critical sections that overlap in the order found.
    pub fn overlaps(&mut self, s: &mut Solver) -> Vec<Vec<Lit>> {
        let mut pairs = Vec::new();
        for sections in &self.sections.of {
            let chosen = sections.iter().filter(|section| self.chosen(s, section.taken));
            let mut chosen: Vec<_> = chosen.map(|section| (self.key(s, section.taken), *section)).collect();
            chosen.sort_unstable_by_key(|(key, _)| *key);
            // Those that are still open when the next begins.
            let mut open: Vec<Section> = Vec::new();
            for (key, section) in chosen {
                open.retain(|other| match other.released {
                    Some(released) => !self.chosen(s, released) || self.key(s, released) > key,
                    None => true,
                });
                let clash = |other: &&Section| {
                    (other.exclusive || section.exclusive) && other.taken.thread != section.taken.thread
                };
                pairs.extend(open.iter().filter(clash).map(|other| (*other, section)));
                open.push(section);
            }
        }
        pairs.into_iter().flat_map(|(a, b)| self.apart(s, a, b)).collect()
    }

    /// The section that is taken first is released before the other is taken.
    fn apart(&mut self, s: &mut Solver, a: Section, b: Section) -> Vec<Vec<Lit>> {
        if !self.sections.excluded.insert((a.taken, b.taken)) {
            return Vec::new();
        }
        let first = self.before(s, a.taken, b.taken);
        let mut clauses = self.after(s, first, a, b);
        clauses.extend(self.after(s, !first, b, a));
        clauses
    }

    fn after(&mut self, s: &mut Solver, first: Lit, a: Section, b: Section) -> Vec<Vec<Lit>> {
        let unless = vec![!first, !self.x(a.taken), !self.x(b.taken)];
        let with = |lit: Lit| unless.iter().copied().chain([lit]).collect();
        match a.released {
            None => vec![unless],
            Some(released) => {
                let order = self.before(s, released, b.taken);
                vec![with(self.x(released)), with(order)]
            }
        }
    }
}
