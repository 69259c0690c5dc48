//! A composition of components, and its packed form that is explored.
//!
//! A packed state is a few words: each component's state in a field of its own that no word boundary cuts, so that a
//! step of one component is one exclusive-or. Rules are found through the component that leads them, the one that is
//! ready for them least often.

use super::event::Event;
use super::filter::{Filter, FlatFilter};
use super::inner::Restrictions;
use super::lts::Lts;
use super::plan::{Found, Plan};
use super::rules::{Comp, Node, Rule, Target};
use crate::native::{Native, NativeEvent};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone)]
pub enum Component {
    Explicit(Arc<Lts>),
    Native(Arc<dyn Native>, Vec<Event>),
}

/// A composition as the compiler leaves it: the components, and the operator tree with its rules.
#[derive(Clone)]
pub struct Product {
    pub comps: Vec<Component>,
    pub nodes: Vec<Node>,
    pub root: usize,
    /// What holds steps of the whole back.
    pub filter: Option<Filter>,
    /// What holds steps of parts back; a part comes after those inside it.
    pub inner: Vec<Filter>,
    /// What compressed parts were before they were compressed, by node.
    pub origins: Vec<(usize, Rc<Product>)>,
}

impl Product {
    pub fn root(&self) -> &Node {
        &self.nodes[self.root]
    }

    pub fn has_native(&self) -> bool {
        self.comps.iter().any(|c| matches!(c, Component::Native(..)))
    }
}

/// A component's place in a packed state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Field {
    pub word: usize,
    pub shift: u32,
    pub mask: u64,
}

impl Field {
    #[inline]
    pub fn get(&self, key: &[u64]) -> u32 {
        (key[self.word] >> self.shift & self.mask) as u32
    }

    pub fn put(&self, key: &mut [u64], value: u32) {
        key[self.word] = key[self.word] & !(self.mask << self.shift) | u64::from(value) << self.shift;
    }
}

/// Hands out fields of words, first fit.
#[derive(Default)]
struct Packer {
    used: Vec<u32>,
}

impl Packer {
    /// A field for values below `count`.
    fn field(&mut self, count: usize) -> Field {
        let bits = (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1);
        let word = self.used.iter().position(|&u| u + bits <= 64).unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        let shift = self.used[word];
        self.used[word] += bits;
        Field { word, shift, mask: (1u64 << bits) - 1 }
    }

    fn whole(&mut self, words: usize) -> usize {
        let start = self.used.len();
        self.used.extend(std::iter::repeat_n(64, words));
        start
    }
}

#[derive(Clone, Copy)]
pub struct Step {
    pub local: u32,
    pub target: u32,
    /// What to exclusive-or into the component's word.
    pub delta: u64,
}

/// Entries of a component's table of steps beyond which it is searched instead.
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

    /// One more than the last state, which is the one in which the component is off.
    pub fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Fills the table of steps.
    fn tabulate(&mut self) {
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
}

/// A rule ready to run.
pub struct FlatRule {
    /// What the outside sees, as a place in the alphabet; for rules of the root.
    pub label: u32,
    pub leader: (Comp, u32),
    pub others: Vec<(Comp, u32)>,
    /// Words to mask and to fill: switches.
    pub sets: Vec<(usize, u64, u64)>,
    /// The components it switches.
    pub switched: Vec<Comp>,
}

impl FlatRule {
    /// Completes the rule from its `at`th follower on, once for each combination of their steps.
    pub fn fire<const W: usize>(
        &self,
        machines: &[Machine],
        at: usize,
        key: &[u64; W],
        next: [u64; W],
        emit: &mut impl FnMut([u64; W]),
    ) {
        let Some(&(comp, local)) = self.others.get(at) else {
            let mut next = next;
            for &(word, keep, fill) in &self.sets {
                next[word] = next[word] & keep | fill;
            }
            return emit(next);
        };
        let machine = &machines[comp as usize];
        for step in machine.on(machine.field.get(key), local) {
            let mut next = next;
            next[machine.field.word] ^= step.delta;
            self.fire(machines, at + 1, key, next, emit);
        }
    }
}

pub struct Packed {
    pub machines: Vec<Machine>,
    pub rules: Vec<FlatRule>,
    pub alphabet: Vec<Event>,
    pub words: usize,
    pub initial: Vec<u64>,
    /// A field for the checker's own use.
    pub extra: Field,
    has_native: bool,
    plan: Plan,
    inner: Restrictions,
    filter: Option<FlatFilter>,
}

/// The steps of native components from one state: component, event, words.
type NativeSteps = Vec<(Comp, u32, Vec<u64>)>;

impl Packed {
    /// Packs a product, leaving room for `extra` values beside it.
    pub fn new(product: &Product, extra: usize) -> Packed {
        let mut packer = Packer::default();
        let locals: Vec<FxHashMap<Event, u32>> = product.comps.iter().map(local_events).collect();
        let mut machines: Vec<Machine> =
            product.comps.iter().zip(&locals).map(|(c, l)| machine(c, l, &mut packer)).collect();
        let extra = packer.field(extra);
        let words = packer.used.len();
        let alphabet = alphabet(&product.root().rules);
        let ready: Vec<Vec<u64>> = machines.iter().map(readiness).collect();
        let flat = |r: &Rule| flat_rule(r, product, &locals, Some(&alphabet), &machines, &ready);
        let rules: Vec<FlatRule> = product.root().rules.iter().map(flat).collect();
        for (c, machine) in machines.iter_mut().enumerate() {
            index_leads(machine, c as Comp, locals[c].len(), &rules);
            machine.tabulate();
        }
        let mut initial = vec![0; words];
        for (c, machine) in machines.iter().enumerate() {
            let target = if product.root().active.contains(&(c as Comp)) { Target::Initial } else { Target::Off };
            set_component(&mut initial, &product.comps[c], machine, target);
        }
        let has_native = machines.iter().any(|m| m.native.is_some());
        let plan = Plan::new(&machines, &rules, |comp, local| machines[comp].led(local));
        let filter = product.filter.as_ref().map(|f| FlatFilter::around(f, product));
        let flat =
            |rules: &[Rule]| rules.iter().map(|r| flat_rule(r, product, &locals, None, &machines, &ready)).collect();
        let inner = Restrictions::new(product, &machines, flat);
        Packed { machines, rules, alphabet, words, initial, extra, has_native, plan, inner, filter }
    }

    /// The first state, in as many words as the search uses.
    pub fn first<const W: usize>(&self) -> [u64; W] {
        let mut key = [0; W];
        key[..self.words].copy_from_slice(&self.initial);
        key
    }

    /// Calls `emit` with every step: the rule and the state after it.
    pub fn successors<const W: usize>(&self, key: &[u64; W], emit: &mut impl FnMut(u32, [u64; W])) {
        let mut found = Found::default();
        self.find(key, &mut found);
        found.rules().iter().zip(found.next()).for_each(|(rule, next)| emit(*rule, *next));
    }

    /// Finds every step.
    #[inline]
    pub fn find<const W: usize>(&self, key: &[u64; W], found: &mut Found<W>) {
        self.find_all(key, found);
        if !self.inner.is_empty() {
            self.inner.apply(&self.machines, key, found);
        }
        if let Some(filter) = &self.filter {
            filter.apply(found);
        }
    }

    /// Whether steps are held back, so that no step can be judged by itself.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some() || !self.inner.is_empty()
    }

    #[inline]
    fn find_all<const W: usize>(&self, key: &[u64; W], found: &mut Found<W>) {
        if self.has_native {
            found.clear();
            return self.successors_with_natives(key, &mut |rule, next| found.push(rule, next));
        }
        self.plan.find(&self.machines, &self.rules, key, found);
    }

    fn native_steps<const W: usize>(&self, key: &[u64; W]) -> NativeSteps {
        let mut out = Vec::new();
        for (c, machine) in self.machines.iter().enumerate() {
            let Some((start, words, process, locals)) = &machine.native else { continue };
            if machine.field.get(key) != 0 {
                continue;
            }
            process.successors(&key[*start..start + words], &mut |event, next| {
                out.push((c as Comp, native_local(locals, event), next.to_vec()));
            });
        }
        out
    }

    fn successors_with_natives<const W: usize>(&self, key: &[u64; W], emit: &mut impl FnMut(u32, [u64; W])) {
        let natives = self.native_steps(key);
        for (c, machine) in self.machines.iter().enumerate() {
            if machine.native.is_some() {
                for (_, local, words) in natives.iter().filter(|(n, ..)| *n as usize == c) {
                    for &rule in machine.led(*local) {
                        let next = self.put_native(machine, *key, words);
                        self.fire_mixed(rule, 0, key, next, &natives, emit);
                    }
                }
                continue;
            }
            for step in machine.row(machine.field.get(key)) {
                for &rule in machine.led(step.local) {
                    let mut next = *key;
                    next[machine.field.word] ^= step.delta;
                    self.fire_mixed(rule, 0, key, next, &natives, emit);
                }
            }
        }
    }

    fn put_native<const W: usize>(&self, machine: &Machine, mut key: [u64; W], words: &[u64]) -> [u64; W] {
        if let Some((start, count, ..)) = machine.native {
            key[start..start + count].copy_from_slice(words);
        }
        key
    }

    fn fire_mixed<const W: usize>(
        &self,
        rule: u32,
        at: usize,
        key: &[u64; W],
        next: [u64; W],
        natives: &NativeSteps,
        emit: &mut impl FnMut(u32, [u64; W]),
    ) {
        let flat = &self.rules[rule as usize];
        let Some(&(comp, local)) = flat.others.get(at) else {
            return flat.fire(&self.machines, at, key, next, &mut |next| emit(rule, next));
        };
        let machine = &self.machines[comp as usize];
        if machine.native.is_some() {
            for (_, _, words) in natives.iter().filter(|(c, l, _)| *c == comp && *l == local) {
                let next = self.put_native(machine, next, words);
                self.fire_mixed(rule, at + 1, key, next, natives, emit);
            }
            return;
        }
        for step in machine.on(machine.field.get(key), local) {
            let mut next = next;
            next[machine.field.word] ^= step.delta;
            self.fire_mixed(rule, at + 1, key, next, natives, emit);
        }
    }

    /// A native component's number for one of its events.
    pub fn native_local(&self, machine: &Machine, event: NativeEvent) -> u32 {
        machine.native.as_ref().map_or(0, |(_, _, _, locals)| native_local(locals, event))
    }

    pub fn has_native(&self) -> bool {
        self.has_native
    }

    pub fn event(&self, rule: u32) -> Event {
        self.alphabet[self.rules[rule as usize].label as usize]
    }
}

fn native_local(locals: &[u32], event: NativeEvent) -> u32 {
    match event {
        NativeEvent::Silent => locals[0],
        NativeEvent::Terminate => locals[1],
        NativeEvent::Visible(i) => locals[i as usize + 2],
    }
}

/// A component's own events, numbered. A native one has τ and ✓ first, then its alphabet.
fn local_events(component: &Component) -> FxHashMap<Event, u32> {
    let events = match component {
        Component::Explicit(lts) => lts.alphabet(),
        Component::Native(_, events) => [super::event::TAU, super::event::TICK].iter().chain(events).copied().collect(),
    };
    let mut out = FxHashMap::default();
    for event in events {
        let next = out.len() as u32;
        out.entry(event).or_insert(next);
    }
    out
}

fn machine(component: &Component, locals: &FxHashMap<Event, u32>, packer: &mut Packer) -> Machine {
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

fn alphabet(rules: &[Rule]) -> Vec<Event> {
    let mut events: Vec<Event> = rules.iter().map(|r| r.result).collect();
    events.sort();
    events.dedup();
    events
}

/// How often a component is ready for each of its events.
fn readiness(machine: &Machine) -> Vec<u64> {
    let mut ready = vec![0; machine.events];
    machine.steps.iter().for_each(|s| ready[s.local as usize] += 1);
    let states = (machine.offsets.len() as u64 - 1).max(1);
    ready.iter_mut().for_each(|n| *n = *n * 1_000_000 / states);
    ready
}

fn flat_rule(
    rule: &Rule,
    product: &Product,
    locals: &[FxHashMap<Event, u32>],
    alphabet: Option<&[Event]>,
    machines: &[Machine],
    ready: &[Vec<u64>],
) -> FlatRule {
    let mut moves: Vec<(Comp, u32)> = rule.moves.iter().map(|&(c, e)| (c, locals[c as usize][&e])).collect();
    if moves.len() > 1 {
        moves.sort_by_key(|&(c, local)| (ready[c as usize][local as usize], c));
    }
    let place = |all: &[Event]| all.binary_search(&rule.result).expect("the alphabet has every result") as u32;
    let label = alphabet.map_or(0, place);
    let (sets, switched) = switches(rule, product, machines);
    FlatRule { label, leader: moves[0], others: moves[1..].to_vec(), sets, switched }
}

/// The switches of a rule as masks, one a word; the last switch of a component counts.
fn switches(rule: &Rule, product: &Product, machines: &[Machine]) -> (Vec<(usize, u64, u64)>, Vec<Comp>) {
    let mut last: std::collections::BTreeMap<Comp, Target> = std::collections::BTreeMap::new();
    for &(c, target) in &rule.sets {
        last.insert(c, target);
    }
    let mut words: std::collections::BTreeMap<usize, (u64, u64)> = std::collections::BTreeMap::new();
    let mut put = |word: usize, mask: u64, value: u64| {
        let entry = words.entry(word).or_insert((!0, 0));
        entry.0 &= !mask;
        entry.1 |= value;
    };
    for (&c, &target) in &last {
        let machine = &machines[c as usize];
        let highest = machines.iter().map(|m| m.field.word + 1 + m.native.as_ref().map_or(0, |n| n.0 + n.1)).max();
        let mut image = vec![0u64; highest.unwrap_or(1)];
        set_component(&mut image, &product.comps[c as usize], machine, target);
        let field = machine.field;
        put(field.word, field.mask << field.shift, image[field.word]);
        if let Some((start, count, ..)) = &machine.native {
            (*start..start + count).for_each(|w| put(w, !0, image[w]));
        }
    }
    (words.into_iter().map(|(w, (keep, fill))| (w, keep, fill)).collect(), last.into_keys().collect())
}

fn set_component(key: &mut [u64], component: &Component, machine: &Machine, target: Target) {
    match (component, target) {
        (Component::Explicit(lts), Target::Initial) => machine.field.put(key, lts.initial),
        (Component::Explicit(lts), Target::Off) => machine.field.put(key, lts.len() as u32),
        (Component::Native(process, _), target) => {
            machine.field.put(key, u32::from(target == Target::Off));
            if let Some((start, count, ..)) = &machine.native {
                let words = &mut key[*start..start + count];
                words.fill(0);
                if target == Target::Initial {
                    process.initial(words);
                }
            }
        }
    }
}

fn index_leads(machine: &mut Machine, comp: Comp, events: usize, rules: &[FlatRule]) {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); events];
    for (i, rule) in rules.iter().enumerate().filter(|(_, r)| r.leader.0 == comp) {
        lists[rule.leader.1 as usize].push(i as u32);
    }
    machine.lead_at = vec![0];
    for list in lists {
        machine.led.extend(list);
        machine.lead_at.push(machine.led.len() as u32);
    }
}
