//! The program: variables, objects, threads, and the order in which the events were seen.

use crate::event::{Event, Place};
use crate::expr::Exprs;
use crate::ids::{EventId, ObjectId, ReadId, ThreadId};
use rustc_hash::FxHashMap;

/// A named variable in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name in reports.
    pub name: String,
    /// Its bytes.
    pub place: Place,
    /// Its value at the beginning.
    pub initial: u64,
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A mutex or a reader-writer lock.
    Lock {
        /// Its owner may take it again.
        recursive: bool,
    },
    /// A semaphore, with its count at the beginning.
    Semaphore(u32),
    /// A condition variable.
    Condition,
    /// A barrier, with the number of threads that it waits for.
    Barrier(u32),
}

/// A synchronisation object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name in reports.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Its name in reports.
    pub name: String,
    /// Its events in program order.
    pub events: Vec<Event>,
}

/// A concurrent trace program. Whoever builds one by hand runs [`crate::check::check`] on it before use.
#[derive(Clone, Debug, Default)]
pub struct Ctp {
    /// All expressions.
    pub exprs: Exprs,
    /// Shared memory: an access outside of these is an error.
    pub vars: Vec<Var>,
    /// Synchronisation objects.
    pub objects: Vec<Object>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Which event each read belongs to.
    pub reads: Vec<EventId>,
    /// All events in the order in which they were recorded; [`crate::text::parse`] takes the order of the lines.
    pub order: Vec<EventId>,
}

impl Ctp {
    /// The event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.threads[id.thread.index()].events[id.index as usize]
    }

    /// All events, thread by thread.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &Event)> {
        self.threads.iter().enumerate().flat_map(|(thread, body)| {
            let events = body.events.iter().enumerate();
            events.map(move |(index, event)| (EventId::new(thread, index), event))
        })
    }

    /// Adds an event at the end of a thread and of the recorded order.
    pub fn push(&mut self, thread: ThreadId, event: Event) -> EventId {
        let events = &mut self.threads[thread.index()].events;
        let id = EventId { thread, index: events.len() as u32 };
        events.push(event);
        self.order.push(id);
        id
    }

    /// A name for the value of the next read: of the event that will be pushed next to this thread.
    pub fn new_read(&mut self, thread: ThreadId) -> ReadId {
        let index = self.threads[thread.index()].events.len() as u32;
        self.reads.push(EventId { thread, index });
        ReadId(self.reads.len() as u32 - 1)
    }

    /// The thread that starts each thread, with the event; `None` for those that exist from the beginning.
    pub fn forks(&self) -> FxHashMap<ThreadId, EventId> {
        let fork = |(id, event): (EventId, &Event)| match event.action {
            crate::Action::Fork(thread) => Some((thread, id)),
            _ => None,
        };
        self.events().filter_map(fork).collect()
    }

    /// The object.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// How a report names an event: `t1:4`, counted from 1.
    pub fn name(&self, id: EventId) -> String {
        format!("{}:{}", self.threads[id.thread.index()].name, id.index + 1)
    }

    /// How a report names a place: the variable, with the bytes if it is a part.
    pub fn place_name(&self, place: Place) -> String {
        match self.vars.iter().find(|var| var.place.overlaps(place)) {
            Some(var) if var.place == place => var.name.clone(),
            Some(var) if place.address >= var.place.address && place.end() <= var.place.end() => {
                format!("{}+{}:{}", var.name, place.address - var.place.address, place.size)
            }
            _ => format!("{:#x}:{}", place.address, place.size),
        }
    }

    /// The value of a place at the beginning. Whoever asks for many takes [`Initial`].
    pub fn initial(&self, place: Place) -> u64 {
        Initial::of(self).value(place)
    }
}

/// Memory at the beginning, by address.
#[derive(Clone, Debug)]
pub struct Initial(Vec<(Place, u64)>);

impl Initial {
    /// Of a program.
    pub fn of(ctp: &Ctp) -> Self {
        let mut all: Vec<_> = ctp.vars.iter().map(|var| (var.place, var.initial)).collect();
        all.sort_unstable_by_key(|(place, _)| place.address);
        Self(all)
    }

    /// The value of a place; bytes outside of variables are 0.
    pub fn value(&self, place: Place) -> u64 {
        let byte = |offset: u8| {
            let address = place.address + u64::from(offset);
            self.at(address).map_or(0, |(var, initial)| (initial >> (8 * (address - var.address))) & 0xff)
        };
        (0..place.size).fold(0, |value, offset| value | (byte(offset) << (8 * offset)))
    }

    /// Whether all bytes of a place are in variables.
    pub fn covers(&self, place: Place) -> bool {
        (place.address..place.end()).all(|address| self.at(address).is_some())
    }

    fn at(&self, address: u64) -> Option<(Place, u64)> {
        let after = self.0.partition_point(|(place, _)| place.address <= address);
        let (place, initial) = *self.0.get(after.checked_sub(1)?)?;
        (address < place.end()).then_some((place, initial))
    }
}
