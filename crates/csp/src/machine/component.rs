//! Components ready to run.

use super::event::Event;
use super::field::{Field, Packer};
use super::product::Component;
use super::rules::Target;
use crate::native::{Native, NativeEvent};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub struct Step {
    pub local: u32,
    pub target: u32,
    /// What to exclusive-or into the component's word.
    pub delta: u64,
}

/// The most entries of a component's table of steps; a larger component searches its rows instead.
const MAX_TABLE: usize = 1 << 16;

/// A native component: its first word of the key, how many it has, the process, and the numbers of its events.
pub type NativePart = (usize, usize, Arc<dyn Native>, Vec<u32>);

/// A component ready to run.
pub struct Machine {
    pub field: Field,
    offsets: Vec<u32>,
    steps: Vec<Step>,
    events: usize,
    /// Where the steps of each state and event lie, if there are few enough of both.
    table: Vec<(u32, u32)>,
    /// The rules each of its events leads: `led[lead_at[e]..lead_at[e + 1]]`.
    lead_at: Vec<u32>,
    led: Vec<u32>,
    /// Words of the key that hold a native component's state, and the process.
    native: Option<NativePart>,
}

impl Machine {
    pub fn new(component: &Component, locals: &FxHashMap<Event, u32>, packer: &mut Packer) -> Machine {
        let mut machine = Machine {
            field: Field::default(),
            offsets: vec![0],
            steps: Vec::new(),
            events: locals.len(),
            table: Vec::new(),
            lead_at: Vec::new(),
            led: Vec::new(),
            native: None,
        };
        match component {
            Component::Explicit(lts) => {
                machine.field = packer.field(lts.len() + 1);
                for state in lts.states() {
                    let step = |&(e, target): &(Event, u32)| {
                        let delta = u64::from(state ^ target) << machine.field.shift;
                        Step { local: locals[&e], target, delta }
                    };
                    let mut row: Vec<Step> = lts.row(state).iter().map(step).collect();
                    row.sort_by_key(|s| (s.local, s.target));
                    machine.steps.extend(row);
                    machine.offsets.push(machine.steps.len() as u32);
                }
                // One more state, in which the component is off.
                machine.offsets.push(machine.steps.len() as u32);
            }
            Component::Native(process, events) => {
                machine.field = packer.field(2);
                let start = packer.whole(process.words());
                let numbers = [0, 1].into_iter().chain(events.iter().map(|e| locals[e])).collect();
                machine.native = Some((start, process.words(), process.clone(), numbers));
            }
        }
        machine
    }

    pub fn row(&self, state: u32) -> &[Step] {
        &self.steps[self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize]
    }

    pub fn led(&self, local: u32) -> &[u32] {
        &self.led[self.lead_at[local as usize] as usize..self.lead_at[local as usize + 1] as usize]
    }

    /// The steps of one event.
    #[inline]
    pub fn on(&self, state: u32, local: u32) -> &[Step] {
        if let Some(&(from, to)) = self.table.get(state as usize * self.events + local as usize) {
            return &self.steps[from as usize..to as usize];
        }
        self.search(state, local)
    }

    fn search(&self, state: u32, local: u32) -> &[Step] {
        let row = self.row(state);
        let from = row.iter().position(|s| s.local >= local).unwrap_or(row.len());
        let count = row[from..].iter().take_while(|s| s.local == local).count();
        &row[from..from + count]
    }

    pub fn events(&self) -> usize {
        self.events
    }

    /// How many states it has. The last is the one in which the component is off.
    pub fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Fills the table of steps.
    pub fn tabulate(&mut self) {
        let states = self.states();
        if states as usize * self.events > MAX_TABLE {
            return;
        }
        let mut table = vec![(0, 0); states as usize * self.events];
        for state in 0..states {
            let from = self.offsets[state as usize];
            for (i, step) in (from..).zip(self.row(state)) {
                let entry = &mut table[state as usize * self.events + step.local as usize];
                *entry = if entry.1 == 0 { (i, i + 1) } else { (entry.0, i + 1) };
            }
        }
        self.table = table;
    }

    pub fn native(&self) -> Option<&NativePart> {
        self.native.as_ref()
    }

    /// A native component's number for one of its events.
    pub fn native_local(&self, event: NativeEvent) -> u32 {
        let Some((.., locals)) = &self.native else { return 0 };
        match event {
            NativeEvent::Silent => locals[0],
            NativeEvent::Terminate => locals[1],
            NativeEvent::Visible(i) => locals[i as usize + 2],
        }
    }

    /// How often it is ready for each of its events, in millionths of its states.
    pub fn readiness(&self) -> Vec<u64> {
        let mut ready = vec![0; self.events];
        self.steps.iter().for_each(|s| ready[s.local as usize] += 1);
        let states = (self.offsets.len() as u64 - 1).max(1);
        ready.iter_mut().for_each(|n| *n = *n * 1_000_000 / states);
        ready
    }

    /// Stores the rules that it leads by event, from pairs of an event and a rule in the order of the rules.
    pub fn index_leads(&mut self, leads: impl Iterator<Item = (u32, u32)>) {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.events];
        leads.for_each(|(local, rule)| lists[local as usize].push(rule));
        self.lead_at = vec![0];
        for list in lists {
            self.led.extend(list);
            self.lead_at.push(self.led.len() as u32);
        }
    }

    /// Writes its state after a switch into a state of the whole.
    pub fn switch(&self, key: &mut [u64], component: &Component, target: Target) {
        match (component, target) {
            (Component::Explicit(lts), Target::Initial) => self.field.put(key, lts.initial),
            (Component::Explicit(lts), Target::Off) => self.field.put(key, lts.len() as u32),
            (Component::Native(process, _), target) => {
                self.field.put(key, u32::from(target == Target::Off));
                if let Some((start, count, ..)) = &self.native {
                    let words = &mut key[*start..start + count];
                    words.fill(0);
                    if target == Target::Initial {
                        process.initial(words);
                    }
                }
            }
        }
    }
}

/// A component's own events, numbered.
pub fn local_events(component: &Component) -> FxHashMap<Event, u32> {
    let mut out = FxHashMap::default();
    for event in component.events() {
        let next = out.len() as u32;
        out.entry(event).or_insert(next);
    }
    out
}
