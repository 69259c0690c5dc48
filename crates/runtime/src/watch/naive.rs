//! What a data race is, as it is defined: the oracle of both detectors. Traces are made at random, and nothing is forgotten.
//!
//! An event happens before another if it comes earlier in the same thread, if it releases an object that the other
//! acquires later, or if there is a third between them. Two accesses race if they share a byte, one at least writes, one at
//! least is not atomic, and neither happens before the other.

use crate::thread::Thread;
use crate::thread::clock::Epoch;
use foretrace_event::Random as Generator;
use foretrace_event::wire::Op;

/// Bytes of a line. A trace touches the end of one and the beginning of the next.
const LINE: usize = 64;
/// Bytes that a trace touches, and how many of them are in the first line.
const BYTES: usize = 24;
const BEFORE: usize = 16;
const THREADS: usize = 4;
const OBJECTS: usize = 3;

/// An access, relative to where the trace is put.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub at: usize,
    pub size: usize,
    pub write: bool,
    pub atomic: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Access(Access),
    Release(usize),
    Acquire(usize),
}

/// Events of several threads, by index, of which the last one alone may race with an earlier one.
pub struct Trace {
    pub events: Vec<(usize, Event)>,
    /// For each event, whether each earlier one happens before it.
    past: Vec<Vec<bool>>,
    /// The last access races.
    pub races: bool,
}

impl Trace {
    /// The trace of that number.
    pub fn random(number: u64) -> Self {
        let mut random = Random(Generator::new(number));
        let mut trace = Self { events: Vec::new(), past: Vec::new(), races: false };
        let (length, synchronising) = (8 + random.below(56), 1 + random.below(6));
        while trace.events.len() < length && !trace.races {
            trace.push(random.below(THREADS), random.event(synchronising));
            // Most that would race are left out, or few traces were long.
            let races = trace.partners().next().is_some();
            trace.races = races && random.below(8) == 0;
            if races && !trace.races {
                trace.events.pop();
                trace.past.pop();
            }
        }
        trace
    }

    fn push(&mut self, thread: usize, event: Event) {
        let mut past = vec![false; self.events.len()];
        for (index, (other, earlier)) in self.events.iter().enumerate() {
            let ordered = match (earlier, event) {
                (Event::Release(released), Event::Acquire(acquired)) => *released == acquired,
                _ => false,
            };
            if *other == thread || ordered {
                past[index] = true;
                past.iter_mut().zip(&self.past[index]).for_each(|(mine, its)| *mine |= its);
            }
        }
        self.events.push((thread, event));
        self.past.push(past);
    }

    /// Earlier accesses that race with the last event: which, by whom, and their first byte that it shares.
    pub fn partners(&self) -> impl Iterator<Item = (usize, Access, usize)> {
        let last = self.events.len() - 1;
        let accesses = self.events[..last].iter().enumerate().filter_map(|(index, (_, event))| match event {
            Event::Access(access) => Some((index, *access)),
            _ => None,
        });
        accesses.filter(move |(index, _)| !self.past[last][*index]).filter_map(move |(index, access)| {
            let Event::Access(now) = self.events[last].1 else { return None };
            let conflict = (access.write || now.write) && !(access.atomic && now.atomic);
            let shared = (now.at..now.at + now.size).find(|byte| (access.at..access.at + access.size).contains(byte));
            Some((index, access, shared?)).filter(|_| conflict)
        })
    }

    /// Where the trace of that number is put. Nothing else is there, so a trace is played in one test and once.
    pub fn base(number: u64) -> usize {
        0x40_0000_0000 + number as usize * 2 * LINE + LINE - BEFORE
    }

    /// Lets players take part in the events. `access` is told of the accesses, and `end` of a segment's end, which is before
    /// each operation; the result has the epoch of each event.
    pub fn play(
        &self,
        base: usize,
        players: &[&'static Thread],
        mut access: impl FnMut(&'static Thread, Access),
        mut end: impl FnMut(&'static Thread),
    ) -> Vec<Epoch> {
        let mut sync = |player: &'static Thread, op, object| {
            end(player);
            player.clock.get().sync(&player.objects, op, base + object, 0, player.index, false);
        };
        let step = |(thread, event): &(usize, Event)| {
            let player = players[*thread];
            match *event {
                Event::Access(what) => access(player, what),
                Event::Release(object) => sync(player, Op::Release, object),
                Event::Acquire(object) => sync(player, Op::Acquire, object),
            }
            player.clock.get().epoch()
        };
        self.events.iter().map(step).collect()
    }
}

/// Threads for one trace after the other: what they know of each other from earlier ones is about other memory.
pub fn players() -> Vec<&'static Thread> {
    let player = |number| &*Thread::new(number, number).expect("memory");
    (0..THREADS as u32).map(player).collect()
}

/// Random events.
pub struct Random(Generator);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit as u64) as usize
    }

    fn event(&mut self, synchronising: usize) -> Event {
        match self.below(8) {
            kind if kind >= synchronising => Event::Access(self.access()),
            kind if kind % 2 == 0 => Event::Release(self.below(OBJECTS)),
            _ => Event::Acquire(self.below(OBJECTS)),
        }
    }

    /// Atomic accesses are aligned, others need not be.
    fn access(&mut self) -> Access {
        let (size, write, atomic) = (1 << self.below(4), self.below(3) == 0, self.below(4) == 0);
        let at = self.below(BYTES - size + 1);
        Access { at: if atomic { at & !(size - 1) } else { at }, size, write, atomic }
    }
}
