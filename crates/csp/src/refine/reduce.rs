//! Partial-order reduction: in each state, a set of steps that is enough to explore.
//!
//! A set of rules is stubborn if whatever else happens first neither disables an enabled rule of the set nor enables a
//! disabled one. It is grown from one component: every rule the component is ready for joins; an enabled rule brings
//! all components it moves or switches; a disabled one brings one component that is not ready for it. Only silent
//! rules may be in a set that leaves others out, so traces and stable failures are kept (Valmari); the search takes a
//! set only if it leads to a state not seen at this depth or before, so nothing is put off for ever.
//!
//! *Deviations*: none of FDR's three grades is public. Here `precise` grows a set from every component and takes the
//! smallest, `hybrid` from the first eight, `fast` takes the first.

use crate::machine::component::Machine;
use crate::machine::packed::Packed;
use crate::machine::rules::Comp;
use crate::syntax::Reduction;

pub struct Reducer {
    grade: Reduction,
    /// The labels that the question observes.
    visible: Vec<bool>,
    /// For each component and event of it, the rules they are part of.
    taking_part: Vec<Vec<Vec<u32>>>,
    /// For each component, the rules that switch it.
    switching: Vec<Vec<u32>>,
}

/// Buffers of one worker, reused from state to state.
pub struct Room {
    epoch: u32,
    rule_mark: Vec<u32>,
    chosen: Vec<u32>,
    comp_mark: Vec<u32>,
    todo: Vec<Comp>,
    best: Vec<u32>,
    /// Steps of native components in the state at hand: component, event, whether in its persistent set.
    natives: Vec<(Comp, u32, bool)>,
}

impl Room {
    pub fn new(packed: &Packed) -> Self {
        let (rules, comps) = (packed.rules.len(), packed.machines.len());
        Room {
            epoch: 0,
            rule_mark: vec![0; rules],
            chosen: Vec::new(),
            comp_mark: vec![0; comps],
            todo: Vec::new(),
            best: Vec::new(),
            natives: Vec::new(),
        }
    }
}

/// The rules to explore.
pub struct Chosen<'a> {
    rules: &'a [u32],
}

impl Chosen<'_> {
    pub fn contains(&self, rule: u32) -> bool {
        self.rules.binary_search(&rule).is_ok()
    }
}

impl Reducer {
    pub fn new(packed: &Packed, grade: Reduction, visible: impl Fn(u32) -> bool) -> Self {
        let mut taking_part: Vec<Vec<Vec<u32>>> = Vec::new();
        taking_part.resize(packed.machines.len(), Vec::new());
        let mut switching = vec![Vec::new(); packed.machines.len()];
        for (i, rule) in packed.rules.iter().enumerate() {
            for &(comp, local) in std::iter::once(&rule.leader).chain(&rule.others) {
                let lists = &mut taking_part[comp as usize];
                if lists.len() <= local as usize {
                    lists.resize(local as usize + 1, Vec::new());
                }
                lists[local as usize].push(i as u32);
            }
            rule.switched.iter().for_each(|&c| switching[c as usize].push(i as u32));
        }
        let visible = packed.rules.iter().map(|r| visible(r.label)).collect();
        Reducer { grade, visible, taking_part, switching }
    }

    /// The smallest set found that does not hold a visible rule, or nothing.
    pub fn choose<'a, const W: usize>(
        &self,
        packed: &Packed,
        key: &[u64; W],
        room: &'a mut Room,
    ) -> Option<Chosen<'a>> {
        self.load_natives(packed, key, room);
        let tries = match self.grade {
            Reduction::Precise => usize::MAX,
            Reduction::Hybrid => 8,
            Reduction::Fast => 1,
        };
        let (mut found, mut tried) = (false, 0);
        room.best.clear();
        for seed in 0..packed.machines.len() as Comp {
            if !self.is_ready_at_all(packed, key, seed, room) {
                continue;
            }
            if self.grow(packed, key, seed, room) && !room.chosen.is_empty() {
                if !found || room.chosen.len() < room.best.len() {
                    std::mem::swap(&mut room.best, &mut room.chosen);
                    found = true;
                }
                tried += 1;
                if room.best.len() == 1 || tried >= tries {
                    break;
                }
            }
        }
        if !found {
            return None;
        }
        room.best.sort_unstable();
        Some(Chosen { rules: &room.best })
    }

    fn load_natives<const W: usize>(&self, packed: &Packed, key: &[u64; W], room: &mut Room) {
        room.natives.clear();
        if !packed.has_native() {
            return;
        }
        for (c, machine) in packed.machines.iter().enumerate() {
            let Some((start, words, process, _)) = machine.native() else { continue };
            if machine.field.get(key) != 0 {
                continue;
            }
            let state = &key[*start..start + words];
            let persistent = process.persistent(state);
            let mut at = 0;
            process.successors(state, &mut |event, _| {
                let inside = persistent.as_ref().is_none_or(|p| p.contains(&at));
                room.natives.push((c as Comp, machine.native_local(event), inside));
                at += 1;
            });
        }
    }

    fn is_ready_at_all<const W: usize>(&self, packed: &Packed, key: &[u64; W], comp: Comp, room: &Room) -> bool {
        let machine = &packed.machines[comp as usize];
        match machine.native() {
            Some(_) => room.natives.iter().any(|n| n.0 == comp),
            None => !machine.row(machine.field.get(key)).is_empty(),
        }
    }

    fn is_ready<const W: usize>(machine: &Machine, key: &[u64; W], comp: Comp, local: u32, room: &Room) -> bool {
        match machine.native() {
            Some(_) => room.natives.iter().any(|n| n.0 == comp && n.1 == local),
            None => !machine.on(machine.field.get(key), local).is_empty(),
        }
    }

    /// Grows the set from one component; false if a visible rule had to join.
    fn grow<const W: usize>(&self, packed: &Packed, key: &[u64; W], seed: Comp, room: &mut Room) -> bool {
        room.epoch += 1;
        room.chosen.clear();
        room.todo.clear();
        self.bring(seed, room);
        while let Some(comp) = room.todo.pop() {
            let machine = &packed.machines[comp as usize];
            let mut ready: Vec<u32> = match machine.native() {
                Some(_) => room.natives.iter().filter(|n| n.0 == comp && n.2).map(|n| n.1).collect(),
                None => machine.row(machine.field.get(key)).iter().map(|s| s.local).collect(),
            };
            ready.dedup();
            for local in ready {
                let rules = self.taking_part[comp as usize].get(local as usize);
                for &rule in rules.into_iter().flatten() {
                    if !self.join(packed, key, rule, room) {
                        return false;
                    }
                }
            }
            for &rule in &self.switching[comp as usize] {
                if !self.join(packed, key, rule, room) {
                    return false;
                }
            }
        }
        true
    }

    fn bring(&self, comp: Comp, room: &mut Room) {
        if room.comp_mark[comp as usize] != room.epoch {
            room.comp_mark[comp as usize] = room.epoch;
            room.todo.push(comp);
        }
    }

    /// Adds a rule; false if it is enabled and visible, or is a native step outside the set its process named.
    fn join<const W: usize>(&self, packed: &Packed, key: &[u64; W], rule: u32, room: &mut Room) -> bool {
        if room.rule_mark[rule as usize] == room.epoch {
            return true;
        }
        room.rule_mark[rule as usize] = room.epoch;
        let flat = &packed.rules[rule as usize];
        let mut blocker: Option<Comp> = None;
        for &(comp, local) in std::iter::once(&flat.leader).chain(&flat.others) {
            let machine = &packed.machines[comp as usize];
            if Self::is_ready(machine, key, comp, local, room) {
                continue;
            }
            if room.comp_mark[comp as usize] == room.epoch {
                return true;
            }
            blocker = blocker.or(Some(comp));
        }
        if let Some(comp) = blocker {
            self.bring(comp, room);
            return true;
        }
        if self.visible[rule as usize] || !self.native_allows(packed, rule, room) {
            return false;
        }
        room.chosen.push(rule);
        for &(comp, _) in std::iter::once(&flat.leader).chain(&flat.others) {
            self.bring(comp, room);
        }
        flat.switched.iter().for_each(|&comp| self.bring(comp, room));
        true
    }

    fn native_allows(&self, packed: &Packed, rule: u32, room: &Room) -> bool {
        let flat = &packed.rules[rule as usize];
        let named = |&(comp, local): &(Comp, u32)| {
            packed.machines[comp as usize].native().is_none()
                || room.natives.iter().filter(|n| n.0 == comp && n.1 == local).all(|n| n.2)
        };
        std::iter::once(&flat.leader).chain(&flat.others).all(named)
    }
}
