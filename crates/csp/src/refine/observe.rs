//! Refinement in the models that see more than failures: stable revivals (`[V=`) and stable refusal testing (`[R=`), and
//! both with divergences (`[VD=`, `[RD=`). Roscoe, *Understanding Concurrent Systems*, chapters 11 and 12.
//!
//! A *revival* is a trace, a set refused after it in a stable state, and an event that this very state then does; a
//! stable state that does nothing is a *deadlock*. A *refusal trace* tells before each event, and at the end, either a
//! set that was refused in the stable state that was left, or nothing. Refinement is inclusion of all that.
//!
//! The search goes over pairs: a state of the implementation, and the states the specification may be in after all
//! that was observed. It is enough to observe the most: all that a stable state does not offer is refused.
//!
//! *Deviations*: both sides are written out first, and there is one thread. The specifications people write for these
//! models are small. ✓ is an event like others: it can be refused, and termination is a state that offers nothing.

use super::answer::{Answer, Failure, FailureKind};
use crate::budget::{Limit, Meter};
use crate::compress::silent_parts;
use crate::machine::event::{Event, TAU};
use crate::machine::lts::Lts;
use crate::syntax::token::Model;
use rustc_hash::{FxHashMap, FxHashSet};

/// Decides whether all that can be observed of the implementation can be of the specification; if not, the steps that
/// lead to what cannot.
pub fn refines(spec: &Lts, implementation: &Lts, model: Model, meter: &Meter) -> Result<(Answer, Vec<Event>), Limit> {
    let mut search = Search {
        spec: Side::of(spec, meter)?,
        implementation: Side::of(implementation, meter)?,
        tests: matches!(model, Model::RefusalTesting | Model::RefusalTestingDivergences),
        divergences: model.basic() == Model::FailuresDivergences,
        sets: Vec::new(),
        number: FxHashMap::default(),
        pairs: Vec::new(),
        known: FxHashSet::default(),
    };
    search.run(meter)
}

/// A machine with what its states offer.
struct Side<'a> {
    lts: &'a Lts,
    /// The events each state offers, in order; nothing for a state that is not stable.
    offers: Vec<Option<Vec<Event>>>,
    diverges: Vec<bool>,
}

impl<'a> Side<'a> {
    fn of(lts: &'a Lts, meter: &Meter) -> Result<Self, Limit> {
        let offers = |s: u32| {
            let mut events: Vec<Event> = lts.row(s).iter().map(|(e, _)| *e).collect();
            events.dedup();
            (!events.contains(&TAU)).then_some(events)
        };
        let diverges = silent_parts(lts, meter)?.diverges;
        Ok(Side { lts, offers: lts.states().map(offers).collect(), diverges })
    }

    fn offers(&self, state: u32) -> Option<&[Event]> {
        self.offers[state as usize].as_deref()
    }
}

/// A pair that was reached, from which other, and how.
struct Pair {
    state: u32,
    set: u32,
    from: Option<(u32, Event)>,
}

struct Search<'a> {
    spec: Side<'a>,
    implementation: Side<'a>,
    /// Whether what was refused before counts.
    tests: bool,
    divergences: bool,
    sets: Vec<Vec<u32>>,
    number: FxHashMap<Vec<u32>, u32>,
    pairs: Vec<Pair>,
    known: FxHashSet<(u32, u32)>,
}

impl Search<'_> {
    fn run(&mut self, meter: &Meter) -> Result<(Answer, Vec<Event>), Limit> {
        let first = self.closed(vec![self.spec.lts.initial], meter)?;
        self.reach(self.implementation.lts.initial, first, None);
        let mut at = 0;
        while at < self.pairs.len() {
            if let Some((kind, last)) = self.visit(at as u32, meter)? {
                let mut steps = self.steps_to(at as u32);
                steps.extend(last);
                return Ok((Answer::Fails(Failure::plain(kind)), steps));
            }
            at += 1;
            if at.is_multiple_of(16) {
                meter.check_time()?;
            }
            if at.is_multiple_of(1024) {
                let held: usize = self.sets.iter().map(|s| s.len() * 8).sum();
                meter.check(self.pairs.len() as u64, (self.pairs.len() * 40 + held) as u64)?;
            }
        }
        Ok((Answer::Holds, Vec::new()))
    }

    /// Continues from a pair, or answers what the specification does not allow there, and the step that shows it.
    fn visit(&mut self, at: u32, meter: &Meter) -> Result<Option<(FailureKind, Option<Event>)>, Limit> {
        let Pair { state, set, .. } = self.pairs[at as usize];
        if self.divergences {
            if self.sets[set as usize].iter().any(|&s| self.spec.diverges[s as usize]) {
                return Ok(None);
            }
            if self.implementation.diverges[state as usize] {
                return Ok(Some((FailureKind::Divergence, None)));
            }
        }
        let offered = self.implementation.offers(state).map(<[Event]>::to_vec);
        let alike = offered.as_ref().map(|offered| self.refusing(set, offered));
        if let (Some(offered), Some(alike)) = (&offered, &alike)
            && !self.revives(alike, offered)
        {
            return Ok(Some((self.refusal(set, offered), None)));
        }
        for &(event, next) in self.implementation.lts.row(state) {
            if event == TAU {
                self.reach(next, set, Some((at, event)));
                continue;
            }
            let before = match &alike {
                Some(alike) if self.tests => alike.clone(),
                _ => self.sets[set as usize].clone(),
            };
            let after: Vec<u32> = before.iter().flat_map(|&s| self.spec.lts.targets(s, event)).collect();
            if after.is_empty() {
                return Ok(Some((FailureKind::Event(event), Some(event))));
            }
            let after = self.closed(after, meter)?;
            self.reach(next, after, Some((at, event)));
        }
        Ok(None)
    }

    /// The stable states of a set that refuse all that is not offered.
    fn refusing(&self, set: u32, offered: &[Event]) -> Vec<u32> {
        let within = |s: &u32| self.spec.offers(*s).is_some_and(|o| o.iter().all(|e| offered.contains(e)));
        self.sets[set as usize].iter().copied().filter(within).collect()
    }

    /// Whether every event offered is offered by a state that refuses as much, or there is such a state at all.
    fn revives(&self, alike: &[u32], offered: &[Event]) -> bool {
        let offers = |e: &Event| alike.iter().any(|&s| self.spec.offers(s).is_some_and(|o| o.contains(e)));
        !alike.is_empty() && offered.iter().all(offers)
    }

    fn refusal(&self, set: u32, offered: &[Event]) -> FailureKind {
        let mut demanded: Vec<Vec<Event>> =
            self.sets[set as usize].iter().filter_map(|&s| self.spec.offers(s)).map(<[Event]>::to_vec).collect();
        demanded.sort();
        demanded.dedup();
        FailureKind::Refusal { offered: offered.to_vec(), demanded }
    }

    fn reach(&mut self, state: u32, set: u32, from: Option<(u32, Event)>) {
        if self.known.insert((state, set)) {
            self.pairs.push(Pair { state, set, from });
        }
    }

    /// The number of a set with all that silent steps reach.
    fn closed(&mut self, states: Vec<u32>, meter: &Meter) -> Result<u32, Limit> {
        let states = crate::compress::normal::close(self.spec.lts, states, meter)?;
        let fresh = self.sets.len() as u32;
        let number = *self.number.entry(states.clone()).or_insert(fresh);
        if number == fresh {
            self.sets.push(states);
        }
        Ok(number)
    }

    fn steps_to(&self, pair: u32) -> Vec<Event> {
        let mut steps = Vec::new();
        let mut at = pair;
        while let Some((before, event)) = self.pairs[at as usize].from {
            steps.push(event);
            at = before;
        }
        steps.reverse();
        steps
    }
}
