//! The packed form of a composition, which is explored.

use super::component::{Machine, local_events};
use super::event::Event;
use super::field::{Field, Packer};
use super::filter::FlatFilter;
use super::flat_rule::{FlatRule, Flattening};
use super::inner::Restrictions;
use super::plan::{Found, Plan};
use super::product::Product;
use super::rules::{Comp, Rule, Target};
use rustc_hash::FxHashMap;

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
            product.comps.iter().zip(&locals).map(|(c, l)| Machine::new(c, l, &mut packer)).collect();
        let extra = packer.field(extra);
        let words = packer.words();
        let alphabet = alphabet(&product.root().rules);
        let ready: Vec<Vec<u64>> = machines.iter().map(Machine::readiness).collect();
        let flattening = Flattening { product, machines: &machines, locals: &locals, ready: &ready };
        let flat = |r: &Rule| flattening.rule(r, Some(&alphabet));
        let rules: Vec<FlatRule> = product.root().rules.iter().map(flat).collect();
        for (c, machine) in machines.iter_mut().enumerate() {
            machine.index_leads(leads(c as Comp, &rules));
            machine.tabulate();
        }
        let mut initial = vec![0; words];
        for (c, machine) in machines.iter().enumerate() {
            let target = if product.root().active.contains(&(c as Comp)) { Target::Initial } else { Target::Off };
            machine.switch(&mut initial, &product.comps[c], target);
        }
        let has_native = machines.iter().any(|m| m.native().is_some());
        let plan = Plan::new(&machines, &rules, |comp, local| machines[comp].led(local));
        let filter = product.filter.as_ref().map(|f| FlatFilter::around(f, product));
        let flattening = Flattening { product, machines: &machines, locals: &locals, ready: &ready };
        let flat = |rules: &[Rule]| rules.iter().map(|r| flattening.rule(r, None)).collect();
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
            let Some((start, words, process, _)) = machine.native() else { continue };
            if machine.field.get(key) != 0 {
                continue;
            }
            process.successors(&key[*start..start + words], &mut |event, next| {
                out.push((c as Comp, machine.native_local(event), next.to_vec()));
            });
        }
        out
    }

    fn successors_with_natives<const W: usize>(&self, key: &[u64; W], emit: &mut impl FnMut(u32, [u64; W])) {
        let natives = self.native_steps(key);
        for (c, machine) in self.machines.iter().enumerate() {
            if machine.native().is_some() {
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
        if let Some((start, count, ..)) = machine.native() {
            key[*start..start + count].copy_from_slice(words);
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
        if machine.native().is_some() {
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

    pub fn has_native(&self) -> bool {
        self.has_native
    }

    pub fn event(&self, rule: u32) -> Event {
        self.alphabet[self.rules[rule as usize].label as usize]
    }
}

fn alphabet(rules: &[Rule]) -> Vec<Event> {
    let mut events: Vec<Event> = rules.iter().map(|r| r.result).collect();
    events.sort();
    events.dedup();
    events
}

/// The rules that a component leads, each after its event.
fn leads(comp: Comp, rules: &[FlatRule]) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(rules).filter(move |(_, rule)| rule.leader.0 == comp).map(|(i, rule)| (rule.leader.1, i))
}
