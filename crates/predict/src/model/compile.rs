//! From a trace to the program that the search runs.

use foretrace_causality::{MustOrder, Need as MustNeed, checked_waits};
use foretrace_event::{BarrierId, CondInstance, Event, EventId, LockId, Patience, ThreadId};
use foretrace_property::Automaton;
use foretrace_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::counter::Counter;
use super::held::HeldSets;
use super::op::{CounterOf, Mode, Need, Op};
use super::{Chain, HeldId, NO_LETTER, Program, Sights, WaitAt, Watched};

/// The reorderings that are allowed, beyond the rules of the synchronisation objects.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Operations on an atomic variable keep their recorded order, so that every load reads what it read.
    pub keep_atomics: bool,
    /// Reads see what they saw, or what was there in the beginning.
    pub keep_reads: bool,
    /// Successful try and timed operations that fail instead.
    pub failing: Vec<EventId>,
}

impl Program {
    /// The program of a trace in which the events that have a letter are operations, and move this automaton.
    pub fn watching(
        trace: &Trace,
        rules: &Rules,
        property: &Automaton,
        letter: &dyn Fn(EventId) -> Option<u32>,
    ) -> Self {
        let mut program = Self::visible(trace, rules, letter);
        program.watched = Some(Watched::new(property, &program.chains));
        program
    }

    /// The program of a trace in which the events that have a letter are operations.
    pub fn visible(trace: &Trace, rules: &Rules, letter: &dyn Fn(EventId) -> Option<u32>) -> Self {
        let must = MustOrder::new(trace, rules.keep_atomics);
        let mut compiler = Compiler { letter: Some(letter), ..Compiler::new(trace, rules, &must) };
        trace.threads().for_each(|thread| compiler.thread(thread));
        compiler.finish()
    }

    /// The program of a trace.
    pub fn new(trace: &Trace, rules: &Rules) -> Self {
        let must = MustOrder::new(trace, rules.keep_atomics);
        let mut compiler = Compiler::new(trace, rules, &must);
        trace.threads().for_each(|thread| compiler.thread(thread));
        compiler.finish()
    }
}

/// How a thread acquired a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Taken,
    Nested,
    Failed,
}

struct Compiler<'a> {
    trace: &'a Trace,
    rules: &'a Rules,
    must: &'a MustOrder,
    failing: FxHashSet<EventId>,
    /// The letters of events in the watched property, if there is one.
    letter: Option<&'a dyn Fn(EventId) -> Option<u32>>,
    program: Program,
    /// Waits that check what their signallers change.
    checked: FxHashSet<EventId>,
    /// Counters by object.
    counters: FxHashMap<CounterOf, u32>,
    /// Signals that may be lost, by instance.
    signals: FxHashMap<CondInstance, u32>,
}

/// One thread being compiled.
struct Work {
    thread: ThreadId,
    chain: Chain,
    holds: FxHashMap<LockId, Vec<Hold>>,
    /// The lock set now.
    set: HeldId,
}

impl<'a> Compiler<'a> {
    fn new(trace: &'a Trace, rules: &'a Rules, must: &'a MustOrder) -> Self {
        let program = Program {
            chains: Vec::new(),
            held: HeldSets::new(trace.locks().len()),
            counters: Vec::new(),
            waits: Vec::new(),
            losable: must.has_losable(),
            sights: Sights::default(),
            watched: None,
        };
        let checked = checked_waits(trace);
        let failing = rules.failing.iter().copied().collect();
        let (counters, signals) = Default::default();
        Self { trace, rules, must, failing, letter: None, program, checked, counters, signals }
    }

    fn thread(&mut self, thread: ThreadId) {
        let len = self.trace.len(thread);
        let chain = Chain { len, ..Chain::default() };
        let mut work = Work { thread, chain, holds: FxHashMap::default(), set: 0 };
        work.chain.held.push(work.set);
        for (index, event) in self.trace.events(thread).enumerate() {
            if self.rules.keep_reads || !event.is_access() {
                self.event(&mut work, index as u32, event);
            }
        }
        self.program.chains.push(work.chain);
    }

    fn event(&mut self, work: &mut Work, index: u32, event: Event) {
        let id = EventId { thread: work.thread, index };
        let op = match event {
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) if self.must.keeps_order(lock) => {
                Some(Op::Plain)
            }
            Event::Lock(lock, patience) => self.acquire(work, id, lock, Mode::Write, patience),
            Event::RdLock(lock, patience) => self.acquire(work, id, lock, Mode::Read, patience),
            Event::Unlock(lock) => self.release(work, lock).or_else(|| self.begins_wait(id).then_some(Op::Plain)),
            Event::Signal(instance) | Event::Broadcast(instance) => Some(self.signal(instance)),
            Event::Wait(instance, ..) => Some(self.wait(work, id, instance)),
            Event::BarrierEnter(barrier) => Some(self.barrier(work, index, barrier, false)),
            Event::BarrierExit(barrier) => Some(self.barrier(work, index, barrier, true)),
            Event::SemWait(sem, patience) => {
                let initial = self.trace.sem(sem).initial as i64;
                Some(self.down(work, id, CounterOf::Sem(sem), initial, patience))
            }
            Event::SemPost(sem) => {
                let counter = self.counter(CounterOf::Sem(sem), self.trace.sem(sem).initial as i64);
                self.change(work, counter, 1, false);
                Some(Op::Up { counter })
            }
            Event::FailedLock(..) | Event::FailedRdLock(..) | Event::FailedWait(_) | Event::FailedSemWait(..) => None,
            Event::StrayUnlock(_) | Event::Fence(_) | Event::Custom(..) => None,
            Event::Read(_) | Event::Write(_) => self.rules.keep_reads.then_some(Op::Plain),
            Event::AtomicLoad(..) | Event::AtomicStore(..) | Event::AtomicRmw(..) => {
                self.rules.keep_atomics.then_some(Op::Plain)
            }
            Event::Start | Event::End | Event::Fork(_) | Event::Join(_) | Event::Release(_) | Event::Acquire(_) => {
                Some(Op::Plain)
            }
            Event::OnceRun(_) | Event::OnceDone(_) | Event::OnceAbort(_) | Event::OncePass(_) => Some(Op::Plain),
        };
        let letter = self.letter.and_then(|letter| letter(id));
        if let Some(op) = op.or(letter.map(|_| Op::Plain)) {
            work.chain.ops.push(op);
            work.chain.letters.push(letter.unwrap_or(NO_LETTER));
            work.chain.events.push(index);
            work.chain.held.push(work.set);
        }
    }

    fn acquire(&mut self, work: &mut Work, id: EventId, lock: LockId, mode: Mode, patience: Patience) -> Option<Op> {
        if let Some(free) = self.must.passed_on(lock) {
            return Some(self.down(work, id, CounterOf::Lock(lock), i64::from(free), patience));
        }
        let holds = work.holds.entry(lock).or_default();
        if holds.iter().any(|hold| *hold != Hold::Failed) {
            holds.push(Hold::Nested);
            return None;
        }
        if self.failing.contains(&id) {
            holds.push(Hold::Failed);
            return Some(Op::FailAcquire { lock, mode });
        }
        holds.push(Hold::Taken);
        work.set = self.program.held.with(work.set, lock, Some(mode));
        Some(Op::Acquire { lock, mode, patient: patience == Patience::Blocking })
    }

    fn release(&mut self, work: &mut Work, lock: LockId) -> Option<Op> {
        if let Some(free) = self.must.passed_on(lock) {
            let counter = self.counter(CounterOf::Lock(lock), i64::from(free));
            self.change(work, counter, 1, false);
            return Some(Op::UpFromZero { counter });
        }
        match work.holds.get_mut(&lock).and_then(Vec::pop) {
            Some(Hold::Taken) => {
                work.set = self.program.held.with(work.set, lock, None);
                Some(Op::Release { lock })
            }
            Some(Hold::Nested | Hold::Failed) | None => None,
        }
    }

    /// Is this the event that begins a wait? It must be an operation, whatever it does to the lock.
    fn begins_wait(&self, id: EventId) -> bool {
        let next = EventId { index: id.index + 1, ..id };
        next.index < self.trace.len(id.thread) && matches!(self.trace.event(next), Event::Wait(..))
    }

    fn down(&mut self, work: &mut Work, id: EventId, of: CounterOf, initial: i64, patience: Patience) -> Op {
        let counter = self.counter(of, initial);
        if self.failing.contains(&id) {
            // It changes nothing, but it reads the value.
            self.change(work, counter, 0, false);
            return Op::FailDown { counter };
        }
        self.change(work, counter, -1, false);
        Op::Down { counter, patient: patience == Patience::Blocking }
    }

    fn barrier(&mut self, work: &mut Work, index: u32, barrier: BarrierId, exit: bool) -> Op {
        if self.must.is_regular(barrier) {
            return Op::Plain;
        }
        let count = self.trace.barrier(barrier).count;
        let counter = self.counter(CounterOf::BarrierEnters(barrier), 0);
        // A thread whose last event is the entry is finished, and does not keep others from entering again.
        let last = work.chain.len == index + 1;
        self.change(work, counter, i64::from(!exit), exit || last);
        if exit { Op::Exit { counter, count } } else { Op::Enter { counter, count } }
    }

    fn signal(&mut self, instance: CondInstance) -> Op {
        match self.losable(instance) {
            Some(signal) => Op::Signal { signal },
            None => Op::Plain,
        }
    }

    fn wait(&mut self, work: &Work, id: EventId, instance: CondInstance) -> Op {
        if !self.must.is_losable(id) {
            return Op::Plain;
        }
        let signal = self.losable(instance).expect("a losable wait has a losable signal");
        let position = work.chain.ops.len() as u32;
        self.program.waits[signal as usize].push(WaitAt { thread: id.thread.0, position });
        Op::Wait { instance, checked: self.checked.contains(&id) }
    }

    /// The number of this signal, if it may be lost.
    fn losable(&mut self, instance: CondInstance) -> Option<u32> {
        (self.trace.instance(instance).waits > 0 && self.program.losable).then(|| {
            *self.signals.entry(instance).or_insert_with(|| {
                self.program.waits.push(Vec::new());
                self.program.waits.len() as u32 - 1
            })
        })
    }

    fn counter(&mut self, of: CounterOf, initial: i64) -> u32 {
        *self.counters.entry(of).or_insert_with(|| {
            self.program.counters.push(Counter::new(of, initial));
            self.program.counters.len() as u32 - 1
        })
    }

    fn change(&mut self, work: &Work, counter: u32, by: i64, exit: bool) {
        let position = work.chain.ops.len() as u32 + 1;
        self.program.counters[counter as usize].change(work.thread.0, position, by, exit);
    }

    fn finish(mut self) -> Program {
        if self.rules.keep_reads {
            self.program.sights = Sights::new(self.trace, &mut self.program.chains);
        }
        for thread in 0..self.program.chains.len() {
            let (needs_at, needs) = self.needs_of(thread);
            let chain = &mut self.program.chains[thread];
            (chain.needs_at, chain.needs) = (needs_at, needs);
        }
        self.program.held.seal();
        self.program
    }

    /// Where the needs of each operation of a thread begin, and what they are.
    fn needs_of(&self, thread: usize) -> (Vec<u32>, Vec<Need>) {
        let chain = &self.program.chains[thread];
        let mut all: Vec<(u32, Need)> = Vec::new();
        for &MustNeed { at, event, kind } in self.must.needs(ThreadId::from_index(thread)) {
            let position = self.program.chains[event.thread.index()].position(event.index) + 1;
            all.push((chain.position(at), Need { thread: event.thread.0, position, kind }));
        }
        all.sort_by_key(|(at, _)| *at);
        let mut needs_at = vec![0; chain.ops.len() + 1];
        all.iter().for_each(|(at, _)| needs_at[*at as usize + 1] += 1);
        for position in 0..chain.ops.len() {
            needs_at[position + 1] += needs_at[position];
        }
        (needs_at, all.into_iter().map(|(_, need)| need).collect())
    }
}
