//! The definition of an order that fails, tried one order after the other. For tests, and for small models.

use foretrace_ctp::{Action, Ctp, EventId, ExprId, ObjectKind, Place, ReadId, Values};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Looks for an order in which the events before `check` happen and its condition does not hold, with at most so many changes
/// of threads that could have gone on. The order ends with `check`. `Err`: more states than allowed.
pub fn failing_order(ctp: &Ctp, check: EventId, changes: usize, most: usize) -> Result<Option<Vec<EventId>>, usize> {
    let mut seen = FxHashSet::default();
    let mut open = vec![(State::new(ctp), 0, Vec::new())];
    while let Some((state, used, path)) = open.pop() {
        if seen.len() > most {
            return Err(most);
        }
        if !seen.insert((state.hash(), used)) {
            continue;
        }
        let last: Option<&EventId> = path.last();
        let mut next = Vec::new();
        for thread in 0..ctp.threads.len() {
            let id = EventId::new(thread, state.at[thread]);
            if id == check && state.is_there(ctp, id) && state.fails(ctp, id) {
                return Ok(Some([path, vec![id]].concat()));
            }
            let Some(after) = state.step(ctp, id) else { continue };
            next.push((id, after));
        }
        let goes_on = last.is_some_and(|last| next.iter().any(|(id, _)| id.thread == last.thread));
        for (id, after) in next {
            let costs = usize::from(goes_on && last.is_some_and(|last| last.thread != id.thread));
            if used + costs <= changes {
                open.push((after, used + costs, [&path[..], &[id]].concat()));
            }
        }
    }
    Ok(None)
}

#[derive(Clone, Hash, Default)]
struct State {
    at: Vec<usize>,
    forked: Vec<bool>,
    memory: Vec<(u64, u8)>,
    reads: Vec<u64>,
    /// For each object: the owner and how often, the count, or how many arrived and left.
    objects: Vec<(i64, i64)>,
    readers: Vec<Vec<u32>>,
    /// For each thread: woken from its wait.
    woken: Vec<bool>,
}

impl State {
    fn new(ctp: &Ctp) -> Self {
        let forked: FxHashSet<_> = ctp.forks().into_keys().collect();
        let byte = |place: Place, at: u8| {
            (
                place.address + u64::from(at),
                (ctp.initial(Place { size: 1, address: place.address + u64::from(at) })) as u8,
            )
        };
        let object = |object: &foretrace_ctp::Object| match object.kind {
            ObjectKind::Semaphore(count) => (i64::from(count), 0),
            ObjectKind::Lock { .. } => (-1, 0),
            _ => (0, 0),
        };
        let mut memory: Vec<_> =
            ctp.vars.iter().flat_map(|var| (0..var.place.size).map(move |at| byte(var.place, at))).collect();
        memory.sort_unstable();
        Self {
            at: vec![0; ctp.threads.len()],
            forked: (0..ctp.threads.len())
                .map(|thread| !forked.contains(&foretrace_ctp::ThreadId(thread as u32)))
                .collect(),
            memory,
            reads: vec![0; ctp.reads.len()],
            objects: ctp.objects.iter().map(object).collect(),
            readers: vec![Vec::new(); ctp.objects.len()],
            woken: vec![false; ctp.threads.len()],
        }
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        Hash::hash(self, &mut hasher);
        hasher.finish()
    }

    fn value(&self, ctp: &Ctp, expr: ExprId) -> u64 {
        let reads = |read: ReadId| self.reads[read.index()];
        Values::new(&ctp.exprs, &reads).of(expr)
    }

    fn load(&self, place: Place) -> u64 {
        let byte =
            |at: u64| self.memory.binary_search_by_key(&at, |(at, _)| *at).map_or(0, |index| self.memory[index].1);
        (0..u64::from(place.size)).fold(0, |value, at| value | u64::from(byte(place.address + at)) << (8 * at))
    }

    fn store(&mut self, place: Place, value: u64) {
        for at in 0..u64::from(place.size) {
            if let Ok(index) = self.memory.binary_search_by_key(&(place.address + at), |(at, _)| *at) {
                self.memory[index].1 = (value >> (8 * at)) as u8;
            }
        }
    }

    fn is_there(&self, ctp: &Ctp, id: EventId) -> bool {
        self.forked[id.thread.index()] && (id.index as usize) < ctp.threads[id.thread.index()].events.len()
    }

    fn fails(&self, ctp: &Ctp, id: EventId) -> bool {
        let condition = match ctp.event(id).action {
            Action::Assert(condition) | Action::Assume(condition) => condition,
            _ => return false,
        };
        self.value(ctp, condition) == 0
    }

    /// The state after the event, if it can happen.
    fn step(&self, ctp: &Ctp, id: EventId) -> Option<Self> {
        if !self.is_there(ctp, id) {
            return None;
        }
        let mut after = self.clone();
        after.at[id.thread.index()] += 1;
        after.happen(ctp, id)?;
        Some(after)
    }

    fn happen(&mut self, ctp: &Ctp, id: EventId) -> Option<()> {
        let own = id.thread.index();
        match ctp.event(id).action {
            Action::Read { place, read } => self.reads[read.index()] = self.load(place),
            Action::Write { place, value } => self.store(place, self.value(ctp, value)),
            Action::Update { place, read, guard, value } => {
                self.reads[read.index()] = self.load(place);
                guard.is_none_or(|guard| self.value(ctp, guard) != 0).then_some(())?;
                self.store(place, self.value(ctp, value));
            }
            Action::Assume(condition) | Action::Assert(condition) => (self.value(ctp, condition) != 0).then_some(())?,
            Action::Fork(thread) => self.forked[thread.index()] = true,
            Action::Join(thread) => {
                (self.at[thread.index()] == ctp.threads[thread.index()].events.len()).then_some(())?;
            }
            action => self.synchronise(ctp, own, action)?,
        }
        Some(())
    }

    fn synchronise(&mut self, ctp: &Ctp, own: usize, action: Action) -> Option<()> {
        match action {
            Action::Lock(lock) => self.lock(lock.index(), own)?,
            Action::ReadLock(lock) => {
                (self.objects[lock.index()].0 == -1).then_some(())?;
                self.readers[lock.index()].push(own as u32);
            }
            Action::Unlock(lock) => self.unlock(lock.index(), own),
            Action::SemWait(sem) => {
                (self.objects[sem.index()].0 > 0).then_some(())?;
                self.objects[sem.index()].0 -= 1;
            }
            Action::SemPost(sem) => self.objects[sem.index()].0 += 1,
            Action::Wait { mutex, .. } => {
                self.unlock(mutex.index(), own);
                self.woken[own] = false;
            }
            Action::Woken { mutex, .. } => {
                self.woken[own].then_some(())?;
                self.lock(mutex.index(), own)?;
            }
            Action::Signal(condition) => {
                if let Some(waiter) = self.waiters(ctp, condition).first() {
                    self.woken[*waiter] = true;
                }
            }
            Action::Broadcast(condition) => {
                self.waiters(ctp, condition).into_iter().for_each(|waiter| self.woken[waiter] = true);
            }
            Action::BarrierEnter(barrier) => self.objects[barrier.index()].0 += 1,
            Action::BarrierExit(barrier) => {
                let ObjectKind::Barrier(count) = ctp.object(barrier).kind else { return None };
                let (arrived, left) = self.objects[barrier.index()];
                (arrived >= (left / i64::from(count) + 1) * i64::from(count)).then_some(())?;
                self.objects[barrier.index()].1 += 1;
            }
            _ => {}
        }
        Some(())
    }

    fn waiters(&self, ctp: &Ctp, condition: foretrace_ctp::ObjectId) -> Vec<usize> {
        let waits = |thread: &usize| {
            let next = ctp.threads[*thread].events.get(self.at[*thread]);
            matches!(next.map(|event| event.action), Some(Action::Woken { condition: on, .. }) if on == condition)
                && !self.woken[*thread]
        };
        (0..ctp.threads.len()).filter(waits).collect()
    }

    fn lock(&mut self, lock: usize, own: usize) -> Option<()> {
        let (owner, often) = self.objects[lock];
        (self.readers[lock].is_empty() && (owner == -1 || owner == own as i64)).then_some(())?;
        self.objects[lock] = (own as i64, often + 1);
        Some(())
    }

    fn unlock(&mut self, lock: usize, own: usize) {
        if let Some(at) = self.readers[lock].iter().position(|reader| *reader == own as u32) {
            self.readers[lock].remove(at);
            return;
        }
        let (owner, often) = self.objects[lock];
        self.objects[lock] = if often <= 1 { (-1, 0) } else { (owner, often - 1) };
    }
}
