//! The rules, each exactly as defined.

use std::collections::BTreeMap;

use foretrace_event::LockClass;
use rustc_hash::FxHashMap;

use super::steps::{Act, Plain, Step, Thing};
use super::{Breach, MOST, Violation};

/// Finds all steps that the steps before them do not allow. Such a step is taken all the same.
pub(super) fn judge(steps: &[Step], plain: &Plain, roots: Roots) -> Vec<Violation> {
    let mut world = World { roots: Some(roots), ..World::default() };
    let mut violations = Vec::new();
    for step in steps {
        let breaches = [world.thread_breach(step), world.breach(step, plain)];
        let violation = |breach| Violation { thread: step.thread, stamp: step.stamp, position: step.position, breach };
        violations.extend(breaches.into_iter().flatten().map(violation));
        if violations.len() >= MOST {
            break;
        }
    }
    violations.truncate(MOST);
    violations
}

/// Which threads need no creation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Roots {
    /// The main thread alone.
    Main,
    /// Any: a thread that is never created exists from the beginning.
    Any,
}

#[derive(Default)]
struct World {
    roots: Option<Roots>,
    threads: BTreeMap<u64, Life>,
    locks: BTreeMap<u64, Lock>,
    conditions: BTreeMap<u64, Condition>,
    barriers: BTreeMap<u64, Barrier>,
    /// Known values.
    sems: BTreeMap<u64, u64>,
    onces: BTreeMap<u64, Once>,
    /// Known bytes of atomic variables.
    bytes: BTreeMap<u64, u8>,
}

#[derive(Default)]
struct Life {
    steps: u64,
    stamp: u64,
    forked: bool,
    ended: bool,
    /// The effect of the thread's last step, if the next one depends on it.
    last: Last,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Anything,
    Unlocked(u64),
    Waited(u64),
    Entered(u64),
}

#[derive(Default)]
struct Lock {
    /// The thread that holds it exclusively, and how often.
    owner: Option<(u32, u32)>,
    readers: FxHashMap<u32, u32>,
}

#[derive(Default)]
struct Condition {
    unused: u64,
    broadcasts: u64,
}

#[derive(Default)]
struct Barrier {
    count: Option<u64>,
    arrivals: u64,
    /// The arrival number of each thread inside.
    inside: FxHashMap<u32, u64>,
}

enum Once {
    Running(u32),
    Aborted,
    Done,
}

impl World {
    /// Rule 1, and which steps must directly follow others.
    fn thread_breach(&mut self, step: &Step) -> Option<Breach> {
        if step.stamp == 0 && matches!(step.act, Act::Begin(..)) {
            return None;
        }
        let life = self.threads.entry(u64::from(step.thread)).or_default();
        let first = life.steps == 0;
        let ordered = life.stamp == 0 || step.stamp > life.stamp;
        let last = std::mem::take(&mut life.last);
        (life.steps, life.stamp) = (life.steps + u64::from(is_event(step.act)), step.stamp);
        life.last = match step.act {
            Act::Unlock => Last::Unlocked(step.object),
            Act::Wait(lock) | Act::WaitFailed(lock) => Last::Waited(lock),
            Act::BarrierEnter => Last::Entered(step.object),
            Act::Other | Act::Begin(..) | Act::Vanish(_) => last,
            _ => Last::Anything,
        };
        let was_ended = life.ended;
        life.ended |= step.act == Act::End;
        match (step.act, last) {
            _ if was_ended => Some(Breach::AfterEnd),
            _ if !ordered => Some(Breach::StampOrder),
            (Act::Start(_), _) if !first => Some(Breach::LateStart),
            (Act::Wait(lock) | Act::WaitFailed(lock), last) if last != Last::Unlocked(lock) => Some(Breach::StrayWait),
            (Act::Lock(_) | Act::TakeOver(_), Last::Waited(lock)) if lock == step.object => None,
            (act, Last::Waited(_)) if is_event(act) => Some(Breach::StrayWait),
            (Act::BarrierExit, last) if last != Last::Entered(step.object) => Some(Breach::BarrierNotEntered),
            _ => None,
        }
    }

    /// All other rules.
    fn breach(&mut self, step: &Step, plain: &Plain) -> Option<Breach> {
        let Step { thread, object, .. } = *step;
        match step.act {
            Act::Start(end) => {
                self.vanish(object, end);
                self.start(thread)
            }
            Act::Fork => self.fork(object),
            Act::Join => self.join(object),
            Act::Lock(class) => self.lock(object, thread, class),
            Act::TakeOver(class) => {
                self.locks.remove(&object);
                self.lock(object, thread, class)
            }
            Act::RdLock => self.rdlock(object, thread),
            Act::Unlock => self.unlock(object, thread),
            Act::Signal => self.wake(object, false),
            Act::Broadcast => self.wake(object, true),
            Act::Wait(_) => self.wait(object),
            Act::BarrierEnter => self.enter(object, thread),
            Act::BarrierExit => self.leave(object, thread),
            Act::SemWait => self.sem_wait(object),
            Act::SemPost => self.sem_post(object),
            Act::OnceRun => self.once_run(object, thread),
            Act::OnceDone => self.once_end(object, thread, Once::Done),
            Act::OnceAbort => self.once_end(object, thread, Once::Aborted),
            Act::OncePass => self.once_pass(object),
            Act::Load(size, value) => self.load(object, size, value, plain),
            Act::Store(size, value) => self.store(object, size, value),
            Act::Rmw(size, old, new) => {
                let breach = self.load(object, size, old, plain);
                self.store(object, size, new);
                breach
            }
            Act::Begin(thing, value) => self.begin(thing, object, value),
            Act::Vanish(end) => self.vanish(object, end),
            Act::End | Act::WaitFailed(_) | Act::Other => None,
        }
    }

    /// A thread that is created after its start is caught by its creation.
    fn start(&mut self, thread: u32) -> Option<Breach> {
        let needed = thread != 0 && self.roots == Some(Roots::Main);
        (needed && !self.threads[&u64::from(thread)].forked).then_some(Breach::StartBeforeFork)
    }

    fn fork(&mut self, child: u64) -> Option<Breach> {
        let life = self.threads.entry(child).or_default();
        let exists = life.forked || life.steps > 0;
        life.forked = true;
        exists.then_some(Breach::ForkTwice)
    }

    fn join(&mut self, child: u64) -> Option<Breach> {
        let ended = self.threads.get(&child).is_some_and(|life| life.ended);
        (!ended).then_some(Breach::JoinBeforeEnd)
    }

    fn lock(&mut self, object: u64, thread: u32, class: LockClass) -> Option<Breach> {
        let lock = self.locks.entry(object).or_default();
        let again = matches!(class, LockClass::Recursive | LockClass::Stream | LockClass::Annotated);
        match lock.owner {
            Some((owner, depth)) if owner == thread && again => {
                lock.owner = Some((owner, depth + 1));
                None
            }
            held => {
                let free = held.is_none() && lock.readers.is_empty();
                lock.owner = Some((thread, 1));
                (!free).then_some(Breach::LockHeld)
            }
        }
    }

    fn rdlock(&mut self, object: u64, thread: u32) -> Option<Breach> {
        let lock = self.locks.entry(object).or_default();
        *lock.readers.entry(thread).or_default() += 1;
        lock.owner.is_some().then_some(Breach::LockHeld)
    }

    /// A lock never seen before may have been held since before the recording.
    fn unlock(&mut self, object: u64, thread: u32) -> Option<Breach> {
        let Some(lock) = self.locks.get_mut(&object) else {
            self.locks.insert(object, Lock::default());
            return None;
        };
        if let Some((owner, depth)) = lock.owner {
            lock.owner = (depth > 1).then_some((owner, depth - 1));
            return None;
        }
        let reader = if lock.readers.contains_key(&thread) { Some(thread) } else { lock.readers.keys().min().copied() };
        let Some(reader) = reader else { return Some(Breach::NotHeld) };
        let holds = lock.readers.get_mut(&reader).expect("a reader that is there");
        *holds -= 1;
        if *holds == 0 {
            lock.readers.remove(&reader);
        }
        None
    }

    fn wake(&mut self, object: u64, all: bool) -> Option<Breach> {
        let condition = self.conditions.entry(object).or_default();
        *(if all { &mut condition.broadcasts } else { &mut condition.unused }) += 1;
        None
    }

    fn wait(&mut self, object: u64) -> Option<Breach> {
        let condition = self.conditions.entry(object).or_default();
        if condition.broadcasts > 0 {
            return None;
        }
        let explained = condition.unused > 0;
        condition.unused = condition.unused.saturating_sub(1);
        (!explained).then_some(Breach::WaitUnexplained)
    }

    fn enter(&mut self, object: u64, thread: u32) -> Option<Breach> {
        let barrier = self.barriers.entry(object).or_default();
        barrier.inside.insert(thread, barrier.arrivals);
        barrier.arrivals += 1;
        None
    }

    fn leave(&mut self, object: u64, thread: u32) -> Option<Breach> {
        let barrier = self.barriers.entry(object).or_default();
        let inside = barrier.inside.len() as u64;
        let arrival = barrier.inside.remove(&thread)?;
        let count = (*barrier.count.get_or_insert(inside)).max(1);
        let full = barrier.arrivals >= (arrival / count + 1) * count;
        (!full).then_some(Breach::BarrierNotFull)
    }

    fn sem_wait(&mut self, object: u64) -> Option<Breach> {
        let value = self.sems.get_mut(&object)?;
        let zero = *value == 0;
        *value = value.saturating_sub(1);
        zero.then_some(Breach::SemaphoreZero)
    }

    fn sem_post(&mut self, object: u64) -> Option<Breach> {
        if let Some(value) = self.sems.get_mut(&object) {
            *value = value.saturating_add(1);
        }
        None
    }

    fn once_run(&mut self, object: u64, thread: u32) -> Option<Breach> {
        let before = self.onces.insert(object, Once::Running(thread));
        matches!(before, Some(Once::Running(_) | Once::Done)).then_some(Breach::OnceAgain)
    }

    fn once_end(&mut self, object: u64, thread: u32, end: Once) -> Option<Breach> {
        let before = self.onces.insert(object, end);
        match before {
            None => None,
            Some(Once::Running(runner)) if runner == thread => None,
            Some(_) => Some(Breach::OnceNotRunning),
        }
    }

    fn once_pass(&mut self, object: u64) -> Option<Breach> {
        match self.onces.get(&object) {
            Some(Once::Done) => None,
            None => {
                self.onces.insert(object, Once::Done);
                None
            }
            Some(_) => Some(Breach::OnceNotDone),
        }
    }

    fn load(&mut self, object: u64, size: u8, value: u128, plain: &Plain) -> Option<Breach> {
        let mut stale = false;
        for (byte, read) in bytes(object, size, value) {
            if plain.holds(byte) {
                continue;
            }
            stale |= *self.bytes.entry(byte).or_insert(read) != read;
        }
        stale.then_some(Breach::StaleValue)
    }

    fn store(&mut self, object: u64, size: u8, value: u128) -> Option<Breach> {
        self.bytes.extend(bytes(object, size, value));
        None
    }

    fn begin(&mut self, thing: Thing, object: u64, value: Option<u64>) -> Option<Breach> {
        match thing {
            Thing::Lock => drop(self.locks.remove(&object)),
            Thing::Condition => drop(self.conditions.remove(&object)),
            Thing::Barrier => drop(self.barriers.insert(object, Barrier { count: value, ..Barrier::default() })),
            Thing::Sem => {
                self.sems.remove(&object);
                self.sems.extend(value.map(|value| (object, value)));
            }
        }
        None
    }

    fn vanish(&mut self, start: u64, end: u64) -> Option<Breach> {
        remove(&mut self.locks, start, end);
        remove(&mut self.conditions, start, end);
        remove(&mut self.barriers, start, end);
        remove(&mut self.sems, start, end);
        remove(&mut self.onces, start, end);
        remove(&mut self.bytes, start, end);
        None
    }
}

/// Is it an operation of the program, rather than a statement about an object?
fn is_event(act: Act) -> bool {
    !matches!(act, Act::Other | Act::Begin(..) | Act::Vanish(_))
}

fn bytes(address: u64, size: u8, value: u128) -> impl Iterator<Item = (u64, u8)> {
    let bytes = value.to_le_bytes().into_iter().take(usize::from(size));
    (0..).zip(bytes).map(move |(index, byte)| (address.wrapping_add(index), byte))
}

fn remove<T>(table: &mut BTreeMap<u64, T>, start: u64, end: u64) {
    while let Some(key) = table.range(start..end.max(start)).next().map(|(key, _)| *key) {
        table.remove(&key);
    }
}
