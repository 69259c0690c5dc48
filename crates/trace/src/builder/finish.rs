//! The last steps: notes, the state before the first events, and the creator of each thread.

use foretrace_event::{Event, EventId, Kind};

use super::{Counts, TraceBuilder};
use crate::note::Note;
use crate::trace::{Slot, Trace};

impl TraceBuilder {
    /// The trace of the events so far.
    pub fn finish(mut self) -> Trace {
        self.add_notes();
        self.put_prologues();
        self.threads.iter_mut().for_each(|thread| thread.slots.shrink_to_fit());
        self.objects.instances = self.conditions.instances;
        self.extras.seal();
        self.arguments.seal();
        let mut trace = Trace {
            threads: self.threads,
            objects: self.objects,
            extras: self.extras,
            arguments: self.arguments,
            places: self.places.list,
            notes: self.notes,
            stamps: self.clock,
        };
        link_forks(&mut trace);
        trace
    }

    /// Inserts the state before the first events directly after the threads' starts, and moves those starts to the
    /// front.
    fn put_prologues(&mut self) {
        let extra = |prologue: &Vec<Slot>| prologue.len() as u32 + u32::from(!prologue.is_empty());
        let first: u32 = self.prologues.iter().map(extra).sum();
        let slots = self.threads.iter_mut().flat_map(|thread| &mut thread.slots);
        slots.filter(|slot| slot.stamp > 0).for_each(|slot| slot.stamp += first);
        self.clock += first;
        let mut stamp = 0;
        let prologues = std::mem::take(&mut self.prologues).into_iter();
        for (thread, prologue) in self.threads.iter_mut().zip(prologues).filter(|(_, prologue)| !prologue.is_empty()) {
            let starts = usize::from(thread.slots.first().is_some_and(|slot| slot.kind == Kind::Start));
            let end = starts + prologue.len();
            thread.slots.splice(starts..starts, prologue);
            for (index, slot) in
                thread.slots.iter_mut().enumerate().take_while(|(i, slot)| *i < end || slot.is_access())
            {
                stamp += u32::from(index < end);
                slot.stamp = stamp;
            }
        }
    }

    fn add_notes(&mut self) {
        let Counts { ends, held, running, sems, barriers, spurious } = std::mem::take(&mut self.counts);
        let notes = [
            (ends > 0).then_some(Note::MissingEnd { threads: ends }),
            (held > 0).then_some(Note::HeldBefore { locks: held }),
            (running > 0).then_some(Note::RunningBefore { onces: running }),
            (!sems.is_empty()).then_some(Note::AssumedSemaphores(sems.len() as u32)),
            (barriers > 0).then_some(Note::AssumedBarriers(barriers)),
            (spurious > 0).then_some(Note::SpuriousWaits(spurious)),
        ];
        self.notes.extend(notes.into_iter().flatten());
    }
}

fn link_forks(trace: &mut Trace) {
    let mut forks = Vec::new();
    for thread in trace.threads() {
        for (index, event) in trace.events(thread).enumerate() {
            if let Event::Fork(child) = event {
                forks.push((child, EventId { thread, index: index as u32 }));
            }
        }
    }
    forks.into_iter().for_each(|(child, fork)| trace.threads[child.index()].info.forked = Some(fork));
}
